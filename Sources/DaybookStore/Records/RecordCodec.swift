/// Turns records of one type into rows, and rows of any layout of their entity into records.
package final class RecordCodec<R: Record>: Sendable {
  /// The layout of the rows that are written.
  package let layout: Layout
  /// Every record that is read begins as a copy of it: making one anew may be dear, as an identifier
  /// drawn at random is.
  private let prototype: R
  /// The attributes in the order in which their bytes stand in a row.
  private let storageOrder: [SchemaAttribute<R>]
  /// How the rows of the newest layout are read, as most are.
  private let newest: Reading
  /// For the number of each other layout, how its rows are read.
  private let earlier: [UInt16: Reading]

  private struct Reading: Sendable {
    var layout: Layout
    var steps: [Step]
  }

  /// How one attribute is read: from the attribute of an index, if there is one.
  private enum Step: Sendable {
    case read(Int, SchemaAttribute<R>)
    case convert(Int, SchemaAttribute<R>.Converter, SchemaAttribute<R>)
    case fill(AttributeValue, SchemaAttribute<R>)
  }

  /// - Parameter layouts: The layouts of the entity, the oldest first and the one to write last.
  /// - Throws: ``SchemaMismatch`` if an attribute has changed its type and there is no converter.
  package init(_ layouts: [Layout]) throws(SchemaMismatch) {
    guard let newest = layouts.last else { preconditionFailure("an entity without a layout") }
    let schema = R.schema
    layout = newest
    storageOrder = newest.storageOrder.map { schema.attributes[$0] }
    prototype = R()
    var readings: [UInt16: Reading] = [:]
    for (index, layout) in layouts.enumerated() {
      let mapping = LayoutMapping(
        from: layout.entity, to: newest.entity, history: layouts[index...].map(\.entity))
      var steps: [Step] = []
      for (attribute, source) in zip(schema.attributes, mapping.sources) {
        switch source {
        case .same(let index): steps.append(.read(index, attribute))
        case .absent:
          steps.append(.fill(newest.entity.attributes[steps.count].defaultValue, attribute))
        case .other(let index, let type):
          guard let convert = attribute.converter(from: type) else {
            throw SchemaMismatch(
              entity: schema.entity, attribute: attribute.name, old: type,
              new: newest.entity.attributes[steps.count].type)
          }
          steps.append(.convert(index, convert, attribute))
        }
      }
      readings[layout.number] = Reading(layout: layout, steps: steps)
    }
    guard let reading = readings.removeValue(forKey: newest.number) else {
      preconditionFailure("the newest layout of \(schema.entity) is not read")
    }
    self.newest = reading
    earlier = readings
  }

  /// Packs a record into a row behind what a buffer holds.
  package func append(_ record: R, creation: UInt64 = 0, to buffer: inout RowBuffer) {
    var writer = RowWriter(layout, creation: creation, behind: buffer.take())
    writer.begin(record.id.recordIdentifier)
    withUnsafePointer(to: record) { pointer in
      for attribute in storageOrder { attribute.append(pointer, &writer) }
    }
    buffer = writer.finish()
  }

  /// The record in a row that has been found whole; nil if its layout or its identifier is none of
  /// this type's.
  package func record(_ row: RawSpan) -> R? {
    guard let number = Layout.number(of: row),
      let reading = number == layout.number ? newest : earlier[number],
      let range = reading.layout.identifierRange(in: row),
      let identifier = RecordIdentifier(
        layout.identifierKind, bytes: row.extracting(range)),
      let id = R.ID(identifier)
    else { return nil }
    var record = prototype
    record.id = id
    withUnsafeMutablePointer(to: &record) { pointer in
      for step in reading.steps {
        switch step {
        case .read(let index, let attribute):
          if let range = reading.layout.range(of: index, in: row) {
            attribute.read(row.extracting(range), pointer)
          } else {
            attribute.clear(pointer)
          }
        case .convert(let index, let convert, let attribute):
          if let range = reading.layout.range(of: index, in: row) {
            convert(row.extracting(range), pointer)
          } else {
            attribute.clear(pointer)
          }
        case .fill(let value, let attribute): _ = attribute.set(value, pointer)
        }
      }
    }
    return record
  }
}

/// An attribute that the journal and the program do not agree about.
package struct SchemaMismatch: Error, Hashable {
  package var entity: String
  package var attribute: String
  package var old: AttributeType
  package var new: AttributeType
}
