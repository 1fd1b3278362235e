/// A check of all records of a state: for required values, for the targets of references, and for
/// unique values.
///
/// ```swift
/// let check = StateCheck(store.snapshot) { print($0) }
/// print("\(check.recordCount) records, \(check.danglingCount) dangling references")
/// ```
///
/// Saves ensure that required values exist. Imported records, and records that another program
/// wrote, may lack them. A dangling reference is one whose target does not exist. It reads as nil,
/// so it is a problem only if it is required. A value that the program's type cannot represent is
/// also a problem, unless the schema declares a substitute.
///
/// Some journals store both a reference and its inverse, as two attributes. A reference disagrees
/// with its inverse if the record that it refers to does not refer back. That is no problem either.
@_spi(Tools) public struct StateCheck {
  /// The number of records.
  public private(set) var recordCount = 0
  /// The number of references of the records.
  public private(set) var referenceCount = 0
  /// The number of references to records that do not exist.
  public private(set) var danglingCount = 0
  /// The number of references to records that exist and do not refer back, although the inverse of
  /// the reference is stored too.
  public private(set) var disagreementCount = 0
  /// The number of problems that were reported.
  public private(set) var problemCount = 0

  private let frozen: FrozenState
  private let report: (ValidationProblem) -> Void

  /// Checks a state.
  ///
  /// - Parameters:
  ///   - frozen: The state to check.
  ///   - report: A closure that is called with each problem. It first gets missing required values,
  ///     dangling required references and unknown values. Then it gets values that should be unique
  ///     but are not.
  /// - Complexity: O(*n*)
  package init(_ frozen: FrozenState, report: @escaping (ValidationProblem) -> Void) {
    self.frozen = frozen
    self.report = report
    for entity in frozen.state.tables.indices { inspect(entity) }
    findSharedValues()
  }

  private mutating func report(
    entity: Int, slot: UInt32, kind: ValidationProblem.Kind
  ) {
    problemCount += 1
    report(
      ValidationProblem(
        entity: frozen.catalog.names[entity],
        id: frozen.reader.identifier(ofSlot: slot, in: entity), kind: kind))
  }

  // MARK: Values

  /// An attribute to check in each record of an entity.
  private struct Part {
    var name: String
    var type: AttributeType
    var path: AttributePath
    /// The values that the attribute's Swift type cannot represent. Nil if the type represents all
    /// values, or if the schema declares a substitute.
    var unknown: UnknownValues?
    var isRequired: Bool
    var target: EntityReference?
    var isArray: Bool
    /// The attribute that is stored as the inverse of the reference; nil for all others.
    var inverse: StoredReference?
  }

  /// An attribute that is stored as the inverse of a reference.
  private struct StoredReference {
    var entity: Int
    var path: AttributePath
    var kind: IdentifierKind
    var isArray: Bool

    init?(_ attribute: Int, of entity: Int, in catalog: Catalog) {
      let type = catalog.newest(entity).entity.attributes[attribute].type
      guard let kind = type.target?.identifierKind else { return nil }
      self.entity = entity
      self.kind = kind
      path = AttributePath(attribute, of: entity, in: catalog, readsStoredValues: true)
      isArray = if case .references = type { true } else { false }
    }

