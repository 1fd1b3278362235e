import DaybookJournal
import DaybookSimulation
import Testing

/// The conditions that must be true of a journal after any fault.
///
/// 1. Every transaction acknowledged as durable exists once, byte for byte.
/// 2. The transactions are a prefix of the submitted ones, without a gap.
/// 3. No transaction is partial.
/// 4. Sequence numbers have no gaps.
/// 5. Opening the journal again changes nothing.
/// 6. Appending and reopening work.
struct Oracle {
  /// All payloads that were submitted to the journal, in order.
  var submitted: [[UInt8]]
  /// The number of payloads that were acknowledged as durable.
  var acknowledgedCount: Int

  /// Opens the journal on a disk and checks the six conditions.
  ///
  /// - Returns: The number of transactions in the journal.
  @discardableResult
  func check(
    _ disk: SimulatedDisk, at path: String = ReferenceJournal.path,
    _ what: @autoclosure () -> String
  ) -> Int {
    do {
      let journal = try FileJournal(at: path, options: .simulated(disk))
      let count = try readAll(journal, what())
      try journal.closeAndWait()

      let before = disk.contents(of: path)
      let second = try FileJournal(at: path, options: .simulated(disk))
      expect(second.report.isUneventful, "opening again: \(second.report)", what())
      expect(disk.contents(of: path) == before, "opening again changed the file", what())
      let payload: [UInt8] = [0xDA, 0xB0]
      try second.mustAppend(payload)
      try second.closeAndWait()

      let third = try FileJournal(at: path, options: .simulated(disk))
      expect(third.head.sequence.rawValue == UInt64(count + 1), "the append is not there", what())
      var reader = try third.transactions(from: third.head.sequence)
      let appended = try reader.next()?.payload.copy()
      expect(appended == payload, "the append has other bytes", what())
      try third.closeAndWait()
      return count
    } catch {
      Issue.record("\(what()): \(error)")
      return 0
    }
  }

  /// Reads every transaction and compares it with the submitted one.
  func readAll(_ journal: FileJournal, _ what: @autoclosure () -> String) throws -> Int {
    var count = Int(journal.header.base.sequence.rawValue)
    if count > 0 {
      let base = try journal.base().map { $0.copy() }
      expect(base == [JournalWork.compactedState], "the base is \(base)", what())
    }
    var reader = try journal.transactions(from: SequenceNumber(UInt64(count + 1)))
    while let transaction = try reader.next() {
      let isNext = transaction.sequence.rawValue == UInt64(count + 1)
      expect(isNext, "\(transaction.sequence) follows \(count)", what())
      let isSubmitted =
        count < submitted.count && transaction.payload.copy() == submitted[count]
      expect(isSubmitted, "transaction \(count + 1) was not submitted so", what())
      count += 1
    }
    expect(journal.head.sequence.rawValue == UInt64(count), "head is \(journal.head)", what())
    expect(count >= acknowledgedCount, "\(acknowledgedCount) acknowledged, \(count) there", what())
    return count
  }

  private func expect(
    _ isTrue: Bool, _ why: @autoclosure () -> String,
    _ what: @autoclosure () -> String
  ) {
    // The description is expensive, so it is made only for a failure.
    if !isTrue { Issue.record("\(what()): \(why())") }
  }
}
