import DaybookJournal
import DaybookStore

/// One step of a path: from a record to the records that it refers to, or for an inverse, to the
/// records that refer to it.
///
/// The records of an inverse are found by the index of references, in the order of their creation.
package struct PathStep: Sendable {
  /// The entity of the records that the step starts at.
  package let entity: Int
  /// The entity of the records that the step leads to.
  package let target: Int
  /// The index of the reference in the newest layout of the entity that has it: of `target` for an
  /// inverse, otherwise of `entity`.
  package let attribute: Int
  /// A Boolean value that indicates whether the step leads from the target of a reference to the
  /// records that have the reference.
  package let isInverse: Bool
  /// A Boolean value that indicates whether the step may lead to several records.
  package let isToMany: Bool
  /// The location of the reference in rows of the entity that has it.
  private let path: AttributePath
  /// The kind of the identifiers in the reference.
  private let kind: IdentifierKind
  private let isArray: Bool

  /// The attribute that the step reads of the record that it starts at; nil for an inverse.
  var ownAttribute: Int? { isInverse ? nil : attribute }

  /// Creates the step along a reference of an entity; nil if the attribute is not a reference, or
  /// if the entity of its records does not exist.
  init?(_ attribute: Int, of entity: Int, in catalog: Catalog) {
    let type = catalog.newest(entity).entity.attributes[attribute].type
    guard let reference = type.target, let target = catalog.index(of: reference.entity) else {
      return nil
    }
    self.entity = entity
    self.target = target
    self.attribute = attribute
    isInverse = false
    isArray = if case .references = type { true } else { false }
    isToMany = isArray
    path = AttributePath(attribute, of: entity, in: catalog)
    kind = reference.identifierKind
  }

  /// Creates the step to the records of a computed inverse; nil if no reference to the entity
  /// declares an inverse with this name, or if the entity has an attribute with the name.
  ///
  /// The step leads to one record where the reference alone is a unique list.
  init?(inverse name: String, of entity: Int, in catalog: Catalog) {
    guard let source = catalog.inverse(name, of: entity) else { return nil }
    let type = catalog.newest(source.entity).entity.attributes[source.attribute].type
    guard let reference = type.target else { return nil }
    self.entity = entity
    target = source.entity
    attribute = source.attribute
    isInverse = true
    isArray = if case .references = type { true } else { false }
    isToMany = isArray || !catalog.isUnique(source.attribute, of: source.entity)
    path = AttributePath(source.attribute, of: source.entity, in: catalog)
    kind = reference.identifierKind
  }

  /// Returns the row that a step to one record leads to; none if it leads to no record.
  ///
  /// Before a save, several records may have the same value of a unique reference. The first of
  /// them, in the order of creation, is then the record of the inverse.
  func lead(from row: RowLocation, in frozen: FrozenState) -> RowLocation {
    if isInverse { return inverseRows(of: row, in: frozen).first ?? .none }
    return frozen.withRow(at: row) { bytes in
      path.withBytes(in: bytes) { bytes -> RowLocation in
        guard let bytes, let key = IdentifierBytes(kind, bytes: bytes) else { return .none }
        return frozen.reader.location(of: key, in: target)
      }
    }
  }

  /// Returns the rows that refer to a row, in the order of their creation.
  ///
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  func inverseRows(of row: RowLocation, in frozen: FrozenState) -> [RowLocation] {
    let record = EntityKey(entity, id: frozen.reader.identifier(at: row))
    return frozen.reader.referrers(to: record, from: target, attribute: attribute)
  }

  /// Returns the number of rows that refer to a row.
  ///
  /// - Complexity: O(log *n* + *r*) in the references to the record
  func inverseCount(of row: RowLocation, in frozen: FrozenState) -> Int {
    var count = 0
    frozen.reader.forEachReferrer(of: EntityKey(entity, id: frozen.reader.identifier(at: row))) {
      referrer, reference, _ in
      if referrer == target, reference == attribute { count += 1 }
    }
    return count
  }

  /// Calls a closure with the identifier of each record that the reference of a row refers to. The
  /// records need not exist.
  func forEachReferredIdentifier(
    of row: RowLocation, in frozen: FrozenState, _ body: (RecordIdentifier) -> Void
  ) {
    frozen.memory.withCompleteRow(at: row, layouts: frozen.catalog.layouts) { bytes in
      path.withBytes(in: bytes) { bytes in
        guard let bytes = copy bytes else { return }
        guard isArray else {
          if let id = RecordIdentifier(kind, bytes: bytes) { body(id) }
          return
        }
        guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return }
        for index in 0..<list.count {
          let element = bytes.extracting(list.range(index, in: bytes))
          if let id = RecordIdentifier(kind, bytes: element) { body(id) }
        }
      }
    }
  }

  /// Returns whether two steps lead from the same records by the same reference.
  func isSame(as other: PathStep) -> Bool {
    entity == other.entity && target == other.target && attribute == other.attribute
      && isInverse == other.isInverse
  }
}
