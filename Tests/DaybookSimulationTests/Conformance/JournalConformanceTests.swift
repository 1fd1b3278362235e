import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

@Suite("Conformance of journals") struct JournalConformanceTests {
  private var options: ConformanceOptions {
    ConformanceOptions(seed: 1, roundCount: FaultRow.count(20, full: 1000, least: 4))
  }

  @Test func `a journal in memory obeys the laws`() async throws {
    try await checkConformance(of: { MemoryJournal() }, options: options)
  }

  @Test func `a journal in a file obeys the laws`() async throws {
    try await TemporaryDirectory.with { directory in
      let counter = SharedGenerator(seed: 1)
      try await checkConformance(
        of: { try FileJournal(at: directory.path("\(counter.next()).daybook")) },
        reopening: { try FileJournal(at: $0.path) }, options: options)
    }
  }

  private func sentence(_ fault: WrongJournal.Fault) async -> String {
    var options = ConformanceOptions(seed: 1, roundCount: 1)
    options.patience = .zero
    do {
      try await checkConformance(of: { WrongJournal(fault) }, options: options)
      return "no problem"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    (WrongJournal.Fault.correct, "no problem"),
    (
      .ignoresExpectation,
      """
      seed 1, round 0: An append that expected the head 16 appended transaction 18, but the accepted head is \
      transaction 17. Expected a conflict with this head.
      """
    ),
    (
      .acceptsAfterClose,
      """
      seed 1, round 0: An append after close returned a result. Expected an error with closed.
      """
    ),
    (
      .readerSkipsFirst,
      """
      seed 1, round 0: A reader returned transaction 2 where the receipts have transaction 1, or with other \
      contents.
      """
    ),
    (
      .followsAnyHistory,
      """
      seed 1, round 0: A follower after transaction 3 returned transaction 1 where transaction 4 was expected.
      """
    ),
    (
      .dropsTimes,
      """
      seed 1, round 0: Transaction 1 was appended at 1677-09-21T00:12:43.145224581Z and has the time \
      2026-01-01T00:00:00Z. Expected 1677-09-21T00:12:43.145224581Z.
      """
    ),
  ]) func `a journal that breaks one law is named`(
    _ fault: WrongJournal.Fault, _ expected: String
  ) async {
    let found = await sentence(fault)
    #expect(found == expected)
  }
}

/// A journal in memory with one fault.
final class WrongJournal: Journal {
  enum Fault: Hashable, Sendable {
    case correct, ignoresExpectation, acceptsAfterClose, readerSkipsFirst, followsAnyHistory
    case dropsTimes
  }

  private let fault: Fault
  private let journal = MemoryJournal(clock: ManualClock())

  init(_ fault: Fault) { self.fault = fault }

  var head: ChainPoint { journal.head }
  var acceptedHead: ChainPoint { journal.acceptedHead }

  func append(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) async throws(JournalError) -> AppendOutcome {
    try journal.appendAndWait(
      payload, at: fault == .dropsTimes ? nil : time,
      expecting: fault == .ignoresExpectation ? nil : expected)
  }

  func appendAndWait(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) throws(JournalError) -> AppendOutcome {
    try journal.appendAndWait(
      payload, at: fault == .dropsTimes ? nil : time,
      expecting: fault == .ignoresExpectation ? nil : expected)
  }

  func transactions(from first: SequenceNumber) throws(JournalError) -> TransactionReader {
    journal.transactions(from: fault == .readerSkipsFirst ? first.next : first)
  }

  func follow(after last: ChainPoint?) throws(JournalError) -> any JournalFollower {
    try journal.follow(after: fault == .followsAnyHistory ? nil : last)
  }

  func close() async throws(JournalError) { try closeAndWait() }

  func closeAndWait() throws(JournalError) {
    if fault != .acceptsAfterClose { journal.close() }
  }
}
