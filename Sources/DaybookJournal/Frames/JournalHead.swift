/// How far a journal has come.
public struct JournalHead: Hashable, Sendable {
  /// The last transaction, 0 if there is none.
  public var sequence: SequenceNumber
  /// Its time.
  public var time: JournalTime
  /// The check that ends its frame, which covers everything before it: two journals that agree in
  /// it agree in all their history.
  public var check: UInt64

  /// A head, for journals of your own.
  public init(sequence: SequenceNumber, time: JournalTime, check: UInt64) {
    self.sequence = sequence
    self.time = time
    self.check = check
  }

  package init(_ chain: FrameChain) {
    self.init(sequence: chain.sequence, time: chain.time, check: chain.check)
  }
}
