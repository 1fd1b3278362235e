/// A point in the history of a journal: its last transaction so far.
///
/// The head of a journal is one, and so is the base of a compacted one.
public struct ChainPoint: Hashable, Sendable {
  /// The last transaction, 0 if there is none.
  public var sequence: SequenceNumber
  /// Its time.
  public var time: JournalTime
  /// The check that ends its frame, which covers everything before it: two journals that agree in
  /// it agree in all their history.
  public var check: UInt64

  /// Creates a point, for journals of your own.
  public init(sequence: SequenceNumber, time: JournalTime, check: UInt64) {
    self.sequence = sequence
    self.time = time
    self.check = check
  }

  /// The base of a journal that has its whole history.
  package static let noBase = ChainPoint(sequence: .zero, time: .distantPast, check: 0)
}

/// The end of a transaction's frame, as durable marks and the committed end name it.
///
/// It is a point of the chain without the time, which neither of them stores, and with the offset.
package struct FrameEnd: Hashable, Sendable {
  /// The transaction; the base, or 0, if there is none yet.
  package var sequence: SequenceNumber
  /// The offset at which its frame ends.
  package var offset: UInt64
  /// The check that ends its frame; the check of the header's page if there is no frame yet.
  package var check: UInt64

  package init(sequence: SequenceNumber, offset: UInt64, check: UInt64) {
    self.sequence = sequence
    self.offset = offset
    self.check = check
  }
}

extension FrameEnd {
  /// Reads an end as marks and the committed end store it: three numbers of eight bytes.
  init(_ bytes: ByteView, at offset: Int) {
    self.init(
      sequence: SequenceNumber(bytes.load(offset, as: UInt64.self)),
      offset: bytes.load(offset + 8, as: UInt64.self),
      check: bytes.load(offset + 16, as: UInt64.self))
  }
}

extension PageWriter {
  mutating func append(_ end: FrameEnd) {
    append(end.sequence.rawValue)
    append(end.offset)
    append(end.check)
  }
}
