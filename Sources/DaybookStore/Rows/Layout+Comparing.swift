/// Comparing two rows of one layout, attribute by attribute.
extension Layout {
  /// The attributes whose values differ between two rows with all their values.
  package func changedAttributes(from old: RawSpan, to new: RawSpan) -> AttributeSet {
    var changed = AttributeSet(count: attributePlaces.count)
    let same = SameBytes(of: old, and: new, layout: self)
    for index in 0..<attributePlaces.count
    where !same.contain(attributePlaces[index]) && !isEqual(index, in: old, and: new) {
      changed.insert(index)
    }
    return changed
  }

  /// Whether all attributes have the same values in two rows with all their values.
  package func haveEqualValues(_ one: RawSpan, and other: RawSpan) -> Bool {
    changedAttributes(from: one, to: other).isEmpty
  }

  /// Whether an attribute has the same value in two rows: numbers by their bits, texts in whatever
  /// spelling.
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

/// How far two rows of one layout have the same bytes. Values that lie there are the same, and need not be compared one
/// by one: as a rule that is all of them but one or two.
struct SameBytes {
  /// Where the parts that hold values of one width differ first; 0 if the two do not lack the same values.
  private var fixedEnd = 0
  /// Which of the other values are the same: a bit for each of the first 64.
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
      let place = layout.endsOffset + index * 2
      guard let end = one.number(at: place, as: UInt16.self) else { return }
      let isEndSame = end == other.number(at: place, as: UInt16.self)
      if isStartSame, isEndSame, Int(end) <= shared { variable |= 1 << UInt64(index) }
      isStartSame = isEndSame
    }
  }

  /// Whether what stands at a place is the same in both rows. If not it may be all the same, in another place or
  /// spelling.
  func contain(_ place: AttributePlace) -> Bool {
    if let byteCount = place.byteCount { return place.offset + byteCount <= fixedEnd }
    return place.offset < 64 && variable & 1 << UInt64(place.offset) != 0
  }
}

extension RawSpan {
  /// How many bytes from an offset on are the same as those of another, of those before an end.
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
