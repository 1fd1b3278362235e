/// A transaction as the journal knows it.
public struct JournalTransaction: Sendable {
  /// Its number.
  public let sequence: SequenceNumber
  /// When it was recorded.
  public let time: JournalTime
  /// Its bytes, which stay readable for as long as this value is kept.
  public let payload: ByteView
  /// The check that ends its frame.
  public let check: UInt64

  package init(
    sequence: SequenceNumber, time: JournalTime, payload: ByteView, check: UInt64
  ) {
    self.sequence = sequence
    self.time = time
    self.payload = payload
    self.check = check
  }

  /// How far a reader of this transaction has come.
  public var head: JournalHead { JournalHead(sequence: sequence, time: time, check: check) }
}
