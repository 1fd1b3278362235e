/// Compares two rows of one layout, attribute by attribute, and creates rows from the values of two
/// rows.
extension Layout {
  /// Returns the attributes whose values differ between two rows. In both rows, no value may be
  /// stored outside of the row.
  package func changedAttributes(from old: RawSpan, to new: RawSpan) -> AttributeSet {
    var changed = AttributeSet(count: attributeFields.count)
    let same = SameBytes(of: old, and: new, layout: self)
    for index in 0..<attributeFields.count
    where !same.contain(attributeFields[index]) && !isEqual(index, in: old, and: new) {
      changed.insert(index)
    }
    return changed
  }

  /// Returns whether all attributes have equal values in two rows. In both rows, no value may be
  /// stored outside of the row.
  package func haveEqualValues(_ one: RawSpan, and other: RawSpan) -> Bool {
    changedAttributes(from: one, to: other).isEmpty
  }

  /// Returns whether an attribute has equal values in two rows. The function compares strings and
  /// URLs in normal form C, and all other values by their bytes.
  package func isEqual(_ attribute: Int, in one: RawSpan, and other: RawSpan) -> Bool {
    let range = range(of: attribute, in: one)
    let otherRange = self.range(of: attribute, in: other)
    guard let range, let otherRange else { return range == nil && otherRange == nil }
    let bytes = one.extracting(range)
    let otherBytes = other.extracting(otherRange)
    if bytesAreEqual(bytes, and: otherBytes) { return true }
    let type = entity.attributes[attribute].type
    switch type {
    case .scalar(.string), .scalar(.url): return RowText.areEqual(bytes, and: otherBytes)
    case .array(.string), .array(.url):
      return AttributeValue(type, bytes: bytes) == AttributeValue(type, bytes: otherBytes)
    default: return false
    }
  }

  /// Returns a row that has the values of some attributes from one row, and the values of all other
  /// attributes from a second row.
  package func row(
    _ attributes: AttributeSet, of one: RawSpan, andOthersOf other: RawSpan, id: RecordIdentifier
  ) -> [UInt8] {
    var writer = RowWriter(self, after: RowBuffer())
    writer.start(id)
    for index in storageOrder {
      let row = attributes.contains(index) ? one : other
      if let range = range(of: index, in: row) {
        writer.append { $0.append(row.extracting(range)) }
      } else {
        writer.appendNil()
      }
    }
    return writer.finish().bytes
  }

  /// Returns a row with a new value for one attribute. All other attributes are copied byte for
  /// byte.
  ///
  /// - Parameter row: A row of this layout, without values that are stored outside of the row.
  package func row(
    _ row: RawSpan, setting attribute: Int, to value: AttributeValue, id: RecordIdentifier
  ) -> [UInt8] {
    var writer = RowWriter(self, after: RowBuffer())
    writer.start(id)
    for index in storageOrder {
      if index == attribute {
        if value.isNull {
          writer.appendNil()
        } else {
          writer.append { value.append(as: entity.attributes[index].type, to: &$0) }
        }
      } else if let range = range(of: index, in: row) {
        writer.append { $0.append(row.extracting(range)) }
      } else {
        writer.appendNil()
      }
    }
    return writer.finish().bytes
  }
}

/// The parts of two rows of one layout that have equal bytes. Values in these parts are equal, so
/// `changedAttributes` does not compare them one by one. Usually an update changes one or two
/// attributes, and all other values are in these parts.
struct SameBytes {
  /// The offset of the first byte that differs in the fixed-width values; 0 if the rows have
  /// different nil bits.
  private var fixedEnd = 0
  /// One bit for each of the first 64 variable-width values. The bit is set if both rows have the
  /// same bytes at the same position.
  private var variable: UInt64 = 0

  init(of one: RawSpan, and other: RawSpan, layout: Layout) {
    let fixed = one.sameByteCount(as: other, from: layout.nilBitsOffset, upTo: layout.endsOffset)
    guard layout.nilBitsOffset + fixed >= layout.fixedOffset else { return }
    fixedEnd = layout.nilBitsOffset + fixed
    guard layout.variableCount > 0, let head = one.number(at: 0, as: UInt16.self),
      head == other.number(at: 0, as: UInt16.self), head == layout.number
    else { return }
    let start = layout.shape.variableStart(head)
    let shared = one.sameByteCount(as: other, from: start, upTo: .max)
    var isStartSame = true
    for index in 0..<min(layout.variableCount, 64) {
      let entryOffset = layout.endsOffset + index * 2
      guard let end = one.number(at: entryOffset, as: UInt16.self) else { return }
      let isEndSame = end == other.number(at: entryOffset, as: UInt16.self)
      if isStartSame, isEndSame, Int(end) <= shared { variable |= 1 << UInt64(index) }
      isStartSame = isEndSame
    }
  }

  /// Returns whether both rows are known to have equal bytes for an attribute. If the result is
  /// false, the values may still be equal: in the second row, they may have a different position or
  /// a different Unicode form.
  func contain(_ field: AttributeField) -> Bool {
    if let byteCount = field.byteCount { return field.offset + byteCount <= fixedEnd }
    return field.offset < 64 && variable & 1 << UInt64(field.offset) != 0
  }
}

extension RawSpan {
  /// Returns the number of consecutive bytes that are equal in two spans, from an offset up to an
  /// end.
  fileprivate func sameByteCount(as other: RawSpan, from start: Int, upTo end: Int) -> Int {
    let end = min(end, byteCount, other.byteCount)
    var offset = start
    while offset < end {
      if let word = number(at: offset, as: UInt64.self),
        let otherWord = other.number(at: offset, as: UInt64.self)
      {
        let difference = word ^ otherWord
        if difference != 0 {
          return min(offset + difference.trailingZeroBitCount / 8, end) - start
        }
        offset += 8
      } else {
        guard number(at: offset, as: UInt8.self) == other.number(at: offset, as: UInt8.self) else {
          return offset - start
        }
        offset += 1
      }
    }
    return max(0, end - start)
  }
}
