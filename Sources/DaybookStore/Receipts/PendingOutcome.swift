import DaybookJournal

/// A save in a shared log whose outcome is not known: the transaction may or may not be in the log,
/// or fewer servers have it than the save requires.
///
/// A program can store the value, and ask for the outcome later, in a different process too:
///
/// ```swift
/// if let receipt = try await store.outcome(of: pending) {
///   print("saved as transaction \(receipt.sequence)")
/// } else {
///   print("not saved")
/// }
/// ```
public struct PendingOutcome: Hashable, Sendable, Codable {
  /// The name of the log in messages. It contains no password.
  public let log: String
  /// The idempotency key of the transaction. No other transaction of the log has it.
  public let idempotencyKey: String
  let journal: JournalIdentity
  let number: UInt64
  /// The checksum that ends the frame of the transaction.
  let checksum: UInt64

  /// The number of the transaction, if it is in the log. If it is not, a different transaction gets
  /// the number.
  public var sequence: SequenceNumber { SequenceNumber(number) }
}
