import DaybookJournal
import DaybookStore

/// Where a value is found that a request reads: in a row itself, or in a row that it leads to by one
/// reference after another.
///
/// A reference that is nil or dangles leads to nil.
package struct ValuePath: Sendable {
  /// What the path ends at.
  package enum End: Hashable, Sendable {
    /// An attribute that holds one value.
    case scalar(ScalarType)
    /// The identifier of the record that the references lead to, or of the row itself.
    case identifier(IdentifierKind)
    /// A reference to one record.
    case reference(EntityReference)
    /// An attribute that holds several values.
    case array(ScalarType)
    /// References to any number of records.
    case references(EntityReference)
  }

  /// A reference that is followed.
  package struct Step: Sendable {
    /// The entity that has the reference, and the reference's place in its newest layout.
    package let entity: Int
    package let attribute: Int
    /// Where the reference stands in rows of the entity.
    let path: AttributePath
    /// The entity that it leads to.
    package let target: Int
    let kind: IdentifierKind
  }

  /// What is followed, in order.
  package let steps: [Step]
  /// The entity in whose rows the value stands, and its place in the newest layout; nil if it is the
  /// identifier.
  package let entity: Int
  package let attribute: Int?
  package let end: End
  /// The names, as they were given.
  package let names: [String]
  /// Where the value stands in rows of its entity; nil if it is the identifier.
  let path: AttributePath?

  /// The place of the value in the row itself; nil if references are followed, and for identifiers.
  var ownPath: AttributePath? { steps.isEmpty ? path : nil }

  /// Whether the value may be missing: an attribute that need not have one, or a way that may end.
  package let isOptional: Bool

  /// The path of some names from an entity on: references to one record, and at the end any
  /// attribute, or `id`.
  package init(
    _ names: [String], from entity: Int, in catalog: Catalog
  ) throws(PathProblem) {
    var entity = entity
    var steps: [Step] = []
    for (place, name) in names.dropLast().enumerated() {
      let definition = catalog.newest(entity).entity
      guard let attribute = catalog.newest(entity).index(of: name) else {
        throw PathProblem(.noAttribute(name, entity: definition.name), at: place)
      }
      guard case .reference(let target) = definition.attributes[attribute].type else {
        throw PathProblem(.noReference(name, entity: definition.name), at: place)
      }
      guard let next = catalog.index(of: target.entity) else {
        throw PathProblem(.noEntity(target.entity), at: place)
      }
      steps.append(
        Step(
          entity: entity, attribute: attribute,
          path: AttributePath(attribute, of: entity, in: catalog), target: next,
          kind: target.identifierKind))
      entity = next
    }
    guard let last = names.last else { throw PathProblem(.empty, at: 0) }
    let definition = catalog.newest(entity).entity
    self.names = names
    self.steps = steps
    self.entity = entity
    if last == "id" {
      attribute = nil
      path = nil
      end = .identifier(definition.identifierKind)
      isOptional = !steps.isEmpty
      return
    }
    guard let attribute = catalog.newest(entity).index(of: last) else {
      throw PathProblem(.noAttribute(last, entity: definition.name), at: names.count - 1)
    }
    self.attribute = attribute
    path = AttributePath(attribute, of: entity, in: catalog)
    isOptional = !steps.isEmpty || !definition.attributes[attribute].isRequired
    end =
      switch definition.attributes[attribute].type {
      case .scalar(let type): .scalar(type)
      case .array(let type): .array(type)
      case .reference(let target): .reference(target)
      case .references(let target): .references(target)
      }
  }

  /// Hands out the bytes of the value of a row whose bytes are at hand; nil if there is none.
  func withBytes<Result>(
    in bytes: RawSpan, of row: RowLocation, in frozen: FrozenState,
    _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    guard steps.isEmpty, let path, !path.isElsewhere(in: bytes) else {
      return withBytes(of: row, in: frozen, body)
    }
    return path.withBytes(in: bytes, body)
  }

  /// Hands out the bytes of the value of a row, as rows hold them; nil if there is none.
  @inline(__always)
  package func withBytes<Result>(
    of row: RowLocation, in frozen: FrozenState, _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    let row = steps.isEmpty ? row : lead(from: row, frozen)
    if row == .none { return body(nil) }
    guard let path else {
      return frozen.withRow(at: row) { bytes in
        guard let number = Layout.number(of: bytes), let layout = frozen.catalog.layouts[number],
          let range = layout.identifierRange(in: bytes)
        else { return body(nil) }
        return body(bytes.extracting(range))
      }
    }
    let isElsewhere = frozen.withRow(at: row) { path.isElsewhere(in: $0) }
    if isElsewhere {
      return frozen.memory.withWholeRow(at: row, layouts: frozen.catalog.layouts) { bytes in
        path.withBytes(in: bytes, body)
      }
    }
    return frozen.withRow(at: row) { bytes in path.withBytes(in: bytes, body) }
  }

  /// The row that the references lead to; none if they lead nowhere.
  private func lead(from row: RowLocation, _ frozen: FrozenState) -> RowLocation {
    var row = row
    for step in steps {
      row = step.lead(from: row, frozen)
      if row == .none { break }
    }
    return row
  }

  /// How many of the references lead to records.
  func reach(from row: RowLocation, in frozen: FrozenState) -> Int {
    var row = row
    for (reached, step) in steps.enumerated() {
      row = step.lead(from: row, frozen)
      if row == .none { return reached }
    }
    return steps.count
  }
}

