import DaybookJournal
import DaybookStore

/// The location of a value that a request reads: in a row itself, or in the row at the end of a
/// chain of references and of inverses of unique references. Filters, sort keys, sections and
/// fetched values use it. For example, the path `details.closeDate` follows the reference
/// `details`, and then reads the attribute `closeDate`.
///
/// If a reference of the chain is nil, if its record does not exist, or if an inverse contains no
/// record, the value is nil. A path that ends with an inverse leads to the identifier of its
/// record.
package struct ValuePath: Sendable {
  /// The kind of the value at the end of a path.
  package enum End: Hashable, Sendable {
    /// An attribute with one value.
    case scalar(ScalarType)
    /// The identifier of the record at the end of the references, or of the row itself.
    case identifier(IdentifierKind)
    /// A reference to one record.
    case reference(EntityReference)
    /// An attribute with several values.
    case array(ScalarType)
    /// References to any number of records.
    case references(EntityReference)
  }

  /// The references and inverses to follow, in order. Each leads to at most one record.
  package let steps: [PathStep]
  /// The entity of the rows that contain the value. `attribute` is the index of the value in the
  /// entity's newest layout; nil for the identifier.
  package let entity: Int
  package let attribute: Int?
  package let end: End
  /// The names of the path.
  package let names: [String]
  /// The location of the value in rows of its entity; nil for the identifier.
  let path: AttributePath?

  /// The location of the value in the row itself; nil for a path with references, and for the
  /// identifier.
  var ownPath: AttributePath? { steps.isEmpty ? path : nil }

  /// A Boolean value that indicates whether the value may be missing, because its attribute is
  /// optional or because a reference on the path may lead to no record.
  package let isOptional: Bool

  /// Creates the path that follows some names from an entity. All names but the last must be
  /// references or inverses to one record. The last name is any attribute, such an inverse, or
  /// `id`.
  package init(
    _ names: [String], from entity: Int, in catalog: Catalog
  ) throws(PathProblem) {
    guard !names.isEmpty else { throw PathProblem(.empty, at: 0) }
    var entity = entity
    var steps: [PathStep] = []
    var last: Int?
    for (index, name) in names.enumerated() {
      let isLast = index == names.count - 1
      if isLast, name == "id" { break }
      let definition = catalog.newest(entity).entity
      guard let attribute = catalog.newest(entity).index(of: name) else {
        guard let step = PathStep(inverse: name, of: entity, in: catalog) else {
          throw PathProblem(.noAttribute(name, entity: definition.name), at: index)
        }
        guard !step.isToMany else {
          throw PathProblem(.severalRecords(name, entity: definition.name), at: index)
        }
        steps.append(step)
        entity = step.target
        continue
      }
      if isLast {
        last = attribute
        break
      }
      guard case .reference(let target) = definition.attributes[attribute].type else {
        throw PathProblem(.noReference(name, entity: definition.name), at: index)
      }
      guard let step = PathStep(attribute, of: entity, in: catalog) else {
        throw PathProblem(.noEntity(target.entity), at: index)
      }
      steps.append(step)
      entity = step.target
    }
    let definition = catalog.newest(entity).entity
    self.names = names
    self.steps = steps
    self.entity = entity
    guard let attribute = last else {
      self.attribute = nil
      path = nil
      end = .identifier(definition.identifierKind)
      isOptional = !steps.isEmpty
      return
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

  /// Calls a closure with the bytes of the value of a row; nil for a missing value. The caller has
  /// already read the bytes of the row.
  func withBytes<Result>(
    in bytes: RawSpan, of row: RowLocation, in frozen: FrozenState,
    _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    guard steps.isEmpty, let path, !path.isElsewhere(in: bytes) else {
      return withBytes(of: row, in: frozen, body)
    }
    return path.withBytes(in: bytes, body)
  }

  /// Calls a closure with the bytes of the value of a row, as rows store them; nil for a missing
  /// value.
  @inline(__always)
  package func withBytes<Result>(
    of row: RowLocation, in frozen: FrozenState, _ body: (borrowing RawSpan?) -> Result
  ) -> Result {
    let row = steps.isEmpty ? row : lead(from: row, in: frozen)
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
      return frozen.memory.withCompleteRow(at: row, layouts: frozen.catalog.layouts) { bytes in
        path.withBytes(in: bytes, body)
      }
    }
    return frozen.withRow(at: row) { bytes in path.withBytes(in: bytes, body) }
  }

  /// Returns the row at the end of the steps; `.none` if they lead to no record.
  func lead(from row: RowLocation, in frozen: FrozenState) -> RowLocation {
    var row = row
    for step in steps {
      row = step.lead(from: row, in: frozen)
      if row == .none { break }
    }
    return row
  }

  /// Returns the number of steps on the path that lead to existing records, counted from the first
  /// step up to the first one that does not.
  func reach(from row: RowLocation, in frozen: FrozenState) -> Int {
    var row = row
    for (reached, step) in steps.enumerated() {
      row = step.lead(from: row, in: frozen)
      if row == .none { return reached }
    }
    return steps.count
  }
}

/// The reason that some names are not a path.
package struct PathProblem: Error, Hashable {
  /// The kinds of problems.
  package enum Kind: Hashable, Sendable {
    case empty
    /// An entity has no attribute of this name.
    case noAttribute(String, entity: String)
    /// An attribute before the end of the path is not a reference to one record.
    case noReference(String, entity: String)
    /// The entity of a reference does not exist.
    case noEntity(String)
    /// The name is an inverse that may contain several records.
    case severalRecords(String, entity: String)
    /// Several values are needed, and the name leads to a single one.
    case singleValue(String, entity: String)
  }

  package var kind: Kind
  /// The index of the name with the problem.
  package var index: Int

  package init(_ kind: Kind, at index: Int) {
    self.kind = kind
    self.index = index
  }
}

extension ValuePath.End {
  /// The type of the single value at the end of a path; for a reference, the type of the
  /// identifier. Nil for several values.
  var scalarType: ScalarType? {
    switch self {
    case .scalar(let type): type
    case .identifier(let kind): kind.scalarType
    case .reference(let target): target.identifierKind.scalarType
    case .array, .references: nil
    }
  }

  /// The name of the type in a text journal.
  var typeName: String {
    switch self {
    case .scalar(let type): type.name
    case .identifier(let kind): kind.name
    case .reference(let target): AttributeType.reference(target).name
    case .array(let type): AttributeType.array(type).name
    case .references(let target): AttributeType.references(target).name
    }
  }

  /// The name of the type with an article, for an error message: `a string`, `an int64`.
  var typePhrase: String {
    switch self {
    case .scalar, .identifier: typeName.hasPrefix("int") ? "an \(typeName)" : "a \(typeName)"
    case .reference(let target): "a reference to \(target.entity)"
    case .references(let target): "references to \(target.entity)"
    case .array(let type): "an array of \(type.name)"
    }
  }
}

extension IdentifierKind {
  /// The type of an identifier's value.
  var scalarType: ScalarType {
    switch self {
    case .int: .int64
    case .uint: .uint64
    case .string: .string
    case .uuid: .uuid
    }
  }
}

/// The target of a reference: an entity and the kind of its identifiers. Requests use it to treat a
/// reference to a record that does not exist as nil.
package struct ReferenceTarget: Sendable {
  /// The entity of the record; nil if no such entity exists.
  let entity: Int?
  let kind: IdentifierKind

  /// Creates the target of the reference at the end of a path; nil if the path ends at a different
  /// kind of value.
  init?(_ path: ValuePath, in catalog: Catalog) {
    guard case .reference(let target) = path.end else { return nil }
    self.init(target, in: catalog)
  }

  /// Creates the target of a reference.
  init(_ target: EntityReference, in catalog: Catalog) {
    entity = catalog.index(of: target.entity)
    kind = target.identifierKind
  }

  func exists(_ bytes: RawSpan, in frozen: FrozenState) -> Bool {
    guard let entity, let key = IdentifierBytes(kind, bytes: bytes) else { return false }
    return frozen.reader.location(of: key, in: entity) != .none
  }
}
