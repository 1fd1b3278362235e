import DaybookJournal

/// The location of one attribute in the rows of an entity, for every layout of the entity.
///
/// Most rows have the newest layout. Reading such a row takes three loads. For rows of older
/// layouts, the path has one entry for each layout:
///
/// - If the older layout lacks the attribute, the value is the default.
/// - If the attribute had a different type, or was optional and is required in the newest layout,
///   the row is converted to the newest layout. The value is read from the converted row.
/// - References are not converted. Nothing is converted if the program has no record type for the
///   entity. A value that had a different type is then nil.
@usableFromInline
package struct AttributePath: Sendable {
  /// The number of the newest layout; `UInt32.max` if each value must be compared with the unknown
  /// values (see ``UnknownValues``). No row has the layout `UInt32.max`, so every read then takes
  /// the slow path.
  @usableFromInline let number: UInt32
  @usableFromInline let nilOffset: Int
  @usableFromInline let nilBit: UInt8
  /// For a value of fixed width, its offset from the start of the row. For a value of variable
  /// width, its index in the row's table of ends.
  @usableFromInline let offset: Int
  /// The attribute's width in bytes; 0 if the width depends on the value.
  @usableFromInline let byteCount: Int
  /// In rows without flags, the offset of the entry in the table of ends that contains the value's
  /// end.
  @usableFromInline let endOffset: Int
  /// The offset in the row of the first value of variable width. Ends are counted from it.
  @usableFromInline let variableStart: Int
  private let layout: Layout
  private let earlier: [UInt16: EarlierSource]
  /// The unknown values, if the schema declares a substitute that is read instead of them;
  /// otherwise nil.
  private let unknown: UnknownValues?

  private enum EarlierSource: Sendable {
    case at(Int, Layout)
    case always([UInt8])
    /// The index of the attribute in the newest layout, and the function that converts a row to
    /// that layout.
    case renewed(Int, RecordTypes.Renewal)
  }

  /// Creates the path to an attribute of an entity from their indexes in a catalog.
  ///
  /// - Parameter readsStoredValues: Whether the path reads an unknown value as it is in the
  ///   journal, even if the schema declares a substitute for unknown values.
  package init(
    _ attribute: Int, of entity: Int, in catalog: Catalog, readsStoredValues: Bool = false
  ) {
    let history = catalog.history[entity]
    layout = catalog.newest(entity)
    let definition = layout.entity.attributes[attribute]
    let field = layout.fields[attribute]
    let unknown =
      readsStoredValues ? nil : catalog.types.unknownValues(of: definition, layout.entity.name)
    self.unknown = unknown?.substitute == nil ? nil : unknown
    number = self.unknown == nil ? UInt32(layout.number) : .max
    nilOffset = field.nilOffset
    nilBit = field.nilBit
    offset = field.offset
    byteCount = field.byteCount ?? 0
    endOffset = layout.endsOffset + offset * 2
    variableStart = layout.endsOffset + layout.variableCount * 2
    var earlier: [UInt16: EarlierSource] = [:]
    // References are not converted, because the index of references does not convert them either.
    let renewal =
      definition.type.target == nil ? catalog.types.renewal(of: layout.entity.name) : nil
    for old in history.dropLast() {
      switch (catalog.mapping(of: old.number)[attribute], renewal) {
      case (.same(let index), let renewal?)
      where definition.isRequired && !old.entity.attributes[index].isRequired:
        earlier[old.number] = .renewed(attribute, renewal)
      case (.other, let renewal?): earlier[old.number] = .renewed(attribute, renewal)
      case (.same(let index), _): earlier[old.number] = .at(index, old)
      case (.absent, _) where !definition.defaultValue.isNull:
        var buffer = RowBuffer()
        definition.defaultValue.append(as: definition.type, to: &buffer)
        earlier[old.number] = .always(buffer.bytes)
      // No row of the layout has a value. A missing entry means nil and takes no memory.
      case (.absent, _), (.other, _): break
      }
    }
    self.earlier = earlier
  }

  /// Creates the path to an attribute of an entity from their names; nil if either does not exist.
  package init?(_ attribute: String, of entity: String, in catalog: Catalog) {
    guard let entity = catalog.index(of: entity),
      let index = catalog.newest(entity).index(of: attribute)
    else { return nil }
    self.init(index, of: entity, in: catalog)
  }

  /// Returns the identity of the attribute, for observers of this attribute only.
  package func subject(of entity: Int, kind: UInt8) -> NarrowInterest.Subject {
    NarrowInterest.Subject(
      entity: entity, layout: layout.number, field: byteCount > 0 ? offset : -1 - offset,
      kind: kind)
  }

  /// A Boolean value that indicates whether the attribute's numbers can be read from the bytes of
  /// every row.
  ///
  /// It is false if rows of some layout must be converted. A conversion needs a whole row: one that
  /// has no value outside of it. See ``isElsewhere(in:)``.
  package var isInRows: Bool {
    earlier.values.allSatisfy { if case .renewed = $0 { false } else { true } }
  }

  /// Returns the integer of an attribute that has an integer's width; nil if the row has no value.
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

  /// Returns the number of an attribute of type `Double` or `Date`; nil if the row has no value.
  @inlinable @inline(__always)
  package func double(in row: RawSpan) -> Double? {
    number(in: row, as: UInt64.self).map { Double(bitPattern: $0) }
  }

  /// Returns whether the value is stored outside of its row because it is too large.
  ///
  /// The row then contains only the location of the value. See
  /// ``RowMemory/withCompleteRow(at:layouts:_:)``.
  @inlinable @inline(__always)
  package func isElsewhere(in row: RawSpan) -> Bool {
    // A row without flags has no values outside of it.
    (row.number(at: 0, as: UInt16.self) ?? 0) > 0x3FFF && isElsewhereByFlags(in: row)
  }

  @usableFromInline
  func isElsewhereByFlags(in row: RawSpan) -> Bool {
    guard Layout.hasStoredValues(row), let number = Layout.number(of: row) else { return false }
    if number == layout.number { return byteCount == 0 && layout.isStored(offset, in: row) }
    switch earlier[number] {
    case .at(let index, let layout):
      let field = layout.fields[index]
      return field.byteCount == nil && layout.isStored(field.offset, in: row)
    // The conversion needs a whole row, so any value outside of the row makes it incomplete.
    case .renewed: return true
    case .always, nil: return false
    }
  }

  /// Calls a closure with the bytes of the attribute, or with nil if the row has no value.
  ///
  /// If the value is stored outside of the row, the closure gets the bytes of its location. See
  /// ``isElsewhere(in:)``.
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

  /// Returns the range of a value of variable width in a row that has the newest layout and no
  /// flags.
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

  /// Calls a closure with the bytes that the journal contains, even if they are an unknown value.
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
