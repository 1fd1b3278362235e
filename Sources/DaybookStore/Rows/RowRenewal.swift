/// Converts rows of an entity's earlier layouts to its newest layout.
///
/// Values are copied byte for byte, including those of attributes that no record type of the
/// program declares. Only values of a changed type are converted.
final class RowRenewal: Sendable {
  typealias Convert = @Sendable (RawSpan, inout RowBuffer) -> Bool

  /// An attribute as a record type of the program declares it.
  struct Attribute {
    /// A Boolean value that indicates whether the property can be nil.
    var isOptional: Bool
    /// The converter from an earlier type; nil if there is none.
    var converter: (AttributeType) -> Convert?
  }

  /// The source of one attribute.
  private struct Part: Sendable {
    /// The attribute of the earlier layout; nil if there was none.
    var source: Int?
    /// The converter of the values, if the attribute's type has changed.
    var convert: Convert?
    /// The bytes that replace nil; nil if the attribute can be nil.
    var nilBytes: [UInt8]?
    /// The bytes of an attribute that the row lacks or that cannot be converted.
    var defaultBytes: [UInt8]?
  }

  private let newest: Layout
  /// The earlier layouts by their numbers, each with a part for each attribute in storage order.
  private let earlier: [UInt16: (layout: Layout, parts: [Part])]

  /// Creates the conversion of an entity's rows.
  ///
  /// - Parameters:
  ///   - layouts: The layouts of the entity, the oldest first.
  ///   - declared: The attributes that record types of the program declare, by their names.
  /// - Throws: ``SchemaMismatch`` if an attribute has changed its type and there is no converter.
  init(_ layouts: [Layout], declaring declared: [String: Attribute]) throws(SchemaMismatch) {
    guard let newest = layouts.last else { preconditionFailure("the entity has no layout") }
    self.newest = newest
    let attributes = newest.entity.attributes
    var earlier: [UInt16: (layout: Layout, parts: [Part])] = [:]
    for (place, layout) in layouts.enumerated().dropLast() {
      let mapping = LayoutMapping(layouts[place...], to: newest.entity)
      var parts: [Part] = []
      for index in newest.storageOrder {
        var part = Part(defaultBytes: attributes[index].defaultBytes)
        let attribute = declared[attributes[index].name]
        if attribute?.isOptional == false { part.nilBytes = part.defaultBytes }
        switch mapping.sources[index] {
        case .absent: break
        case .same(let source): part.source = source
        case .other(let source, let type):
          guard let convert = attribute?.converter(type) else {
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
  }

  /// Returns a row converted to the newest layout; nil if its layout does not belong to the entity.
  ///
  /// - Parameter row: A row that contains all its values.
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
