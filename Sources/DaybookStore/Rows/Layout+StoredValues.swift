import DaybookJournal

/// Moves large values out of a row, and back into the row.
extension Layout {
  /// Returns whether a row contains references to values that are stored outside of it.
  @inline(__always)
  package static func hasStoredValues(_ row: RawSpan) -> Bool {
    (row.number(at: 0, as: UInt16.self) ?? 0) & RowShape.storedFlag != 0
  }

  /// Returns a copy of a row with new variable-width values. For each variable-width value, a
  /// closure appends the new bytes, and returns whether they are a reference to a stored value.
  private func rebuilt(
    _ row: RawSpan, append: (_ index: Int, _ value: RawSpan, inout RowBuffer) -> Bool
  ) -> [UInt8] {
    var values = RowBuffer()
    var ends: [Int] = []
    var storedBits = [UInt8](repeating: 0, count: (variableCount + 7) / 8)
    for index in 0..<variableCount {
      guard let range = variableRange(index, in: row) else {
        preconditionFailure("value \(index) of a valid row of \(entity.name) cannot be read")
      }
      if append(index, row.extracting(range), &values) {
        storedBits[index / 8] |= 1 << UInt8(index % 8)
      }
      ends.append(values.count)
    }
    let isWide = values.count > Int(UInt16.max)
    let hasStored = storedBits.contains { $0 != 0 }
    var result = RowBuffer()
    result.append(row.extracting(0..<endsOffset))
    for end in ends {
      if isWide { result.append(UInt32(end)) } else { result.append(UInt16(end)) }
    }
    if hasStored { result.append(storedBits) }
    result.append(values.bytes)
    let flags = (isWide ? RowShape.wideFlag : 0) | (hasStored ? RowShape.storedFlag : 0)
    result.put(number | flags, at: 0)
    return result.bytes
  }

  /// Returns a copy of a row with references instead of the large values; nil if the row has no
  /// large value.
  ///
  /// - Parameters:
  ///   - row: A row without values that are stored outside of it.
  ///   - store: A closure that stores a value and returns the reference to the value. The index is
  ///     the value's index in the table of ends.
  package func storing(
    _ row: RawSpan, store: (_ index: Int, _ value: RawSpan) -> StoredValue
  ) -> [UInt8]? {
    // An identifier always stays in the row, because every lookup of a record reads it.
    let first = entity.identifierKind.byteCount == nil ? 1 : 0
    func isLarge(_ index: Int, byteCount: Int) -> Bool {
      index >= first && byteCount >= StoredValue.byteCountMin
    }
    guard row.byteCount > StoredValue.byteCountMin,
      (first..<variableCount).contains(where: {
        isLarge($0, byteCount: variableRange($0, in: row)?.count ?? 0)
      })
    else { return nil }
    return rebuilt(row) { index, value, buffer in
      guard isLarge(index, byteCount: value.byteCount) else {
        buffer.append(value)
        return false
      }
      store(index, value).append(to: &buffer)
      return true
    }
  }

  /// Returns a copy of a row with new references to its large values; nil if the row has no large
  /// value. Large values may be in the row, or may already be stored outside of it.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - newReference: A closure that returns the new reference for an existing reference.
  ///   - store: A closure that stores a value of the row and returns the reference to the value.
  ///     The index is the value's index in the table of ends.
  func moving(
    _ row: RawSpan, newReference: (StoredValue) -> StoredValue,
    store: (_ index: Int, _ value: RawSpan) -> StoredValue
  ) -> [UInt8]? {
    guard Layout.hasStoredValues(row) else { return storing(row, store: store) }
    let first = entity.identifierKind.byteCount == nil ? 1 : 0
    return rebuilt(row) { index, bytes, buffer in
      if isStored(index, in: row), let value = StoredValue(bytes) {
        newReference(value).append(to: &buffer)
        return true
      }
      guard index >= first, bytes.byteCount >= StoredValue.byteCountMin else {
        buffer.append(bytes)
        return false
      }
      store(index, bytes).append(to: &buffer)
      return true
    }
  }

  /// Returns a copy of a row with some values marked as references. Their bytes must be references
  /// already. The indexes are those in the table of ends.
  package func marking(_ row: RawSpan, asReferences indexes: Set<Int>) -> [UInt8] {
    rebuilt(row) { index, bytes, buffer in
      buffer.append(bytes)
      return indexes.contains(index)
    }
  }

  /// Returns a copy of a row with the stored values instead of their references. A closure appends
  /// each stored value.
  package func completed(_ row: RawSpan, value: (StoredValue, inout RowBuffer) -> Void) -> [UInt8] {
    rebuilt(row) { index, bytes, buffer in
      if isStored(index, in: row), let reference = StoredValue(bytes) {
        value(reference, &buffer)
      } else {
        buffer.append(bytes)
      }
      return false
    }
  }

  /// Returns the references to stored values in a row. Each has the value's index in the table of
  /// ends, and the offset of the reference in the row.
  package func storedValues(in row: RawSpan) -> [(index: Int, offset: Int, value: StoredValue)] {
    guard Layout.hasStoredValues(row) else { return [] }
    return (0..<variableCount).compactMap { index in
      guard isStored(index, in: row), let range = variableRange(index, in: row),
        let value = StoredValue(row.extracting(range))
      else { return nil }
      return (index, range.lowerBound, value)
    }
  }
}
