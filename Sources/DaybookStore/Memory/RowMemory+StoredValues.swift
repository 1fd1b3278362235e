import DaybookJournal

extension RowMemory {
  /// Calls a closure with the row at a location, after replacing references by the values that are
  /// stored outside of the row.
  package func withCompleteRow<Result, Failure: Error>(
    at location: RowLocation, layouts: LayoutTable,
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes(at: location) { (row) throws(Failure) -> Result in
      guard Layout.hasStoredValues(row), let number = Layout.number(of: row),
        let layout = layouts[number]
      else { return try body(row) }
      let complete = layout.completed(row) { value, buffer in
        append(value, of: location, to: &buffer)
      }
      return try body(complete.span.bytes)
    }
  }

  /// Appends a value that is stored outside of its row. The value exists, because the store
  /// verified this when it applied the row.
  private func append(_ value: StoredValue, of row: RowLocation, to buffer: inout RowBuffer) {
    withStoredValue(value, of: row) { bytes in
      if let bytes { buffer.append(bytes) }
    }
  }

  /// Calls a closure with the bytes of a value that is stored outside of its row; the bytes are nil
  /// if the value does not exist.
  package func withStoredValue<Result>(
    _ value: StoredValue, of row: RowLocation, body: (borrowing RawSpan?) -> Result
  ) -> Result {
    let payload = payload(of: value, in: row)
    guard payload != .none else { return body(nil) }
    return withBytes(at: payload + Int(value.offset)) { bytes in
      guard bytes.byteCount >= Int(value.length) else { return body(nil) }
      return body(bytes.extracting(0..<Int(value.length)))
    }
  }

  /// Returns the range of a stored value that a row refers to.
  func valueRange(of value: StoredValue, in row: RowLocation) -> ValueRange {
    let payload = payload(of: value, in: row)
    let location = payload == .none ? .none : payload + Int(value.offset)
    return ValueRange(location: location, byteCount: Int(value.length))
  }

  /// Appends the bytes of a range to the section of stored values of a new payload. Returns the
  /// reference to these bytes, relative to the start of the section.
  func append(_ range: ValueRange, to section: inout RowBuffer) -> StoredValue {
    let start = section.count
    let checksum = range.withBytes(in: self) { bytes in
      section.append(bytes)
      return XXH64.checksum(bytes, seed: 0)
    }
    return StoredValue(
      sequence: 0, offset: UInt32(start), length: UInt32(section.count - start), checksum: checksum)
  }

  /// Returns the location of the payload that contains a stored value of a row; `none` if the
  /// payload is not known.
  func payload(of value: StoredValue, in row: RowLocation) -> RowLocation {
    if value.sequence == 0 {
      let offset = withBytes(at: row) { Layout.payloadOffset(of: $0) }
      return RowLocation(rawValue: row.rawValue &- UInt64(offset))
    }
    return locator.location(of: value.sequence, in: self)
  }
}

/// A reference to a value that is too large for a row: its position, length and checksum.
///
/// ```
///   0  sequence  u64   the transaction that contains the value; 0 for the row's own transaction
///   8  offset    u32   from the start of that transaction's payload
///  12  length    u32
///  16  check     u64   XXH64 of the value, with seed 0
/// ```
package struct StoredValue: Hashable, Sendable {
  /// The smallest size of values that are stored outside of their rows, in bytes.
  package static let byteCountMin = 513
  package static let byteCount = 24

  package var sequence: UInt64
  package var offset: UInt32
  package var length: UInt32
  package var checksum: UInt64

  package init(sequence: UInt64, offset: UInt32, length: UInt32, checksum: UInt64) {
    self.sequence = sequence
    self.offset = offset
    self.length = length
    self.checksum = checksum
  }

  /// Returns a reference to the same value at a higher offset, for a payload with more bytes before
  /// the stored values.
  func shifted(by byteCount: UInt32) -> StoredValue {
    StoredValue(sequence: sequence, offset: offset + byteCount, length: length, checksum: checksum)
  }

  package init?(_ bytes: RawSpan) {
    guard bytes.byteCount == StoredValue.byteCount,
      let sequence = bytes.number(at: 0, as: UInt64.self),
      let offset = bytes.number(at: 8, as: UInt32.self),
      let length = bytes.number(at: 12, as: UInt32.self),
      let checksum = bytes.number(at: 16, as: UInt64.self)
    else { return nil }
    self.init(sequence: sequence, offset: offset, length: length, checksum: checksum)
  }

  package func append(to buffer: inout RowBuffer) {
    buffer.append(sequence)
    buffer.append(offset)
    buffer.append(length)
    buffer.append(checksum)
  }
}

/// The location and the length of the bytes of a stored value.
package struct ValueRange: Hashable, Sendable {
  var location: RowLocation
  var byteCount: Int

  /// Calls a closure with the bytes of the value; the bytes are empty if the value does not exist.
  func withBytes<Result>(
    in memory: RowMemory, _ body: (RawSpan) -> Result
  ) -> Result {
    memory.withBytes(at: location) { bytes in
      guard bytes.byteCount >= byteCount else { return body(RawSpan()) }
      return body(bytes.extracting(0..<byteCount))
    }
  }
}