    /// Returns whether the value of a row contains an identifier.
    func refers(to identifier: RecordIdentifier, in row: RawSpan) -> Bool {
      path.withBytes(in: row) { bytes in
        guard let bytes = copy bytes else { return false }
        guard isArray else { return RecordIdentifier(kind, bytes: bytes) == identifier }
        guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return false }
        for index in 0..<list.count {
          let element = bytes.extracting(list.range(index, in: bytes))
          if RecordIdentifier(kind, bytes: element) == identifier { return true }
        }
        return false
      }
    }
  }

  private func parts(of entity: Int) -> [Part] {
    let definition = frozen.catalog.newest(entity).entity
    return definition.attributes.enumerated().compactMap { index, attribute in
      let target = attribute.type.target
      var unknown = frozen.catalog.types.unknownValues(of: attribute, definition.name)
      if unknown?.substitute != nil { unknown = nil }
      guard attribute.isRequired || target != nil || unknown != nil else { return nil }
      var isArray = false
      if case .references = attribute.type { isArray = true }
      return Part(
        name: attribute.name, type: attribute.type,
        path: AttributePath(index, of: entity, in: frozen.catalog, readsStoredValues: true),
        unknown: unknown, isRequired: attribute.isRequired, target: target, isArray: isArray,
        inverse: frozen.catalog.storedInverse(of: index, in: entity).flatMap {
          StoredReference($0.attribute, of: $0.entity, in: frozen.catalog)
        })
    }
  }

  private mutating func inspect(_ entity: Int) {
    recordCount += frozen.state.tables[entity].count
    let parts = parts(of: entity)
    guard !parts.isEmpty else { return }
    let scan = RowScan(frozen)
    var problems: [(slot: UInt32, kind: ValidationProblem.Kind)] = []
    scan.forEachPiece(in: entity) { rows in
      for index in rows.indices {
        let (slot, location) = (rows[index].slot, rows[index].location)
        scan.withCompleteRow(at: location) { row in
          for part in parts {
            let problem = part.path.withBytes(in: row) { bytes -> ValidationProblem.Kind? in
              guard let bytes else {
                return part.isRequired ? .required(attribute: part.name) : nil
              }
              if let unknown = part.unknown, !unknown.isKnown(bytes) {
                return .unknownValue(
                  attribute: part.name, value: AttributeValue(part.type, bytes: bytes) ?? .null)
              }
              if part.inverse != nil {
                let id = frozen.reader.identifier(ofSlot: slot, in: entity)
                disagreementCount += disagreements(of: id, in: bytes, part: part)
              }
              guard let target = part.target,
                let dangling = dangling(in: bytes, to: target, isArray: part.isArray)
              else { return nil }
              if !part.isRequired { return nil }
              return .noTarget(attribute: part.name, entity: target.entity, target: dangling)
            }
            if let problem { problems.append((slot, problem)) }
          }
        }
      }
      for (slot, kind) in problems { report(entity: entity, slot: slot, kind: kind) }
      problems.removeAll(keepingCapacity: true)
    }
  }

  /// Counts the references in a value. For a single reference without a target, the function
  /// returns the identifier of the target. For an array it returns nil, because the array itself is
  /// a value.
  private mutating func dangling(
    in bytes: RawSpan, to target: EntityReference, isArray: Bool
  ) -> RecordIdentifier? {
    guard isArray else { return dangling(bytes, to: target) }
    guard let list = ElementList(bytes, byteCount: target.identifierKind.byteCount) else {
      return nil
    }
    for index in 0..<list.count {
      _ = dangling(bytes.extracting(list.range(index, in: bytes)), to: target)
    }
    return nil
  }

  /// Counts a reference. If the target does not exist, the function returns its identifier.
  private mutating func dangling(
    _ identifier: RawSpan, to target: EntityReference
  ) -> RecordIdentifier? {
    referenceCount += 1
    if let entity = frozen.catalog.index(of: target.entity),
      frozen.catalog.newest(entity).entity.identifierKind == target.identifierKind,
      let key = IdentifierBytes(target.identifierKind, bytes: identifier),
      frozen.reader.location(of: key, in: entity) != .none
    {
      return nil
    }
    danglingCount += 1
    return RecordIdentifier(target.identifierKind, bytes: identifier)
  }

  /// Returns the number of records that a value of a record refers to and that do not refer back.
  private func disagreements(
    of record: RecordIdentifier, in bytes: RawSpan, part: Part
  ) -> Int {
    guard let kind = part.target?.identifierKind, let inverse = part.inverse else { return 0 }
    func disagrees(_ bytes: RawSpan) -> Bool {
      guard let key = IdentifierBytes(kind, bytes: bytes) else { return false }
      let location = frozen.reader.location(of: key, in: inverse.entity)
      if location == .none { return false }
      return !frozen.memory.withCompleteRow(at: location, layouts: frozen.catalog.layouts) {
        inverse.refers(to: record, in: $0)
      }
    }
    guard part.isArray else { return disagrees(bytes) ? 1 : 0 }
    guard let list = ElementList(bytes, byteCount: kind.byteCount) else { return 0 }
    return (0..<list.count).count { disagrees(bytes.extracting(list.range($0, in: bytes))) }
  }

  // MARK: Unique values

  private mutating func findSharedValues() {
    var shared: [(entity: Int, list: Int, first: UInt32, slot: UInt32)] = []
    frozen.reader.forEachSharedValue { shared.append(($0, $1, $2, $3)) }
    shared.sort {
      ($0.entity, $0.list, $0.first, $0.slot) < ($1.entity, $1.list, $1.first, $1.slot)
    }
    for (entity, list, first, slot) in shared {
      let names = frozen.catalog.newest(entity).entity.unique[list]
      report(
        entity: entity, slot: slot,
        kind: .notUnique(
          attributes: names, other: frozen.reader.identifier(ofSlot: first, in: entity)))
    }
  }
}
