/// The layout of a frame: one checksummed record of the journal. Each transaction is one frame.
///
/// ```
///   0  payload length  u32   1 … 2^30 bytes
///   4  kind            u8    1 transaction, 2 base, 3 base end, 4 shared base end
///   5  flags           u8    0
///   6  reserved        u16   0
///   8  sequence        u64   the transaction's number; in a base see below
///  16  time            i64   nanoseconds since 1970
///  24  durable         u64   the highest sequence known to be synced when this was written
///  32  previous check  u64   the checksum that ends the previous frame
///  40  header check    u64   the checksum of the 40 bytes above
///  48  payload
///   …  padding               zeros, to a multiple of 8
///   …  frame check     u64   the checksum of everything above
/// ```
///
/// The sequence of a base frame and of its end is 0. In the base of a shared log, a base frame can
/// have the number of a dropped transaction: its payload is the part of that transaction which is
/// still needed. The end of such a base has the base's number and a checksum in its payload. Its
/// field *frame check* is the header's base check:
///
/// ```
///  48  frame count     u64   the number of base frames
///  56  end check       u64   the checksum of the 56 bytes above
///  64  frame check     u64   the base check of the header
/// ```
///
/// So the first transaction after such a base has the same bytes as in a file with all history.
///
/// Numbers are little-endian. Checksums are XXH64, seeded with the journal's salt. Frames follow
/// each other without a gap, so each frame starts at a multiple of eight. `Journal/FORMAT.md` has
/// the same drawing and a worked example.
package enum Frame {
  package static let headerByteCount = 48
  /// The number of header bytes before the header's own checksum.
  package static let checkedHeaderByteCount = 40
  package static let checksumByteCount = 8
  /// The size of the payload of a shared base end: the number of base frames, and the end check.
  package static let sharedBaseEndByteCount = 16
  package static let alignment = 8
  /// The size of the largest payload, 1 GiB. A journal refuses a larger payload before it writes
  /// anything.
  package static let payloadByteCountMax = 1 << 30

  /// Returns the size of the whole frame for a payload size.
  package static func byteCount(payload: Int) -> Int {
    headerByteCount + paddedByteCount(payload) + checksumByteCount
  }

  /// Returns the end offset of a frame, from the size and the start offset of its payload.
  package static func end(ofPayload byteCount: Int, at offset: UInt64) -> UInt64 {
    offset - UInt64(headerByteCount) + UInt64(self.byteCount(payload: byteCount))
  }

  package static func paddedByteCount(_ byteCount: Int) -> Int {
    (byteCount + alignment - 1) & ~(alignment - 1)
  }
}

/// The kind of a frame's content.
package struct FrameKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// One transaction.
  package static let transaction = FrameKind(rawValue: 1)
  /// A piece of the state that a compacted journal starts with.
  package static let base = FrameKind(rawValue: 2)
  /// The end of the base. The payload is the number of base frames, a u64.
  package static let baseEnd = FrameKind(rawValue: 3)
  /// The end of a base that replaces the first transactions of a shared log. Its frame check is the
  /// base check of the header, so that the next transaction keeps its bytes.
  package static let sharedBaseEnd = FrameKind(rawValue: 4)

  /// A Boolean value that indicates whether the frame ends a base.
  package var endsBase: Bool { self == .baseEnd || self == .sharedBaseEnd }

  /// A Boolean value that indicates whether a reader may skip the frame if it does not recognize
  /// the kind.
  package var isSkippable: Bool { rawValue & 0x80 != 0 }
}

/// The decoded first 48 bytes of a frame.
package struct FrameHeader: Hashable, Sendable {
  package var payloadByteCount: Int
  package var kind: FrameKind
  package var flags: UInt8 = 0
  package var reserved: UInt16 = 0
  package var sequence: SequenceNumber
  package var time: JournalTime
  /// The last transaction that was known to be synced when this frame was built; 0 if there was
  /// none.
  package var durable: SequenceNumber
  package var previousChecksum: UInt64

  package init(
    payloadByteCount: Int, kind: FrameKind, sequence: SequenceNumber, time: JournalTime,
    durable: SequenceNumber, previousChecksum: UInt64
  ) {
    self.payloadByteCount = payloadByteCount
    self.kind = kind
    self.sequence = sequence
    self.time = time
    self.durable = durable
    self.previousChecksum = previousChecksum
  }

  /// Creates a header from bytes, without validating the bytes.
  @inline(__always)
  package init(_ bytes: RawSpan, at offset: Int) {
    func load<Number: FixedWidthInteger & BitwiseCopyable>(
      _ fieldOffset: Int, as _: Number.Type
    ) -> Number {
      Number(
        littleEndian: bytes.unsafeLoadUnaligned(
          fromByteOffset: offset + fieldOffset, as: Number.self))
    }
    payloadByteCount = Int(load(0, as: UInt32.self))
    kind = FrameKind(rawValue: load(4, as: UInt8.self))
    flags = load(5, as: UInt8.self)
    reserved = load(6, as: UInt16.self)
    sequence = SequenceNumber(load(8, as: UInt64.self))
    time = JournalTime(nanoseconds: load(16, as: Int64.self))
    durable = SequenceNumber(load(24, as: UInt64.self))
    previousChecksum = load(32, as: UInt64.self)
  }

  /// The size of the whole frame in bytes.
  package var frameByteCount: Int { Frame.byteCount(payload: payloadByteCount) }
}
