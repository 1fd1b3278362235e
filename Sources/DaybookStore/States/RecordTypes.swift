import DaybookJournal

/// The record types that a store was opened with, and their conversions to and from rows.
package struct RecordTypes: Sendable {
  private let types: [any Record.Type]
  fileprivate var codecs: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  /// For each entity with a record type, the function that converts its rows to the newest layout.
  fileprivate var renewals: [String: Renewal] = [:]

  /// Converts a row of any layout to the newest layout. The row must be whole: no value is stored
  /// outside of it. Returns nil if the row's layout does not belong to the entity.
  typealias Renewal = @Sendable (RawSpan) -> [UInt8]?

  /// An attribute that had a different type in an earlier layout, and that no record type of the
  /// program declares. So no converter exists, and a changed record loses its earlier value.
  struct Unconverted {
    /// The index of the attribute in the newest layout.
    var index: Int
    /// A Boolean value that indicates whether the value may be dropped: a schema removes the
    /// attribute, or the program has no record type for the entity.
    var mayBeDropped: Bool
  }

  /// For each entity with a record type, the attributes without a converter. Entities that have
  /// converters for all attributes are left out.
  fileprivate var unconverted: [String: [Unconverted]] = [:]

  /// A Boolean value that indicates whether an entity with a record type has an attribute without a
  /// converter.
  var hasUnconverted: Bool { !unconverted.isEmpty }

  /// Returns the attributes of an entity that may have had a different type, and that no type
  /// declares. If the program has no record type for the entity, only migration steps need them.
  func unconverted(of entity: EntityDefinition) -> [Unconverted] {
    if let attributes = unconverted[entity.name] { return attributes }
    guard isMigrating, renewals[entity.name] == nil else { return [] }
    return entity.attributes.indices.map { Unconverted(index: $0, mayBeDropped: true) }
  }

  /// A Boolean value that indicates whether migration steps will run. Until then, attributes that
  /// the schemas drop are kept, and new required attributes need no default.
  var isMigrating = false

  /// The entities whose schemas request a check of all records when a store is opened.
  private(set) var checkedEntities: Set<String> = []

  /// For each entity, the attributes of each index that its types declare.
  fileprivate var indexes: [String: [[String]]] = [:]

  /// Returns the attributes of each index that the types declare for an entity.
  package func indexes(of entity: String) -> [[String]] { indexes[entity] ?? [] }

  /// For each entity, the attributes that all of its types name.
  fileprivate var commonAttributes: [String: Set<String>] = [:]

  /// Returns whether each type of an entity names an attribute. The result is true if the program
  /// has no type of the entity.
  func allName(_ attribute: String, of entity: String) -> Bool {
    commonAttributes[entity]?.contains(attribute) ?? true
  }

  /// For each entity, the attributes that its types declare as searchable.
  fileprivate var searchableNames: [String: Set<String>] = [:]

  /// Returns the attributes of an entity that the types declare as searchable.
  package func searchableNames(of entity: String) -> Set<String> { searchableNames[entity] ?? [] }

  /// For each entity and attribute, by name, the stored values that the attribute's Swift type
  /// cannot represent.
  fileprivate var unknownValues: [String: [String: UnknownValues]] = [:]

  /// Returns the unknown values of an attribute: those that its Swift type cannot represent. Nil if
  /// the type represents all values, or if the program has no record type for the entity.
  func unknownValues(of attribute: AttributeDefinition, _ entity: String) -> UnknownValues? {
    unknownValues[entity]?[attribute.name]
  }

  /// Returns whether a type declares a substitute for unknown values of an attribute.
  package func hasSubstitute(of attribute: AttributeDefinition, in entity: String) -> Bool {
    unknownValues(of: attribute, entity)?.substitute != nil
  }

  /// Returns the function that converts rows of an entity to the newest layout; nil if the program
  /// has no record type for the entity.
  func renewal(of entity: String) -> Renewal? { renewals[entity] }

  /// Creates the types without codecs. ``adopted(by:path:hasRecords:number:)`` returns the types
  /// with codecs.
  package init(_ types: [any Record.Type] = []) { self.types = types }

  /// The result of comparing the record types with the journal: codecs, new layouts, and a report.
  struct Adoption {
    var types: RecordTypes
    /// The layouts to add to the catalog: one for each entity that the journal lacks, or contains
    /// with a different definition.
    var newLayouts: [Layout] = []
    /// The differences between the journal and the types.
    var report = OpeningReport()
    /// The number of entities, including those that get their first layout.
    fileprivate var entityCount = 0
  }

  /// Creates the codec of each type, and a new layout for each entity that is new or has changed.
  ///
  /// - Parameters:
  ///   - hasRecords: Returns whether an entity has records.
  ///   - number: Returns the number for the next new layout; nil if no number is left. The closure
  ///     gets the definition and the new layouts before it.
  func adopted(
    by catalog: Catalog, path: String, hasRecords: (_ entity: Int) -> Bool,
    number: (_ entity: EntityDefinition, _ new: [Layout]) -> UInt16?
  ) throws(StoreError) -> Adoption {
    var adoption = Adoption(types: RecordTypes(types))
    adoption.entityCount = catalog.layouts.entityCount
    adoption.types.isMigrating = isMigrating
    let renames: EntityRenames
    let merges: [(merge: SchemaMerge, history: [Layout])]
    do throws(SchemaProblem) {
      let declarations = try RecordTypes.declarations(of: types)
      renames = try EntityRenames(declarations, in: catalog)
      merges = try RecordTypes.merges(
        declarations, renames: renames, in: catalog, hasRecords: hasRecords,
        isMigrating: isMigrating)
    } catch {
      throw StoreError(.schema(error), path: path)
    }
    for (index, rename) in renames.all.enumerated() {
      let excess = SchemaExcess(renamed: rename.to, after: catalog.layouts.renameCount + index)
      if let excess { throw StoreError(.limit(excess, in: nil), path: path) }
    }
    adoption.report.renamedEntities = renames.all
    for (merge, history) in merges {
      adoption.report.append(merge.report)
      if !history.isEmpty {
        adoption.report.addStoredInverses(
          of: merge.definition, among: merges.map(\.merge.definition))
      }
      if merge.isCheckedAtOpening { adoption.types.checkedEntities.insert(merge.definition.name) }
      let entity = merge.definition
      adoption.types.indexes[entity.name] = merge.indexes
      adoption.types.searchableNames[entity.name] = merge.searchableNames
      try adoption.add(
        entity, types: types.filter { RecordTypes.isType($0, of: entity.name) }, history: history,
        removed: merge.report.removedAttributes.map(\.name), path: path, number: number)
    }
    return adoption
  }

  /// Returns whether a type declares attributes of an entity.
  private static func isType<R: Record>(_ type: R.Type, of entity: String) -> Bool {
    R.schema.entity == entity
  }

  /// Returns a Boolean value that indicates whether the store was opened with a type.
  package func contains(_ type: any Record.Type) -> Bool { codecs[ObjectIdentifier(type)] != nil }

  /// Returns the codec of a record type; nil if the store was opened without the type.
  package func codec<R: Record>(_ type: R.Type) -> RecordCodec<R>? {
    // Only `add` inserts codecs, each under its own type.
    guard let codec = codecs[ObjectIdentifier(type)] else { return nil }
    return unsafeDowncast(codec, to: RecordCodec<R>.self)
  }

  /// Returns a row converted to the newest layout of its entity. The row must be whole: no value is
  /// stored outside of it.
  package func newest(_ row: RawSpan, of entity: Int, in catalog: Catalog) -> [UInt8] {
    withNewest(row, of: entity, in: catalog) { row in row.withUnsafeBytes { [UInt8]($0) } }
  }

  /// Calls a closure with a row converted to the newest layout of its entity. A row of that layout
  /// is passed without conversion. The row must be whole: no value is stored outside of it.
  func withNewest<Result>(
    _ row: RawSpan, of entity: Int, in catalog: Catalog, body: (RawSpan) -> Result
  ) -> Result {
    let layout = catalog.newest(entity)
    if Layout.number(of: row) == layout.number {
      return body(row.extracting(0..<(layout.rowByteCount(row) ?? row.byteCount)))
    }
    return body(renewed(row, as: layout, of: entity, in: catalog).span.bytes)
  }

  private func renewed(
    _ row: RawSpan, as layout: Layout, of entity: Int, in catalog: Catalog
  ) -> [UInt8] {
    if let renewed = renewals[layout.entity.name]?(row) { return renewed }
    guard let record = DynamicRecord(row, of: entity, in: catalog) else {
      preconditionFailure("the valid row of \(layout.entity.name) has an unknown layout")
    }
    var buffer = RowBuffer()
    record.append(layout, to: &buffer)
    buffer.put(Layout.creation(of: row), at: Layout.creationOffset)
    return buffer.bytes
  }
}

