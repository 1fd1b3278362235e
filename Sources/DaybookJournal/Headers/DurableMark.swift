import DaybookPlatform

/// A note in the journal of how far it has been synced.
///
/// ```
///   0  generation  u64   one more with each mark
///   8  sequence    u64   the highest sequence synced when this was written
///  16  end offset  u64   where the frame of that transaction ends
///  24  end check   u64   the check that ends it; the header's page check if there is none yet
///  32  in use      u8    1 while a writer may have appended more; 0 once it has closed
///  33  zeros       7
///  40  mark check  u64   of the 40 bytes above, seeded with the salt
/// ```
///
/// It stands in turn at 8192 and 12288, and is written only after the sync that it tells of.
/// Closing a journal writes both, so that one damaged page does not take the evidence with it. The
/// first group that a writer appends brings a mark with it that says so: if that is the newest one
/// when the journal is opened, nothing proves that the last transaction found was the last.
package struct DurableMark: Hashable, Sendable {
  package static let byteCount = 48

  package var generation: UInt64
  package var end: FrameEnd
  /// Whether more may have been appended, and synced, since this was written.
  package var isInUse: Bool

  package init(generation: UInt64, end: FrameEnd, isInUse: Bool = false) {
    self.generation = generation
    self.end = end
    self.isInUse = isInUse
  }

  package var sequence: SequenceNumber { end.sequence }

  /// Which of the two pages this generation stands in.
  package var pageOffset: UInt64 { JournalLayout.markOffsets[Int(generation % 2)] }

  package func bytes(salt: UInt64) -> [UInt8] {
    var page = PageWriter()
    page.append(generation)
    page.append(end)
    page.append(isInUse ? 1 : 0 as UInt64)
    page.appendCheck(seed: salt)
    return page.bytes
  }

  /// The mark in these bytes, or nil if they hold none of this journal.
  package init?(_ bytes: ByteView, salt: UInt64) {
    guard bytes.count >= DurableMark.byteCount else { return nil }
    let computed = bytes[0..<40].withSpan { XXH64.check($0, seed: salt) }
    guard bytes.load(40, as: UInt64.self) == computed else { return nil }
    self.init(
      generation: bytes.load(0, as: UInt64.self), end: FrameEnd(bytes, at: 8),
      isInUse: bytes.load(32, as: UInt8.self) != 0)
  }

  /// The mark that tells of the most.
  package static func newest(of marks: [DurableMark]) -> DurableMark? {
    marks.max { ($0.sequence, $0.generation) < ($1.sequence, $1.generation) }
  }
}

/// The two durable marks of a journal, and which of them is written next.
struct MarkPair {
  private(set) var newest: DurableMark
  /// Whether both pages tell of the newest mark's transaction, and alike of whether there may be
  /// more.
  private(set) var bothTell: Bool

  /// The marks that can be read of a journal.
  ///
  /// - Precondition: There is at least one, as there is in every journal that may be written to.
  init(_ marks: [DurableMark]) {
    guard let newest = DurableMark.newest(of: marks) else {
      preconditionFailure("a journal without a mark was opened for writing")
    }
    self.newest = newest
    bothTell = marks.count == 2 && marks.allSatisfy { $0.tellsAsMuch(as: newest) }
  }

  init(newest: DurableMark) {
    self.newest = newest
    bothTell = true
  }

  /// Writes a mark over the older one and syncs it.
  ///
  /// - Precondition: What it tells of has been synced.
  mutating func write(
    _ end: FrameEnd, isInUse: Bool, salt: UInt64, to file: any DiskFile
  ) throws(DiskError) {
    precondition(
      end.sequence >= newest.sequence, "a mark of \(end.sequence) after one of \(newest.sequence)")
    let mark = DurableMark(
      generation: newest.generation &+ 1, end: end, isInUse: isInUse)
    try write(mark, salt: salt, to: file)
    try file.sync()
  }

  /// Writes that the journal is in use, over the older mark. It tells of no more than the newest
  /// one did, and is left to the sync of the frames that come with it.
  mutating func beginUse(salt: UInt64, to file: any DiskFile) throws(DiskError) {
    precondition(!newest.isInUse, "the journal was in use since transaction \(newest.sequence)")
    var mark = newest
    mark.generation = newest.generation &+ 1
    mark.isInUse = true
    try write(mark, salt: salt, to: file)
  }

  private mutating func write(
    _ mark: DurableMark, salt: UInt64, to file: any DiskFile
  ) throws(DiskError) {
    let bytes = mark.bytes(salt: salt)
    try file.writeAll(bytes.span.bytes, at: mark.pageOffset)
    bothTell = newest.tellsAsMuch(as: mark)
    newest = mark
  }
}

extension DurableMark {
  fileprivate func tellsAsMuch(as other: DurableMark) -> Bool {
    sequence == other.sequence && isInUse == other.isInUse
  }
}
