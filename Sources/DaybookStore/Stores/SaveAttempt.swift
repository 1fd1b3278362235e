import DaybookJournal
import Synchronization

/// The result of one attempt to give a proposal its number.
///
/// ```
///   attempt ─▶ numbered ─▶ (the journal writes it) ─▶ shown to readers, or taken back
///      ▲ │
///      │ ├─▶ nothing to write
///      │ ├─▶ outdated: the caller makes another proposal
///      └─┴─▶ wait for an event
/// ```
enum SaveAttempt: Sendable {
  /// The proposal has its number, is folded into the accepted state, and is not written yet.
  case numbered(PendingAppend, ticket: UInt64)
  /// The save has nothing to write: the same is saved already, or the proposal changes nothing.
  case done(Receipt?)
  /// The proposal cannot be numbered yet. The caller attempts it again after an event.
  case wait(SaveWait)
  /// The proposal was made on a basis that the store has left.
  case outdated
}

/// The event that a save waits for before it is attempted again.
enum SaveWait: Sendable {
  /// The transaction with this ticket is settled, one way or the other: the outcome depends on it.
  case settlement(ticket: UInt64)
  /// The body of a write, which alone may number transactions, has ended: the one with this number.
  case release(hold: UInt64)
}

/// The conditions under which a proposal is numbered.
struct SaveConditions {
  /// The state that the proposal is made for.
  enum Basis {
    /// Any state: the proposal is merged onto it.
    case any
    /// A state before which transactions were taken back so many times.
    case takeBackCount(Int)
    /// The newest state of all. Whether the caller alone may number transactions.
    case state(AcceptedMark, holdsNumbering: Bool)
  }

  var basis = Basis.any
  /// A Boolean value that indicates whether an obstacle is a reason to refuse, although it may be taken back itself.
  ///
  /// It is false until the save has waited for a settlement, so that each save waits for others a bounded time.
  var isLastTry = false

  /// Returns the attempt that ends before the proposal is looked at; nil if it may be numbered.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`, if a transaction of its basis was taken back.
  func obstacle(in core: borrowing StoreCore, path: String) throws(StoreError) -> SaveAttempt? {
    var holdsNumbering = false
    switch basis {
    case .any: break
    case .takeBackCount(let count):
      if count != core.takeBackCount { return .outdated }
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

/// An accepted state, told from every other, and the last transaction in it that may be taken back.
struct AcceptedMark: Sendable {
  let sequence: SequenceNumber
  let takeBackCount: Int
  /// Nil if none of it can be taken back.
  let last: OnTheWay?

  /// Checks that no transaction in the state was taken back.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`
  func checkKept(path: String) throws(StoreError) {
    guard let last, last.isTakenBack else { return }
    throw StoreError(.journal(JournalError(.precedingRefused, path: path)), path: path)
  }
}

/// The right to number transactions, which one body of a write may have alone.
struct NumberingHold {
  private(set) var isHeld = false
  /// The number of holds so far.
  private(set) var count: UInt64 = 0

  mutating func begin() {
    precondition(!isHeld, "two bodies hold the numbering of one store")
    isHeld = true
    count += 1
  }

  mutating func end() { isHeld = false }
}

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