extension RecordTypes.Adoption {
  /// Adds an entity and the types that declare attributes of it.
  ///
  /// - Parameters:
  ///   - history: The entity's layouts in the journal.
  ///   - removed: The attributes that the schemas remove.
  fileprivate mutating func add(
    _ entity: EntityDefinition, types: [any Record.Type], history: [Layout], removed: [String],
    path: String,
    number: (_ entity: EntityDefinition, _ new: [Layout]) -> UInt16?
  ) throws(StoreError) {
    var layouts = history
    if let kind = layouts.last?.entity.identifierKind, kind != entity.identifierKind {
      throw StoreError(
        .identifierChanged(entity: entity.name, from: kind, to: entity.identifierKind), path: path)
    }
    if layouts.last?.entity != entity {
      if let excess = SchemaExcess(entity, after: layouts.count)
        ?? (layouts.isEmpty ? SchemaExcess(entity: entity.name, after: entityCount) : nil)
      {
        throw StoreError(.limit(excess, in: nil), path: path)
      }
      guard let number = number(entity, newLayouts) else {
        throw StoreError(.tooManyLayouts, path: path)
      }
      let layout = Layout(number: number, of: entity)
      if layouts.isEmpty { entityCount += 1 }
      layouts.append(layout)
      newLayouts.append(layout)
    }
    do throws(SchemaMismatch) {
      for type in types { try self.types.add(type, layouts: layouts) }
      let renewal = try RecordTypes.renewal(of: layouts, by: types)
      self.types.renewals[entity.name] = { renewal.renewed($0) }
      if !renewal.unconvertedIndexes.isEmpty {
        self.types.unconverted[entity.name] = renewal.unconvertedIndexes.map { index in
          RecordTypes.Unconverted(
            index: index, mayBeDropped: removed.contains(entity.attributes[index].name))
        }
      }
    } catch {
      throw StoreError(
        .typeChanged(
          entity: error.entity, attribute: error.attribute, from: error.old.name,
          to: error.new.name), path: path)
    }
  }
}

