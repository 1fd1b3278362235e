/// Looks at every record of a state: whether it has what its schema demands, and whether what it refers to is
/// there.
///
/// Saves see to the first; what was imported, or written by another program, may not have it. The second is
/// nothing wrong: a reference that dangles reads as nil.
package struct StateCheck {
  /// How many records there are.
  package private(set) var recordCount = 0
  /// How many records they refer to, each as often as it is referred to.
  package private(set) var referenceCount = 0
  /// How many of these are not there.
  package private(set) var danglingCount = 0
  /// How many problems were told.
  package private(set) var problemCount = 0

  private let frozen: FrozenState
  private let tell: (ValidationProblem) -> Void

  /// Looks at a state.
  ///
  /// - Parameter tell: Called for each problem: first for required values that are missing, then for values
  ///   that records share and may not.
  /// - Complexity: O(*n*)
  package init(_ frozen: FrozenState, tell: @escaping (ValidationProblem) -> Void) {
    self.frozen = frozen
    self.tell = tell
    for entity in frozen.state.tables.indices { look(at: entity) }
    lookForSharedValues()
  }

  private mutating func report(
    _ entity: Int, _ slot: UInt32, _ kind: ValidationProblem.Kind
  ) {
    problemCount += 1
    tell(
      ValidationProblem(
        entity: frozen.catalog.names[entity], id: frozen.identifier(entity, slot), kind: kind))
  }

  // MARK: Values

  /// What is looked at in each record of an entity.
  private struct Part {
    var name: String
    var path: AttributePath
    var isRequired: Bool
    var target: EntityReference?
    var isArray: Bool
  }

  private func parts(of entity: Int) -> [Part] {
    let attributes = frozen.catalog.newest(entity).entity.attributes
    return attributes.enumerated().compactMap { index, attribute in
      let target = attribute.type.target
      guard attribute.isRequired || target != nil else { return nil }
      var isArray = false
      if case .references = attribute.type { isArray = true }
      return Part(
        name: attribute.name, path: AttributePath(index, of: entity, in: frozen.catalog),
        isRequired: attribute.isRequired, target: target, isArray: isArray)
    }
  }

  private mutating func look(at entity: Int) {
    recordCount += frozen.state.tables[entity].count
    let parts = parts(of: entity)
    guard !parts.isEmpty else { return }
    let scan = RowScan(frozen)
    var missing: [(slot: UInt32, name: String)] = []
    scan.forEachPiece(entity) { rows in
      for index in rows.indices {
        let (slot, location) = (rows[index].slot, rows[index].location)
        scan.withWholeRow(at: location) { row in
          for part in parts {
            let isThere = part.path.withBytes(in: row) { bytes in
              guard let bytes else { return false }
              if let target = part.target { count(bytes, target, isArray: part.isArray) }
              return true
            }
            if part.isRequired, !isThere { missing.append((slot, part.name)) }
          }
        }
      }
      for (slot, name) in missing { report(entity, slot, .required(attribute: name)) }
      missing.removeAll(keepingCapacity: true)
    }
  }

  private mutating func count(_ bytes: RawSpan, _ target: EntityReference, isArray: Bool) {
    let kind = target.identifierKind
    guard isArray else { return count(bytes, target) }
    guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return }
    for index in 0..<list.count {
      count(bytes.extracting(list.range(index, in: bytes)), target)
    }
  }

  private mutating func count(_ identifier: RawSpan, _ target: EntityReference) {
    referenceCount += 1
    guard let entity = frozen.catalog.index(of: target.entity),
      frozen.catalog.newest(entity).entity.identifierKind == target.identifierKind,
      let key = IdentifierBytes(target.identifierKind, identifier),
      frozen.location(entity, key) != .none
    else {
      danglingCount += 1
      return
    }
  }

  // MARK: Unique values

  private mutating func lookForSharedValues() {
    var shared: [(entity: Int, list: Int, first: UInt32, slot: UInt32)] = []
    frozen.forEachSharedValue { shared.append(($0, $1, $2, $3)) }
    shared.sort {
      ($0.entity, $0.list, $0.first, $0.slot) < ($1.entity, $1.list, $1.first, $1.slot)
    }
    for (entity, list, first, slot) in shared {
      let names = frozen.catalog.newest(entity).entity.unique[list]
      report(
        entity, slot,
        .notUnique(attributes: names, other: frozen.identifier(entity, first)))
    }
  }
}
