import DaybookJournal

extension RowMemory {
  /// Hands out a row with all its values.
  package func withWholeRow<Result, Failure: Error>(
    at location: RowLocation, _ layouts: LayoutTable, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes(at: location) { (row) throws(Failure) -> Result in
      guard Layout.hasStoredValues(row), let number = Layout.number(of: row),
        let layout = layouts[number]
      else { return try body(row) }
      let whole = layout.whole(row) { value, buffer in
        append(value, of: location, to: &buffer)
      }
      return try body(whole.span.bytes)
    }
  }

  /// Appends a value that stands elsewhere. The fold has seen to it that it is there.
  private func append(_ value: StoredValue, of row: RowLocation, to buffer: inout RowBuffer) {
    withStoredValue(value, of: row) { bytes in
      if let bytes { buffer.append(bytes) }
    }
  }

  /// Hands out a value that stands elsewhere, or nothing if none stands there.
  package func withStoredValue<Result>(
    _ value: StoredValue, of row: RowLocation, _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    let payload: RowLocation
    if value.sequence == 0 {
      let offset = withBytes(at: row) { Layout.payloadOffset(of: $0) }
      payload = RowLocation(rawValue: row.rawValue &- UInt64(offset))
    } else {
      payload = locator.location(of: value.sequence, in: self)
    }
    guard payload != .none else { return body(nil) }
    return withBytes(at: payload + Int(value.offset)) { bytes in
      guard bytes.byteCount >= Int(value.length) else { return body(nil) }
      return body(bytes.extracting(0..<Int(value.length)))
    }
  }
}