extension RecordTypes {
  fileprivate mutating func add<R: Record>(
    _ type: R.Type, layouts: [Layout]
  ) throws(SchemaMismatch) {
    let codec = try RecordCodec<R>(layouts)
    codecs[ObjectIdentifier(type)] = codec
    let names = Set(R.schema.attributes.map(\.name))
    commonAttributes[R.schema.entity] =
      commonAttributes[R.schema.entity]?.intersection(names) ?? names
    unknownValues[R.schema.entity, default: [:]].merge(codec.unknownValues) { first, _ in first }
  }

  /// Returns the conversion of an entity's rows with the converters of its types.
  fileprivate static func renewal(
    of layouts: [Layout], by types: [any Record.Type]
  ) throws(SchemaMismatch) -> RowRenewal {
    func addConversions<R: Record>(
      of type: R.Type, to conversions: inout [String: RowRenewal.Attribute]
    ) {
      for attribute in R.schema.attributes {
        conversions[attribute.name] = RowRenewal.Attribute(
          isOptional: attribute.isOptional, converter: { attribute.converter(from: $0)?.append })
      }
    }
    var conversions: [String: RowRenewal.Attribute] = [:]
    for type in types { addConversions(of: type, to: &conversions) }
    return try RowRenewal(layouts, declaring: conversions)
  }
}
