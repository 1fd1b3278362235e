/// Comparing two rows of one layout, attribute by attribute.
extension Layout {
  /// The attributes whose values differ between two rows with all their values.
  package func changedAttributes(from old: RawSpan, to new: RawSpan) -> AttributeSet {
    var changed = AttributeSet(count: attributePlaces.count)
    let same = SameBytes(self, old, new)
    for index in 0..<attributePlaces.count
    where !same.contain(attributePlaces[index]) && !isEqual(index, in: old, new) {
      changed.insert(index)
    }
    return changed
  }

  /// Whether all attributes have the same values in two rows with all their values.
  package func haveEqualValues(_ one: RawSpan, _ other: RawSpan) -> Bool {
    changedAttributes(from: one, to: other).isEmpty
  }

  /// Whether an attribute has the same value in two rows: numbers by their bits, texts in whatever
  /// spelling.
  package func isEqual(_ attribute: Int, in one: RawSpan, _ other: RawSpan) -> Bool {
    let range = range(of: attribute, in: one)
    let otherRange = self.range(of: attribute, in: other)
    guard let range, let otherRange else { return range == nil && otherRange == nil }
    let bytes = one.extracting(range)
    let otherBytes = other.extracting(otherRange)
    if bytesAreEqual(bytes, otherBytes) { return true }
    let type = entity.attributes[attribute].type
    switch type {
    case .scalar(.string), .scalar(.url): return RowText.areEqual(bytes, otherBytes)
    case .array(.string), .array(.url):
      return AttributeValue(type, bytes: bytes) == AttributeValue(type, bytes: otherBytes)
    default: return false
    }
  }

  /// A row with some attributes of one row and the others of another.
  package func row(
    _ attributes: AttributeSet, of one: RawSpan, andOthersOf other: RawSpan, id: RecordIdentifier
  ) -> [UInt8] {
    var writer = RowWriter(self, behind: RowBuffer())
    writer.begin(id)
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

  /// A row with another value for one attribute, and everything else as it is, byte for byte.
  ///
  /// - Parameter row: A row of this layout with all its values.
  package func row(
    _ row: RawSpan, setting attribute: Int, to value: AttributeValue, id: RecordIdentifier
  ) -> [UInt8] {
    var writer = RowWriter(self, behind: RowBuffer())
    writer.begin(id)
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
