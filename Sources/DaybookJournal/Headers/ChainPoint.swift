/// A point in the history of a journal, identified by its last transaction.
///
/// The head of a journal is such a point, and so is the base of a compacted journal.
public struct ChainPoint: Hashable, Sendable {
  /// The number of the last transaction; 0 before the first one.
  public var sequence: SequenceNumber
  /// The time of that transaction.
  public var time: JournalTime
  /// The checksum that ends its frame. It covers everything before it, so two journals with the
  /// same checksum have the same history up to this point.
  public var check: UInt64

  /// Creates a point. Use this for your own journal types.
  public init(sequence: SequenceNumber, time: JournalTime, check: UInt64) {
    self.sequence = sequence
    self.time = time
    self.check = check
  }

  /// The base of a journal that contains its whole history.
  package static let noBase = ChainPoint(sequence: .zero, time: .distantPast, check: 0)
}

/// The end of a transaction's frame, as durability marks and the committed end record it.
///
/// It is a chain point without the time, which those two do not store, and with the offset.
package struct FrameEnd: Hashable, Sendable {
  /// The number of the transaction; the base sequence or 0 before the first one.
  package var sequence: SequenceNumber
  /// The end offset of its frame.
  package var offset: UInt64
  /// The checksum that ends its frame; the checksum of the header page if there is no frame yet.
  package var check: UInt64

  package init(sequence: SequenceNumber, offset: UInt64, check: UInt64) {
    self.sequence = sequence
    self.offset = offset
    self.check = check
  }
}

extension FrameEnd {
  /// Creates an end from three numbers of eight bytes, as marks and the committed end store it.
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
