import DaybookJournal

/// Moving values that are too large for a row out of it, and back.
extension Layout {
  /// Whether a row holds places of values instead of those.
  @inline(__always)
  package static func hasStoredValues(_ row: RawSpan) -> Bool {
    (row.number(at: 0, as: UInt16.self) ?? 0) & RowShape.storedFlag != 0
  }

  /// A row with other variable values: what the closure appends for each of them, which says whether
  /// that is a place.
  private func rebuilt(
    _ row: RawSpan, append: (_ index: Int, _ value: RawSpan, inout RowBuffer) -> Bool
  ) -> [UInt8] {
    var values = RowBuffer()
    var ends: [Int] = []
    var storedBits = [UInt8](repeating: 0, count: (variableCount + 7) / 8)
    for index in 0..<variableCount {
      guard let range = variableRange(index, in: row) else {
        preconditionFailure("value \(index) of a row of \(entity.name) that was found whole")
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

  /// A row whose large values stand elsewhere.
  ///
  /// - Parameters:
  ///   - row: A row with all its values.
  ///   - place: The place for a value, of the index that the table of ends gives it.
  package func storing(
    _ row: RawSpan, place: (_ index: Int, _ value: RawSpan) -> StoredValue
  ) -> [UInt8]? {
    // An identifier always stands in the row, as it is looked at when records are looked for.
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
      place(index, value).append(to: &buffer)
      return true
    }
  }

  /// Returns a row that has only places of its large values: of those that it has itself, and of those that were
  /// somewhere else; nil if it has neither.
  ///
  /// - Parameters:
  ///   - place: Returns the new place for that of a value.
  ///   - store: Returns the place for a value that the row has itself, of the index that the table of ends gives it.
  func moving(
    _ row: RawSpan, place: (StoredValue) -> StoredValue,
    store: (_ index: Int, _ value: RawSpan) -> StoredValue
  ) -> [UInt8]? {
    guard Layout.hasStoredValues(row) else { return storing(row, place: store) }
    let first = entity.identifierKind.byteCount == nil ? 1 : 0
    return rebuilt(row) { index, bytes, buffer in
      if isStored(index, in: row), let value = StoredValue(bytes) {
        place(value).append(to: &buffer)
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

  /// Returns a row in which some of the values are places of values.
  package func marking(_ row: RawSpan, asPlaces indexes: Set<Int>) -> [UInt8] {
    rebuilt(row) { index, bytes, buffer in
      buffer.append(bytes)
      return indexes.contains(index)
    }
  }

  /// A row that has all its values, of one that has the places of some.
  package func whole(_ row: RawSpan, value: (StoredValue, inout RowBuffer) -> Void) -> [UInt8] {
    rebuilt(row) { index, bytes, buffer in
      if isStored(index, in: row), let place = StoredValue(bytes) {
        value(place, &buffer)
      } else {
        buffer.append(bytes)
      }
      return false
    }
  }

  /// The places of values in a row: the index of each, where its place stands in the row, and it.
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
