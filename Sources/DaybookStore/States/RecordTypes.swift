import DaybookJournal

/// The types of records that a store was opened with, and how each gets into rows and out of them.
package struct RecordTypes: Sendable {
  private let types: [any Record.Type]
  private var codecs: [ObjectIdentifier: any AnyObject & Sendable] = [:]
  /// For each entity with a type, what makes a row of its newest layout of one of any.
  private var renewals: [String: Renewal] = [:]

  /// Makes a row of the newest layout of a row of any that has all its values; nil if that is none of the
  /// entity's.
  typealias Renewal = @Sendable (RawSpan) -> [UInt8]?

  /// What makes rows of an entity new; nil if the program has no type of records for it.
  func renewal(of entity: String) -> Renewal? { renewals[entity] }

  /// Holds schemas against themselves and each other.
  static func check(_ types: [any Record.Type], path: String) throws(StoreError) {
    func fail(_ problem: SchemaProblem) -> StoreError { StoreError(.schema(problem), path: path) }
    var entities: [String: EntityDefinition] = [:]
    let definitions = types.map { definition(of: $0) }
    for entity in definitions {
      guard !entity.name.isEmpty else { throw fail(.noName(entity: "")) }
      guard entities.updateValue(entity, forKey: entity.name) == nil else {
        throw fail(.entityTwice(entity.name))
      }
    }
    var inverses: [InverseName: String] = [:]
    for entity in definitions {
      var names: Set<String> = []
      for attribute in entity.attributes {
        guard !attribute.name.isEmpty else { throw fail(.noName(entity: entity.name)) }
        guard attribute.name != "id" else {
          throw fail(.attributeCalledIdentifier(entity: entity.name))
        }
        guard names.insert(attribute.name).inserted else {
          throw fail(.attributeTwice(entity: entity.name, attribute: attribute.name))
        }
        guard let target = attribute.type.target else { continue }
        guard let other = entities[target.entity] else {
          throw fail(
            .unknownTarget(
              entity: entity.name, attribute: attribute.name, target: target.entity))
        }
        guard let inverse = attribute.inverse else { continue }
        if let index = other.index(of: inverse),
          !leads(other.attributes[index], back: attribute.name, to: entity.name)
        {
          throw fail(
            .inverse(
              entity: entity.name, attribute: attribute.name, target: other.name, inverse: inverse))
        }
        let name = "\(entity.name).\(attribute.name)"
        let first = inverses.updateValue(
          name, forKey: InverseName(target: other.name, inverse: inverse))
        if let first {
          throw fail(
            .inverseTwice(target: other.name, inverse: inverse, first: first, second: name))
        }
      }
      for name in entity.unique.joined() {
        guard let index = entity.index(of: name) else {
          throw fail(.unknownUnique(entity: entity.name, attribute: name))
        }
        switch entity.attributes[index].type {
        case .array, .references:
          throw fail(.uniqueArray(entity: entity.name, attribute: name))
        case .scalar, .reference: break
        }
      }
    }
  }

  private struct InverseName: Hashable {
    var target: String
    var inverse: String
  }

  /// Whether an attribute is the other side of a relationship.
  private static func leads(
    _ attribute: AttributeDefinition, back name: String, to entity: String
  ) -> Bool {
    attribute.type.target?.entity == entity && (attribute.inverse ?? name) == name
  }

  private static func definition<R: Record>(of type: R.Type) -> EntityDefinition {
    R.schema.definition
  }

  /// Without codecs yet.
  package init(_ types: [any Record.Type] = []) { self.types = types }

  /// What a store has to do so that its catalog fits the types.
  struct Adoption {
    var types: RecordTypes
    /// Layouts of entities that the journal has otherwise, or not at all.
    var newLayouts: [Layout] = []
  }

  /// Finds for each type the layout of its rows, and asks for a new one for those that have changed.
  ///
  /// - Parameter number: The number for the next new layout; nil if there is none left.
  func adopted(
    by catalog: Catalog, path: String, number: (_ taken: Int) -> UInt16?
  ) throws(StoreError) -> Adoption {
    var adoption = Adoption(types: RecordTypes(types))
    for type in types { try adoption.add(type, catalog, path: path, number) }
    return adoption
  }

  /// How records of a type get into rows and out of them; nil if the store was opened without it.
  package func codec<R: Record>(_ type: R.Type) -> RecordCodec<R>? {
    // Each stands under its own type, by `add` alone.
    guard let codec = codecs[ObjectIdentifier(type)] else { return nil }
    return unsafeDowncast(codec, to: RecordCodec<R>.self)
  }

  /// A row with all its values, in the newest layout of its entity.
  package func newest(_ row: RawSpan, _ entity: Int, _ catalog: Catalog) -> [UInt8] {
    withNewest(row, entity, catalog) { row in row.withUnsafeBytes { [UInt8]($0) } }
  }

  /// Hands out a row with all its values, in the newest layout of its entity; as it stands, if it is of that.
  func withNewest<Result>(
    _ row: RawSpan, _ entity: Int, _ catalog: Catalog, _ body: (RawSpan) -> Result
  ) -> Result {
    let layout = catalog.newest(entity)
    if Layout.number(of: row) == layout.number {
      return body(row.extracting(0..<(layout.rowByteCount(row) ?? row.byteCount)))
    }
    return body(renewed(row, layout, entity, catalog).span.bytes)
  }

  private func renewed(
    _ row: RawSpan, _ layout: Layout, _ entity: Int, _ catalog: Catalog
  ) -> [UInt8] {
    if let renewed = renewals[layout.entity.name]?(row) { return renewed }
    guard let record = DynamicRecord(row, history: catalog.history[entity]) else {
      preconditionFailure("a row of \(layout.entity.name) that was found whole has no layout")
    }
    var buffer = RowBuffer()
    record.append(layout, to: &buffer)
    buffer.put(Layout.creation(of: row), at: Layout.creationOffset)
    return buffer.bytes
  }
}

extension RecordTypes.Adoption {
  fileprivate mutating func add<R: Record>(
    _ type: R.Type, _ catalog: Catalog, path: String, _ number: (Int) -> UInt16?
  ) throws(StoreError) {
    let definition = R.schema.definition
    var layouts: [Layout] = []
    if let entity = catalog.index(of: definition.name) { layouts = catalog.history[entity] }
    if let kind = layouts.last?.entity.identifierKind, kind != definition.identifierKind {
      throw StoreError(
        .identifierChanged(
          entity: definition.name, from: kind, to: definition.identifierKind), path: path)
    }
    if layouts.last?.entity != definition {
      guard let number = number(newLayouts.count) else {
        throw StoreError(.tooManyLayouts, path: path)
      }
      let layout = Layout(number: number, definition)
      layouts.append(layout)
      newLayouts.append(layout)
    }
    do throws(SchemaMismatch) {
      types.add(type, try RecordCodec<R>(layouts))
    } catch {
      throw StoreError(
        .typeChanged(
          entity: error.entity, attribute: error.attribute, from: error.old.name,
          to: error.new.name), path: path)
    }
  }
}

extension RecordTypes {
  fileprivate mutating func add<R: Record>(_ type: R.Type, _ codec: RecordCodec<R>) {
    codecs[ObjectIdentifier(type)] = codec
    renewals[R.schema.entity] = { row in
      guard let record = codec.record(row) else { return nil }
      var buffer = RowBuffer()
      codec.append(record, creation: Layout.creation(of: row), to: &buffer)
      return buffer.bytes
    }
  }
}
