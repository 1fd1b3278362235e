/// The conversion of an entity's rows from earlier layouts to the newest layout. `RecordTypes`
/// creates one for each entity. Contexts and saves use it, so that they compare and change only
/// rows of the newest layout.
///
/// The conversion copies values byte for byte, also for attributes that no record type of the
/// program declares. It converts only the values of attributes whose type has changed. If no record
/// type declares such an attribute, its value is dropped.
final class RowRenewal: Sendable {
  typealias Convert = @Sendable (RawSpan, inout RowBuffer) -> Bool

  /// An attribute as a record type of the program declares it.
  struct Attribute {
    /// A Boolean value that indicates whether the property can be nil.
    var isOptional: Bool
    /// A closure that returns the converter from an earlier type; nil if the schema declares none.
    var converter: (AttributeType) -> Convert?
  }

  /// The source of one attribute of the newest layout, for rows of one earlier layout.
  private struct Part: Sendable {
    /// The index of the attribute in the earlier layout; nil if the earlier layout lacks the
    /// attribute, or if its value is dropped.
    var source: Int?
    /// The converter of the values; nil if the attribute has the same type in both layouts.
    var convert: Convert?
    /// The bytes that replace nil. They are nil if the attribute can be nil, or if no record type
    /// declares it.
    var nilBytes: [UInt8]?
    /// The bytes for an attribute that the earlier layout lacks, or whose value cannot be
    /// converted or is dropped.
    var defaultBytes: [UInt8]?
  }

  /// The indexes, in the newest layout, of the attributes that had a different type in some earlier
  /// layout, and that no record type declares.
  let unconvertedIndexes: [Int]
  private let newest: Layout
  /// The earlier layouts by number. Each has one part for each attribute of the newest layout, in
  /// storage order.
  private let earlier: [UInt16: (layout: Layout, parts: [Part])]

  /// Creates the conversion of an entity's rows.
  ///
  /// - Parameters:
  ///   - layouts: The layouts of the entity, the oldest first.
  ///   - declared: The attributes that record types of the program declare, by their names.
  /// - Throws: ``SchemaMismatch`` if the type of an attribute has changed and the schema declares
  ///   no converter.
  init(_ layouts: [Layout], declaring declared: [String: Attribute]) throws(SchemaMismatch) {
    guard let newest = layouts.last else { preconditionFailure("the entity has no layout") }
    self.newest = newest
    let attributes = newest.entity.attributes
    var earlier: [UInt16: (layout: Layout, parts: [Part])] = [:]
    var unconverted: Set<Int> = []
    let mappings = LayoutMappings(layouts, to: newest.entity)
    for (layoutIndex, layout) in layouts.enumerated().dropLast() {
      let mapping = mappings[layoutIndex]
      var parts: [Part] = []
      for index in newest.storageOrder {
        var part = Part(defaultBytes: attributes[index].defaultBytes)
        let attribute = declared[attributes[index].name]
        if attribute?.isOptional == false { part.nilBytes = part.defaultBytes }
        switch mapping[index] {
        case .absent: break
        case .same(let source): part.source = source
        case .other(let source, let type):
          guard let attribute else {
            if !attributes[index].isRequired { part.defaultBytes = nil }
            unconverted.insert(index)
            break
          }
          guard let convert = attribute.converter(type) else {
            throw SchemaMismatch(
              entity: newest.entity.name, attribute: attributes[index].name, old: type,
              new: attributes[index].type)
          }
          part.source = source
          part.convert = convert
        }
        parts.append(part)
      }
      earlier[layout.number] = (layout, parts)
    }
    self.earlier = earlier
    unconvertedIndexes = unconverted.sorted()
  }

  /// Returns a row converted to the newest layout; nil if the row's layout does not belong to the
  /// entity.
  ///
  /// - Parameter row: A row without values that are stored outside of it.
  func renewed(_ row: RawSpan) -> [UInt8]? {
    if Layout.number(of: row) == newest.number, let byteCount = newest.rowByteCount(row) {
      return row.extracting(0..<byteCount).withUnsafeBytes { [UInt8]($0) }
    }
    guard let (layout, parts) = Layout.number(of: row).flatMap({ earlier[$0] }),
      let range = layout.identifierRange(in: row),
      let id = RecordIdentifier(layout.identifierKind, bytes: row.extracting(range))
    else { return nil }
    var writer = RowWriter(newest, after: RowBuffer())
    writer.start(id, creation: Layout.creation(of: row))
    for part in parts { append(part, of: row, in: layout, to: &writer) }
    return writer.finish().bytes
  }

  private func append(
    _ part: Part, of row: RawSpan, in layout: Layout, to writer: inout RowWriter
  ) {
    guard let source = part.source else { return writer.append(part.defaultBytes) }
    guard let range = layout.range(of: source, in: row) else { return writer.append(part.nilBytes) }
    guard let convert = part.convert else {
      return writer.append { $0.append(row.extracting(range)) }
    }
    var value = RowBuffer()
    let isConverted = convert(row.extracting(range), &value)
    writer.append(isConverted ? value.bytes : part.defaultBytes)
  }
}

/// A mismatch between the types of an attribute in the journal and in the program.
package struct SchemaMismatch: Error, Hashable {
  package var entity: String
  package var attribute: String
  package var old: AttributeType
  package var new: AttributeType
}
