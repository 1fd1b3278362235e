import DaybookJournal
import Synchronization

/// A transaction that has been folded and has not been written yet, with what is needed to take it back.
final class OnTheWay: Sendable {
  /// Tells it from every other, as numbers are given again after one is taken back.
  let ticket: UInt64
  let sequence: SequenceNumber
  /// The idempotency key that it is saved with.
  let key: String?
  /// The offset of the end of its frame in the file; 0 if it is not in a file.
  let end: UInt64
  /// The parts of the core before the transaction.
  let previous: Previous
  let changes: [RowChange]
  private let takenBack = Atomic(false)

  /// The parts of the core that taking a transaction back restores.
  struct Previous {
    /// The state that readers are shown until the transaction is written; nil if it is written together with
    /// the transaction before it, as readers are never shown that one alone.
    var shown: FrozenState?
    var head: StoreState.Head
    /// The layouts that the transaction is the first to contain.
    var unwrittenLayouts: [Layout]
    /// The number of bytes of payloads after the last one that contains all layouts.
    var byteCountSinceLayouts: Int
  }

  init(
    _ transaction: NumberedTransaction, ticket: UInt64, after previous: Previous,
    changes: [RowChange]
  ) {
    self.ticket = ticket
    sequence = transaction.sequence
    key = transaction.key
    let isInFile = transaction.location.region == .file
    end =
      isInFile
      ? Frame.end(ofPayload: transaction.payload.count, at: transaction.location.rawValue) : 0
    self.previous = previous
    self.changes = changes
  }

  /// A Boolean value that indicates whether it was taken back, as it could not be written.
  var isTakenBack: Bool { takenBack.load(ordering: .acquiring) }

  func noteTakenBack() { takenBack.store(true, ordering: .releasing) }
}

/// A transaction that has its number and its place, and is not written yet.
struct NumberedTransaction: Sendable {
  var payload: [UInt8]
  var location: RowLocation
  var sequence: SequenceNumber
  var time: JournalTime
  /// The idempotency key that it is saved with, if it has one.
  var key: String?
  /// A Boolean value that indicates whether it will be written together with the one before it. Readers are
  /// then never shown that one alone. If nobody else has the state between the two either, its pages need no copies.
  var isTogether: Bool
}
