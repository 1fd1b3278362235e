import DaybookJournal

/// Where one attribute is found in the rows of an entity, whatever layout each of them has.
///
/// Most rows have the newest layout, and there it takes three loads; the others are looked up. An
/// attribute that a row's layout does not have is read as its default. One that was of another type then,
/// or might have no value and has always one now, is what the record of the row has, which is made for it;
/// a reference, or where the program has no type of records for the entity, is nil.
@usableFromInline
package struct AttributePath: Sendable {
  /// The number of the newest layout; one that no row has, if each value is compared with those that the program
  /// knows.
  @usableFromInline let number: UInt32
  @usableFromInline let nilOffset: Int
  @usableFromInline let nilBit: UInt8
  /// From the row's beginning; for values without a width the place in the table of ends.
  @usableFromInline let offset: Int
  /// The attribute's width, 0 if that depends on the value.
  @usableFromInline let byteCount: Int
  /// In rows without flags, where the end of a value without a width stands, and whence it counts.
  @usableFromInline let endOffset: Int
  @usableFromInline let variableStart: Int
  private let layout: Layout
  private let earlier: [UInt16: EarlierPlace]
  /// The values that are read as the substitute which the schema declares; nil if it declares none.
  private let unknown: UnknownValues?

  private enum EarlierPlace: Sendable {
    case at(Int, Layout)
    case always([UInt8])
    /// What the attribute is in a row of the newest layout that is made of the old one.
    case renewed(Int, RecordTypes.Renewal)
  }

  /// The path to an attribute of an entity, by their places in a catalog.
  ///
  /// - Parameter readsStoredValues: Whether it leads to the values as the journal has them, also where the schema
  ///   declares a substitute for those that its type does not know.
  package init(
    _ attribute: Int, of entity: Int, in catalog: Catalog, readsStoredValues: Bool = false
  ) {
    let history = catalog.history[entity]
    layout = catalog.newest(entity)
    let definition = layout.entity.attributes[attribute]
    let place = layout.places[attribute]
    let unknown =
      readsStoredValues ? nil : catalog.types.unknownValues(of: definition, layout.entity.name)
    self.unknown = unknown?.substitute == nil ? nil : unknown
    number = self.unknown == nil ? UInt32(layout.number) : .max
    nilOffset = place.nilOffset
    nilBit = place.nilBit
    offset = place.offset
    byteCount = place.byteCount ?? 0
    endOffset = layout.endsOffset + offset * 2
    variableStart = layout.endsOffset + layout.variableCount * 2
    var earlier: [UInt16: EarlierPlace] = [:]
    for old in history.dropLast() {
      let mapping = catalog.mapping(of: old.number)
      // References are found in the index of those, which does not convert either.
      let renewal =
        definition.type.target == nil ? catalog.types.renewal(of: layout.entity.name) : nil
      switch (mapping.sources[attribute], renewal) {
      case (.same(let index), let renewal?)
      where definition.isRequired && !old.entity.attributes[index].isRequired:
        earlier[old.number] = .renewed(attribute, renewal)
      case (.other, let renewal?): earlier[old.number] = .renewed(attribute, renewal)
      case (.same(let index), _): earlier[old.number] = .at(index, old)
      case (.absent, _) where !definition.defaultValue.isNull:
        var buffer = RowBuffer()
        definition.defaultValue.append(as: definition.type, to: &buffer)
        earlier[old.number] = .always(buffer.bytes)
      // No row of the layout has a value, and a path takes no memory for that.
      case (.absent, _), (.other, _): break
      }
    }
    self.earlier = earlier
  }

  /// The path to an attribute of an entity, by their names; nil if there is none.
  package init?(_ attribute: String, of entity: String, in catalog: Catalog) {
    guard let entity = catalog.index(of: entity),
      let index = catalog.newest(entity).index(of: attribute)
    else { return nil }
    self.init(index, of: entity, in: catalog)
  }

  /// Which attribute it is, for whoever is interested in its values alone.
  package func subject(of entity: Int, kind: UInt8) -> NarrowInterest.Subject {
    NarrowInterest.Subject(
      entity: entity, layout: layout.number, place: byteCount > 0 ? offset : -1 - offset,
      kind: kind)
  }

  /// Whether a number of it is found in every row's own bytes: not if some rows have to be made new, and for
  /// that to be whole.
  package var isInRows: Bool {
    earlier.values.allSatisfy { if case .renewed = $0 { false } else { true } }
  }

  /// The integer of an attribute that has the width of one; nil if there is no value.
  @inlinable @inline(__always)
  package func number<Number: FixedWidthInteger & BitwiseCopyable>(
    in row: RawSpan, as type: Number.Type
  ) -> Number? {
    if isNewest(row), byteCount == MemoryLayout<Number>.size {
      guard let bits = row.number(at: nilOffset, as: UInt8.self), bits & nilBit == 0 else {
        return nil
      }
      return row.number(at: offset, as: type)
    }
    return withOtherBytes(in: row) { bytes in
      guard let bytes else { return nil }
      return bytes.wholeNumber(as: type)
    }
  }

  /// The number of an attribute that holds a `Double` or a `Date`; nil if there is no value.
  @inlinable @inline(__always)
  package func double(in row: RawSpan) -> Double? {
    number(in: row, as: UInt64.self).map { Double(bitPattern: $0) }
  }

  /// Whether the value is too large for its row, where only its place stands; the whole row has it.
  @inlinable @inline(__always)
  package func isElsewhere(in row: RawSpan) -> Bool {
    // Without flags it is not.
    (row.number(at: 0, as: UInt16.self) ?? 0) > 0x3FFF && isElsewhereByFlags(in: row)
  }

  @usableFromInline
  func isElsewhereByFlags(in row: RawSpan) -> Bool {
    guard Layout.hasStoredValues(row), let number = Layout.number(of: row) else { return false }
    if number == layout.number { return byteCount == 0 && layout.isStored(offset, in: row) }
    switch earlier[number] {
    case .at(let index, let layout):
      let place = layout.places[index]
      return place.byteCount == nil && layout.isStored(place.offset, in: row)
    // A record is made of a row with all its values.
    case .renewed: return true
    case .always, nil: return false
    }
  }

  /// Hands out the bytes of the attribute, or of its place if it ``isElsewhere(in:)``; nil if there is
  /// no value.
  @inlinable @inline(__always)
  package func withBytes<Result>(
    in row: RawSpan, _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    if isNewest(row), byteCount > 0 {
      guard let bits = row.number(at: nilOffset, as: UInt8.self), bits & nilBit == 0,
        offset &+ byteCount <= row.byteCount
      else { return body(nil) }
      return body(row.extracting(offset..<offset &+ byteCount))
    }
    if let head = row.number(at: 0, as: UInt16.self), UInt32(head) == number {
      guard let bits = row.number(at: nilOffset, as: UInt8.self), bits & nilBit == 0,
        let range = rangeWithoutFlags(in: row)
      else { return body(nil) }
      return body(row.extracting(range))
    }
    return withOtherBytes(in: row, body)
  }

  /// Where the value stands in a row of the newest layout that has no flags.
  @inlinable @inline(__always)
  func rangeWithoutFlags(in row: RawSpan) -> Range<Int>? {
    guard let end = row.number(at: endOffset, as: UInt16.self) else { return nil }
    let start = offset == 0 ? 0 : row.number(at: endOffset &- 2, as: UInt16.self) ?? 0
    let (lower, upper) = (variableStart &+ Int(start), variableStart &+ Int(end))
    guard lower <= upper, upper <= row.byteCount else { return nil }
    return lower..<upper
  }

  @inlinable @inline(__always)
  func isNewest(_ row: RawSpan) -> Bool {
    guard let head = row.number(at: 0, as: UInt16.self) else { return false }
    return UInt32(head & 0x3FFF) == number
  }

  @usableFromInline
  func withOtherBytes<Result>(
    in row: RawSpan, _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    guard let unknown, !isElsewhere(in: row) else { return withStoredBytes(in: row, body) }
    return withStoredBytes(in: row) { bytes in
      guard let stored = copy bytes, !unknown.isKnown(stored) else { return body(bytes) }
      guard let substitute = unknown.substitute?.bytes else { return body(nil) }
      return body(substitute.span.bytes)
    }
  }

  /// Hands out the bytes that the journal has, whether the program's type knows the value or not.
  private func withStoredBytes<Result>(
    in row: RawSpan, _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    guard let number = Layout.number(of: row) else { return body(nil) }
    var source: (index: Int, layout: Layout)?
    if number == layout.number {
      guard let bits = row.number(at: nilOffset, as: UInt8.self), bits & nilBit == 0,
        let range = byteCount > 0
          ? offset..<offset + byteCount : layout.variableRange(offset, in: row),
        range.upperBound <= row.byteCount
      else { return body(nil) }
      return body(row.extracting(range))
    }
    switch earlier[number] {
    case .at(let index, let layout): source = (index, layout)
    case .always(let bytes): return body(bytes.span.bytes)
    case .renewed(let index, let renew):
      guard let renewed = renew(row) else { return body(nil) }
      let bytes = renewed.span.bytes
      guard let range = layout.range(of: index, in: bytes) else { return body(nil) }
      return body(bytes.extracting(range))
    case nil: return body(nil)
    }
    guard let source, let range = source.layout.range(of: source.index, in: row) else {
      return body(nil)
    }
    return body(row.extracting(range))
  }
}
