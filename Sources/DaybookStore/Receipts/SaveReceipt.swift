import DaybookJournal

/// What a store says of a transaction that it has saved.
public struct SaveReceipt: Hashable, Sendable {
  /// The transaction's number.
  public let sequence: SequenceNumber
  /// The time it was recorded with.
  public let time: JournalTime
  /// How safe it is.
  public let safety: Receipt.Safety
  /// Whether a transaction with the same idempotency key had been saved before: this is its receipt,
  /// and nothing was saved now.
  public let isRepeated: Bool

  init(sequence: SequenceNumber, time: JournalTime, safety: Receipt.Safety, isRepeated: Bool) {
    self.sequence = sequence
    self.time = time
    self.safety = safety
    self.isRepeated = isRepeated
  }
}
