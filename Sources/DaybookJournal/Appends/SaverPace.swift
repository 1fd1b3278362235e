/// How fast those come who save, and how many of them are best written together.
///
/// Those who have waited for one group make what they save next while another is on its way to the disk. A group is best
/// all of them, as a sync takes as long for many as for few. If to make it takes longer than a sync by a third, though,
/// the disk waits for the last of them, and then they all wait for the disk. Then some are left to the next group: as
/// many as come while the disk is busy with this one, and a third at the most.
struct SaverPace {
  /// Fewer are never divided: to wake whoever makes what is saved next takes longer then than to make it.
  static let dividedCountMin = 24

  // Each group counts for seven eighths of the one behind it.
  private var comeCount = 0.0
  private var comeNanoseconds = 0.0
  private var diskNanoseconds: Double?

  /// Notes that so many came for a group in so much time, before it was written.
  mutating func noteCome(_ count: Int, nanoseconds: Int64) {
    comeCount = comeCount * 7 / 8 + Double(count)
    comeNanoseconds = comeNanoseconds * 7 / 8 + Double(nanoseconds)
  }

  /// Notes that the disk was busy with a group for so long.
  mutating func noteDisk(nanoseconds: Int64) {
    let time = Double(nanoseconds)
    diskNanoseconds = diskNanoseconds.map { $0 * 7 / 8 + time / 8 } ?? time
  }

  /// How many of all who save are to be written together at the most; as many as there are, if that is `Int.max`.
  func groupCount(of all: Int) -> Int {
    guard all >= SaverPace.dividedCountMin, comeCount > 0, let diskNanoseconds else { return .max }
    let meanwhile = diskNanoseconds * comeCount / comeNanoseconds
    guard meanwhile < Double(all) * 3 / 4 else { return .max }
    return all - min(all / 3, Int(meanwhile))
  }
}
