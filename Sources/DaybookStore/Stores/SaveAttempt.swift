import DaybookJournal
import Synchronization

/// The result of one attempt to number a proposal. To *number* a proposal means to give it a
/// transaction number and a position in the journal, and to apply its changes to the accepted
/// state.
///
/// ```
///   attempt ─▶ numbered ─▶ (the journal writes it) ─▶ published, or rolled back
///      ▲ │
///      │ ├─▶ nothing to write
///      │ ├─▶ outdated: the caller creates a new proposal
///      └─┴─▶ wait for an event
/// ```
enum SaveAttempt: Sendable {
  /// The proposal has a transaction number and is applied to the accepted state. The journal has
  /// not written it yet.
  case numbered(PendingAppend, ticket: UInt64)
  /// The save needs no further write: its changes are saved already, it changes nothing, or the
  /// journal is in memory. The receipt is nil if the save has no transaction.
  case done(Receipt?)
  /// The proposal cannot be numbered yet. The caller tries again after the event.
  case wait(SaveWait)
  /// The proposal was made for a state that is no longer the store's newest one, or that was rolled
  /// back. The caller makes a new proposal.
  case outdated
}

/// The event that a save waits for before it is attempted again.
enum SaveWait: Sendable {
  /// The transaction with this ticket is settled, that is, published or rolled back. The result of
  /// the save depends on the outcome.
  case settlement(ticket: UInt64)
  /// The hold with this number has ended: a `write` no longer has the exclusive right to number
  /// transactions. See ``NumberingHold``.
  case release(hold: UInt64)
}

/// The conditions under which the store gives a number to a proposal.
struct SaveConditions {
  /// The state that the proposal is made for.
  enum Basis {
    /// Any state. The store merges the proposal with its newest state.
    case any
    /// Any state, as long as the store's count of rollbacks has this value. One more rollback makes
    /// the proposal outdated.
    case rollBackCount(Int)
    /// The state with this mark, which must still be the accepted state. `holdsNumbering` indicates
    /// whether the caller has the exclusive right to number transactions.
    case state(AcceptedMark, holdsNumbering: Bool)
  }

  var basis = Basis.any
  /// A Boolean value that indicates whether a conflict or a violated rule fails the save at once.
  /// The transaction that causes the failure may still be rolled back.
  ///
  /// A save of a context starts with false, and continues with true after it has waited for one
  /// settlement. So it waits only once for that reason. A `write` starts with true, because its
  /// body has read the accepted state, transactions in flight included.
  var isLastTry = false

  /// Returns the result of an attempt that cannot number the proposal, whatever the proposal
  /// contains; nil if nothing prevents the numbering.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`, if a transaction in the state
  ///   of the basis was rolled back.
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
    try read.checkNotRolledBack(path: path)
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
  func checkNotRolledBack(path: String) throws(StoreError) {
    guard let last, last.isRolledBack else { return }
    throw StoreError(.journal(JournalError(.precedingRefused, path: path)), path: path)
  }
}

/// The exclusive right to number transactions, which one call of `write` at a time can hold. If the
/// body of a `write` has read a state that is not the newest any more, the call takes the hold and
/// runs the body again. All other saves wait during a hold, so no save makes the second run
/// outdated.
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

/// A transaction in flight, with the data that a rollback needs. The accepted state contains its
/// changes, and readers do not see them yet.
final class InFlight: Sendable {
  /// A number that identifies the transaction. A sequence number does not identify it, because it
  /// is used again after a rollback.
  let ticket: UInt64
  let sequence: SequenceNumber
  /// The idempotency key of the save.
  let key: String?
  /// The offset of the end of the transaction's frame in the file; 0 if the transaction is not in a
  /// file.
  let end: UInt64
  /// The parts of the core as they were before the transaction.
  let previous: Previous
  let changes: [RowChange]
  private let rolledBack = Atomic(false)

  /// The parts of the core that a rollback of the transaction restores.
  struct Previous {
    /// The state before the transaction, which readers see until the transaction is published. Nil
    /// if the transaction before it is in flight in the same group: both are published together, so
    /// readers never see the state between them.
    var published: FrozenState?
    var head: StoreState.Head
    /// The layouts that no transaction before this one contains.
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

/// A transaction that the journal has given a number and a position, as `StoreCore.add` receives
/// it.
struct NumberedTransaction: Sendable {
  var payload: [UInt8]
  var location: RowLocation
  var sequence: SequenceNumber
  var time: JournalTime
  /// The idempotency key of the save, if it has one.
  var key: String?
  /// A Boolean value that indicates whether the transaction is in the same group as the transaction
  /// before it.
  ///
  /// Readers then never see the state between the two transactions, so the core makes no frozen
  /// state of it. Its pages can be edited in place instead of copied.
  var isTogether: Bool
}
