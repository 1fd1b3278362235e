import DaybookJournal

/// The place of a value that is too large for a row: where it stands, its length, and its check.
///
/// ```
///   0  sequence  u64   the transaction that it stands in; 0 for that of the row itself
///   8  offset    u32   from the beginning of that transaction's payload
///  12  length    u32
///  16  check     u64   XXH64 of the value, with the seed 0
/// ```
package struct StoredValue: Hashable, Sendable {
  /// Values above so many bytes are stored once, and rows hold their places.
  package static let byteCountMin = 513
  package static let byteCount = 24

  package var sequence: UInt64
  package var offset: UInt32
  package var length: UInt32
  package var check: UInt64

  package init(sequence: UInt64, offset: UInt32, length: UInt32, check: UInt64) {
    self.sequence = sequence
    self.offset = offset
    self.length = length
    self.check = check
  }

  /// Returns the same value at a later offset.
  func shifted(by byteCount: UInt32) -> StoredValue {
    StoredValue(sequence: sequence, offset: offset + byteCount, length: length, check: check)
  }

  package init?(_ bytes: RawSpan) {
    guard bytes.byteCount == StoredValue.byteCount,
      let sequence = bytes.number(at: 0, as: UInt64.self),
      let offset = bytes.number(at: 8, as: UInt32.self),
      let length = bytes.number(at: 12, as: UInt32.self),
      let check = bytes.number(at: 16, as: UInt64.self)
    else { return nil }
    self.init(sequence: sequence, offset: offset, length: length, check: check)
  }

  package func append(to buffer: inout RowBuffer) {
    buffer.append(sequence)
    buffer.append(offset)
    buffer.append(length)
    buffer.append(check)
  }
}

/// Where the bytes of a value are.
package struct ValuePlace: Hashable, Sendable {
  var location: RowLocation
  var byteCount: Int

  /// Hands out the bytes; none if they are not there.
  func withBytes<Result>(
    in memory: RowMemory, _ body: (RawSpan) -> Result
  ) -> Result {
    memory.withBytes(at: location) { bytes in
      guard bytes.byteCount >= byteCount else { return body(RawSpan()) }
      return body(bytes.extracting(0..<byteCount))
    }
  }
}
