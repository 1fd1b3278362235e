/// A record of any entity, as its identifier and the values of its attributes. Programs that do not
/// have the Swift type of a record use it, for example the command-line tool.
public struct DynamicRecord: Identifiable, Hashable, Sendable {
  /// The name of the entity.
  public var entity: String
  /// The identifier.
  public var id: RecordIdentifier
  /// The values of the attributes, in the order of the attributes in the entity's definition.
  public var values: [AttributeValue]
  /// The layout with the definition of the entity; nil if only the entity's name is known. `==` and
  /// `hash(into:)` ignore the layout.
  // The property is a layout and not an `EntityDefinition`, because a layout is a class instance.
  // All records of a query share one layout, whereas a definition would be copied for each record.
  private var layout: Layout?

  /// Creates a record of an entity. The record does not contain the names of its attributes, so its
  /// ``definition`` is nil.
  public init(_ entity: String, id: RecordIdentifier, values: [AttributeValue]) {
    self.entity = entity
    self.id = id
    self.values = values
  }

  /// Creates a record of an entity with the names of its attributes.
  ///
  /// - Parameters:
  ///   - definition: The definition of the entity, from ``StoreSnapshot/entities``.
  ///   - id: The identifier.
  ///   - values: A value for each attribute, in the order of the definition.
  public init(_ definition: EntityDefinition, id: RecordIdentifier, values: [AttributeValue]) {
    self.init(definition.name, id: id, values: values)
    layout = Layout(number: 0, of: definition)
  }

  /// The definition of the entity; nil if the record was created with the entity's name only, or if
  /// ``entity`` was set to a different name.
  ///
  /// A record that was read from a store has the entity's newest definition, even if its row was
  /// written with an older one.
  public var definition: EntityDefinition? {
    guard let definition = layout?.entity, definition.name == entity else { return nil }
    return definition
  }

  /// The value of the attribute with a name.
  ///
  /// ```swift
  /// if let title = change.old?["title"] { print(title) }
  /// ```
  ///
  /// The result is nil if the entity has no attribute of this name, or if the record has no
  /// ``definition``. For an attribute without a value the result is ``AttributeValue/null``.
  public subscript(name: String) -> AttributeValue? {
    guard let layout, layout.entity.name == entity, let index = layout.index(of: name),
      index < values.count
    else { return nil }
    return values[index]
  }

  /// Returns whether two records have the same entity, identifier and values.
  public static func == (one: DynamicRecord, other: DynamicRecord) -> Bool {
    one.entity == other.entity && one.id == other.id && one.values == other.values
  }

  /// Hashes the entity, the identifier and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entity)
    hasher.combine(id)
    hasher.combine(values)
  }
}

extension DynamicRecord: FetchableRecord {
  /// Returns the records in the rows that a request has found, in the order of the rows.
  public static func _records(in rows: FetchedRows) -> [DynamicRecord] {
    rows.source.dynamicRecords(in: rows)
  }
}

extension DynamicRecord {
  /// Creates the record of a verified row; nil if the row's layout is not in the history. The row
  /// must contain all its values: none is stored outside of the row.
  ///
  /// - Parameter history: The layouts of the entity, the oldest first. The record gets one value
  ///   for each attribute of the last layout.
  package init?(_ row: RawSpan, history: [Layout]) {
    guard let number = Layout.number(of: row), let newest = history.last,
      let index = history.firstIndex(where: { $0.number == number })
    else { return nil }
    let mappings = LayoutMappings(history, to: newest.entity)
    self.init(row, of: history[index], as: newest, mapping: mappings[index])
  }

  /// Creates the record of a row of one layout, with the attributes of the newest layout. Returns
  /// nil if the identifier in the row is invalid.
  init?(_ row: RawSpan, of layout: Layout, as newest: Layout, mapping: LayoutMapping) {
    guard let range = layout.identifierRange(in: row),
      let id = RecordIdentifier(newest.identifierKind, bytes: row.extracting(range))
    else { return nil }
    self.init(newest.entity.name, id: id, values: [])
    self.layout = newest
    let attributes = newest.entity.attributes
    values.reserveCapacity(attributes.count)
    for (attributeIndex, attribute) in attributes.enumerated() {
      switch mapping[attributeIndex] {
      case .same(let index):
        guard let range = layout.range(of: index, in: row) else {
          values.append(.null)
          continue
        }
        values.append(AttributeValue(attribute.type, bytes: row.extracting(range)) ?? .null)
      case .absent: values.append(attribute.defaultValue)
      // The attribute had a different type in this row. Only a program with the record's Swift type
      // has the converter.
      case .other: values.append(.null)
      }
    }
  }

  /// Encodes the record as a row of a layout, and appends the row to a buffer.
  ///
  /// - Precondition: The record has one value for each attribute of the layout, and each value has
  ///   the type of its attribute or is null.
  package func append(_ layout: Layout, to buffer: inout RowBuffer) {
    precondition(
      values.count == layout.fields.count,
      "\(values.count) values for \(layout.fields.count) attributes of \(entity)")
    var writer = RowWriter(layout, after: buffer.take())
    writer.start(id)
    for index in layout.storageOrder {
      let value = values[index]
      if value.isNull {
        writer.appendNil()
      } else {
        writer.append { value.append(as: layout.entity.attributes[index].type, to: &$0) }
      }
    }
    buffer = writer.finish()
  }
}
