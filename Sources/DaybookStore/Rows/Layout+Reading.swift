/// Finds the parts of a row, such as the bytes of an attribute, and checks each bound.
extension Layout {
  /// Returns the layout number of the row at the start of these bytes; nil if there are too few
  /// bytes.
  @inline(__always)
  package static func number(of row: RawSpan) -> UInt16? {
    row.number(at: 0, as: UInt16.self).map { $0 & numberMax }
  }

  /// Returns the creation number in a row; 0 if there are too few bytes.
  @inline(__always)
  package static func creation(of row: RawSpan) -> UInt64 {
    row.number(at: creationOffset, as: UInt64.self) ?? 0
  }

  /// Writes a creation number into a row.
  static func setCreation(_ creation: UInt64, of row: inout [UInt8]) {
    precondition(row.count >= headByteCount, "a row of \(row.count) bytes")
    row.withUnsafeMutableBytes {
      $0.storeBytes(of: creation.littleEndian, toByteOffset: creationOffset, as: UInt64.self)
    }
  }

  /// Returns the offset of the row in its payload, which the row contains; 0 if there are too few
  /// bytes.
  package static func payloadOffset(of row: RawSpan) -> UInt32 {
    row.number(at: 2, as: UInt32.self) ?? 0
  }

  /// Returns the byte count of the row at the start of these bytes; nil if the bytes do not start
  /// with a complete row of this layout. If it returns a count, all ranges that this extension
  /// returns are inside the row, even if a faulty program wrote the bytes.
  package func rowByteCount(_ bytes: RawSpan) -> Int? {
    shape.rowByteCount(bytes, at: 0)
  }

  /// Returns the range of an attribute's bytes in a row; nil if the attribute has no value.
  @inline(__always)
  package func range(of attribute: Int, in row: RawSpan) -> Range<Int>? {
    let field = attributeFields[attribute]
    guard let bits = row.number(at: field.nilOffset, as: UInt8.self), bits & field.nilBit == 0
    else {
      return nil
    }
    if let byteCount = field.byteCount {
      guard field.offset &+ byteCount <= row.byteCount else { return nil }
      return field.offset..<field.offset &+ byteCount
    }
    return variableRange(field.offset, in: row)
  }

  /// Returns the range of a variable-width value in a row. The index is the value's index in the
  /// table of ends.
  package func variableRange(_ index: Int, in row: RawSpan) -> Range<Int>? {
    guard let head = row.number(at: 0, as: UInt16.self) else { return nil }
    let width = head & RowShape.wideFlag == 0 ? 2 : 4
    let start = variableStart(head)
    let lower = start &+ (index == 0 ? 0 : end(index &- 1, width: width, in: row))
    let upper = start &+ end(index, width: width, in: row)
    guard lower <= upper, upper <= row.byteCount else { return nil }
    return lower..<upper
  }

  /// Returns whether a variable-width value is stored outside of the row. The row then contains a
  /// ``StoredValue``, which is a reference to the value. The index is the value's index in the
  /// table of ends.
  package func isStored(_ index: Int, in row: RawSpan) -> Bool {
    guard let head = row.number(at: 0, as: UInt16.self), head & RowShape.storedFlag != 0 else {
      return false
    }
    let width = head & RowShape.wideFlag == 0 ? 2 : 4
    let bits = row.number(at: endsOffset + variableCount * width + index / 8, as: UInt8.self) ?? 0
    return bits & 1 << UInt8(index % 8) != 0
  }

  /// Returns the range of the identifier's bytes in a row.
  package func identifierRange(in row: RawSpan) -> Range<Int>? {
    guard identifierByteCount > 0 else { return variableRange(0, in: row) }
    let range = Layout.headByteCount..<Layout.headByteCount + identifierByteCount
    return range.upperBound <= row.byteCount ? range : nil
  }

  private func variableStart(_ head: UInt16) -> Int { shape.variableStart(head) }

  @inline(__always)
  private func end(_ index: Int, width: Int, in row: RawSpan) -> Int {
    let offset = endsOffset &+ index &* width
    return width == 2
      ? Int(row.number(at: offset, as: UInt16.self) ?? 0)
      : Int(row.number(at: offset, as: UInt32.self) ?? 0)
  }
}

extension Layout {
  /// Returns a problem for each required attribute that has no value in a row.
  func missing(in row: RawSpan, _ id: RecordIdentifier) -> [ValidationProblem] {
    guard hasNil(in: row) else { return [] }
    var problems: [ValidationProblem] = []
    for (index, attribute) in entity.attributes.enumerated()
    where attribute.isRequired && range(of: index, in: row) == nil {
      problems.append(
        ValidationProblem(entity: entity.name, id: id, kind: .required(attribute: attribute.name)))
    }
    return problems
  }

  /// Returns whether any attribute has no value in a row.
  private func hasNil(in row: RawSpan) -> Bool {
    for offset in nilBitsOffset..<fixedOffset where row.number(at: offset, as: UInt8.self) != 0 {
      return true
    }
    return false
  }
}
