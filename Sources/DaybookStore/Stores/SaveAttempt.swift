import DaybookJournal
import Synchronization

/// The result of one attempt to number a proposal.
///
/// ```
///   attempt ─▶ numbered ─▶ (the journal writes it) ─▶ published, or rolled back
///      ▲ │
///      │ ├─▶ nothing to write
///      │ ├─▶ outdated: the caller creates another proposal
///      └─┴─▶ wait for an event
/// ```
enum SaveAttempt: Sendable {
  /// The proposal has its number and is applied to the accepted state, but it is not written yet.
  case numbered(PendingAppend, ticket: UInt64)
  /// The save has nothing to write: its changes are saved already, or the proposal changes nothing.
  case done(Receipt?)
  /// The proposal cannot be numbered yet. The caller attempts it again after the event.
  case wait(SaveWait)
  /// The proposal was made for a state that the store has left.
  case outdated
}

/// The event that a save waits for before it is attempted again.
enum SaveWait: Sendable {
  /// The transaction with this ticket is settled, that is, published or rolled back. The result
  /// depends on it.
  case settlement(ticket: UInt64)
  /// The body of a write that alone may number transactions has ended. The number is that of its
  /// hold.
  case release(hold: UInt64)
}

/// The conditions under which a proposal is numbered.
struct SaveConditions {
  /// The state that the proposal is made for.
  enum Basis {
    /// Any state: the proposal is merged with it.
    case any
    /// A state after this number of rollbacks. Another rollback makes the proposal outdated.
    case rollBackCount(Int)
    /// The newest accepted state only. `holdsNumbering` indicates whether the caller alone may
    /// number transactions.
    case state(AcceptedMark, holdsNumbering: Bool)
  }

  var basis = Basis.any
  /// A Boolean value that indicates whether an obstacle refuses the save, even if the transaction
  /// that causes it may still be rolled back.
  ///
  /// It is false until the save has waited for one settlement. So a save waits for other saves a
  /// bounded time.
  var isLastTry = false

  /// Returns the attempt that ends before the proposal is examined; nil if the proposal may be
  /// numbered.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`, if a transaction of its basis
  ///   was rolled back.
  func obstacle(in core: borrowing StoreCore, path: String) throws(StoreError) -> SaveAttempt? {
    var holdsNumbering = false
    switch basis {
    case .any: break
    case .rollBackCount(let count):
      if count != core.rollBackCount { return .outdated }
    case .state(_, let holds): holdsNumbering = holds
    }
    if core.numberingHold.isHeld, !holdsNumbering {
      return .wait(.release(hold: core.numberingHold.count))
    }
    guard case .state(let read, _) = basis else { return nil }
    try read.checkKept(path: path)
    return core.isNewer(than: read) ? .outdated : nil
  }
}

/// The identity of an accepted state, and the last transaction in it that may be rolled back.
struct AcceptedMark: Sendable {
  let sequence: SequenceNumber
  let rollBackCount: Int
  /// The last transaction in flight; nil if the state contains none.
  let last: InFlight?

  /// Checks that no transaction in the state was rolled back.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`
  func checkKept(path: String) throws(StoreError) {
    guard let last, last.isRolledBack else { return }
    throw StoreError(.journal(JournalError(.precedingRefused, path: path)), path: path)
  }
}

/// The exclusive right to number transactions. One body of a write at a time can hold it.
struct NumberingHold {
  private(set) var isHeld = false
  /// The number of holds that have started.
  private(set) var count: UInt64 = 0

  mutating func begin() {
    precondition(!isHeld, "two write bodies reserved the next transaction number")
    isHeld = true
    count += 1
  }

  mutating func end() { isHeld = false }
}

/// A transaction in flight: applied to the accepted state but not written yet, with the data that a
/// rollback needs.
final class InFlight: Sendable {
  /// A number that identifies the transaction. Sequence numbers do not: they are reused after a
  /// rollback.
  let ticket: UInt64
  let sequence: SequenceNumber
  /// The idempotency key of the save.
  let key: String?
  /// The offset of the end of its frame in the file; 0 if the transaction is not in a file.
  let end: UInt64
  /// The parts of the core before the transaction.
  let previous: Previous
  let changes: [RowChange]
  private let rolledBack = Atomic(false)

  /// The parts of the core that a rollback of the transaction restores.
  struct Previous {
    /// The state that readers see until the transaction is written; nil if the transaction is
    /// written together with the transaction before it, because readers never see that one alone.
    var published: FrozenState?
    var head: StoreState.Head
    /// The layouts that the transaction is the first to contain.
    var unwrittenLayouts: [Layout]
    /// The number of payload bytes after the last payload that contains all layouts.
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

  /// A Boolean value that indicates whether the transaction was rolled back because it could not be
  /// written.
  var isRolledBack: Bool { rolledBack.load(ordering: .acquiring) }

  func markRolledBack() { rolledBack.store(true, ordering: .releasing) }
}

/// A transaction that has its number and its position, but is not written yet.
struct NumberedTransaction: Sendable {
  var payload: [UInt8]
  var location: RowLocation
  var sequence: SequenceNumber
  var time: JournalTime
  /// The idempotency key of the save, if it has one.
  var key: String?
  /// A Boolean value that indicates whether the transaction is written together with the one before
  /// it.
  ///
  /// Readers then never see the state between the two. If no other reference to that state exists,
  /// its pages need not be copied.
  var isTogether: Bool
}