extension ValuePath.Step {
  /// The row that the reference of a row leads to; none if it leads nowhere.
  fileprivate func lead(from row: RowLocation, _ frozen: FrozenState) -> RowLocation {
    frozen.withRow(at: row) { bytes in
      path.withBytes(in: bytes) { bytes -> RowLocation in
        guard let bytes, let key = IdentifierBytes(kind, bytes: bytes) else { return .none }
        return frozen.reader.location(of: key, in: target)
      }
    }
  }
}

/// Why some names lead nowhere.
package struct PathProblem: Error, Hashable {
  package enum Kind: Hashable, Sendable {
    case empty
    /// An entity has no attribute of this name.
    case noAttribute(String, entity: String)
    /// An attribute that is to be followed is no reference to one record.
    case noReference(String, entity: String)
    /// A reference leads to an entity that there is not.
    case noEntity(String)
  }

  package var kind: Kind
  /// The name at which it is found out, by its place among all.
  package var place: Int

  package init(_ kind: Kind, at place: Int) {
    self.kind = kind
    self.place = place
  }
}

extension ValuePath.End {
  /// The type of the one value that a path ends at, that of the identifier if it is a reference; nil
  /// if there are several.
  var scalarType: ScalarType? {
    switch self {
    case .scalar(let type): type
    case .identifier(let kind): kind.scalarType
    case .reference(let target): target.identifierKind.scalarType
    case .array, .references: nil
    }
  }

  /// How the text journal calls the type.
  var typeName: String {
    switch self {
    case .scalar(let type): type.name
    case .identifier(let kind): kind.name
    case .reference(let target): AttributeType.reference(target).name
    case .array(let type): AttributeType.array(type).name
    case .references(let target): AttributeType.references(target).name
    }
  }
}

extension IdentifierKind {
  /// The type of a value that identifies.
  var scalarType: ScalarType {
    switch self {
    case .int: .int64
    case .uint: .uint64
    case .string: .string
    case .uuid: .uuid
    }
  }
}

/// What a reference leads to: it is nil if there is no such record.
struct ReferenceTarget: Sendable {
  /// Nil if there is no such entity.
  let entity: Int?
  let kind: IdentifierKind

  /// The target of the reference that a path ends at; nil if it ends at none.
  init?(_ path: ValuePath, in catalog: Catalog) {
    guard case .reference(let target) = path.end else { return nil }
    self.init(target, in: catalog)
  }

  /// The target of a reference.
  init(_ target: EntityReference, in catalog: Catalog) {
    entity = catalog.index(of: target.entity)
    kind = target.identifierKind
  }

  func isThere(_ bytes: RawSpan, in frozen: FrozenState) -> Bool {
    guard let entity, let key = IdentifierBytes(kind, bytes: bytes) else { return false }
    return frozen.reader.location(of: key, in: entity) != .none
  }
}
