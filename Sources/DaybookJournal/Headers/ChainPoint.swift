/// A point in the history of a journal, identified by its last transaction.
///
/// The head of a journal is a chain point, and the base of a compacted journal is a chain point
/// too.
public struct ChainPoint: Hashable, Sendable {
  /// The number of the last transaction; 0 before the first one.
  public var sequence: SequenceNumber
  /// The time of the last transaction.
  public var time: JournalTime
  /// The checksum at the end of the last transaction's frame. This checksum depends on every
  /// earlier byte of the journal. So two journals with the same checksum have the same history up
  /// to this point.
  public var checksum: UInt64

  /// Creates a chain point, for your own journal types.
  public init(sequence: SequenceNumber, time: JournalTime, checksum: UInt64) {
    self.sequence = sequence
    self.time = time
    self.checksum = checksum
  }

  /// The base of a journal that contains its whole history.
  package static let noBase = ChainPoint(sequence: .zero, time: .distantPast, checksum: 0)
}

/// The end of a transaction's frame, as durability marks and the committed end record it.
///
/// A frame end contains the number and the checksum of a chain point, and the offset of the end. A
/// frame end has no time, because marks and the committed end do not store the time.
package struct FrameEnd: Hashable, Sendable {
  /// The number of the transaction. Before the first transaction, it is the number of the base, or
  /// 0 if the journal has no base.
  package var sequence: SequenceNumber
  /// The end offset of the transaction's frame.
  package var offset: UInt64
  /// The checksum at the end of the transaction's frame; the checksum of the header page if there
  /// is no frame yet.
  package var checksum: UInt64

  package init(sequence: SequenceNumber, offset: UInt64, checksum: UInt64) {
    self.sequence = sequence
    self.offset = offset
    self.checksum = checksum
  }
}

extension FrameEnd {
  /// Creates an end from three numbers of eight bytes, as marks and the committed end store it.
  init(_ bytes: ByteView, at offset: Int) {
    self.init(
      sequence: SequenceNumber(bytes.load(offset, as: UInt64.self)),
      offset: bytes.load(offset + 8, as: UInt64.self),
      checksum: bytes.load(offset + 16, as: UInt64.self))
  }
}

extension PageWriter {
  mutating func append(_ end: FrameEnd) {
    append(end.sequence.rawValue)
    append(end.offset)
    append(end.checksum)
  }
}
