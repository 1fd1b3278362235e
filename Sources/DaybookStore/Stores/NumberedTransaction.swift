import DaybookJournal

/// A transaction that has its number and its place, and is not written yet.
struct NumberedTransaction: Sendable {
  var payload: [UInt8]
  var location: RowLocation
  var sequence: SequenceNumber
  var time: JournalTime
  /// The idempotency key that it is saved with, if it has one.
  var key: String?
  /// Whether it will be written together with the one before it, so that nobody is shown that one without it. If
  /// nobody else has the state between the two either, its pages need no copies.
  var isTogether: Bool
}
