import DaybookJournal
import Synchronization

/// A transaction that has been folded and has not been written yet, with what is needed to take it back.
final class OnTheWay: Sendable {
  /// Tells it from every other, as numbers are given again after one is taken back.
  let ticket: UInt64
  let sequence: SequenceNumber
  /// The idempotency key that it is saved with.
  let key: String?
  /// Where its frame ends, if that has a place in the file.
  let end: UInt64
  /// What readers are shown until it is written; nil if it is written together with the one before it, as then
  /// nobody is ever shown that one alone.
  let before: FrozenState?
  /// What the state had before it.
  let headBefore: StoreState.Head
  let changes: [RowChange]
  /// Layouts that it was the first to tell of.
  let newLayouts: [Layout]
  /// How many bytes of payloads there were before it since one told of all layouts.
  let byteCountSinceLayouts: Int
  private let takenBack = Atomic(false)

  init(
    ticket: UInt64, sequence: SequenceNumber, key: String?, end: UInt64, before: FrozenState?,
    headBefore: StoreState.Head, changes: [RowChange], newLayouts: [Layout],
    byteCountSinceLayouts: Int
  ) {
    self.ticket = ticket
    self.sequence = sequence
    self.key = key
    self.end = end
    self.before = before
    self.headBefore = headBefore
    self.changes = changes
    self.newLayouts = newLayouts
    self.byteCountSinceLayouts = byteCountSinceLayouts
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
