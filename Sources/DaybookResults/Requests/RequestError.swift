import DaybookStore

/// The reason that a request cannot be executed.
///
/// Programs switch on ``reason``. People read ``description``; its wording may change.
public struct RequestError: Error, Hashable, Sendable {
  /// The reasons, with the facts of each.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The request for the entity has no sort key.
    case noSortKey(entity: String)
    /// No entity has this name. `known` contains the names of all entities. `nearest` is the most
    /// similar of them, or nil if none is similar.
    case noEntity(String, nearest: String?, known: [String])
    /// The entity has no attribute of this name. `known` contains `id` and the names of the
    /// entity's attributes. `nearest` is the most similar of them, or nil if none is similar.
    case noAttribute(String, entity: String, nearest: String?, known: [String])
    /// A sort key or the sections use a property of a record type of a different entity.
    case otherEntity(String, root: String, entity: String)
    /// The path continues after an attribute that is not a reference to one record.
    case noReference(String, entity: String)
    /// The filter cannot be applied to the entity.
    case filter(FilterError)
    /// The rows cannot be sorted by the value at a path.
    case sort(path: String, problem: String)
    /// The closure of the sections takes records of a type that does not belong to the entity, or
    /// of a type that the store was not opened with.
    case unknownType(String, section: String)
    /// The rows cannot be grouped into sections by the value at a path.
    case section(path: String, problem: String)
    /// The limit or the offset of the request is negative.
    case window(offset: Int, limit: Int?)
    /// The request has both a start and an offset, but the rows after a position have no offset.
    case startAndOffset(Int)
    /// The start of the request is a position in a list with a different order.
    case start(order: String, expected: String)
    /// The bytes of the start of the request are not those of a position.
    case damagedStart
    /// The measure cannot be computed for the rows.
    case total(measure: String, problem: String)
  }

  /// The reason that the request cannot be executed.
  public let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }
}

extension RequestError {
  init(_ problem: PathProblem, of names: [String], in catalog: Catalog) {
    switch problem.kind {
    case .empty: self.init(.noAttribute("", entity: "", nearest: nil, known: []))
    case .noEntity(let name): self = .noEntity(name, in: catalog)
    case .noReference(let name, let entity), .severalRecords(let name, let entity),
      .singleValue(let name, let entity):
      self.init(.noReference(name, entity: entity))
    case .noAttribute(let name, let entity):
      let known = catalog.index(of: entity).map { catalog.valueNames(of: $0) } ?? ["id"]
      self.init(
        .noAttribute(
          name, entity: entity, nearest: NearestName.nearest(to: name, among: known), known: known))
    }
  }

  /// Returns the error for a name that no entity has.
  package static func noEntity(_ name: String, in catalog: Catalog) -> RequestError {
    RequestError(
      .noEntity(
        name, nearest: NearestName.nearest(to: name, among: catalog.names), known: catalog.names))
  }
}

extension Catalog {
  /// Returns the names that a path of an entity's records can contain: `id`, the attributes, and
  /// the computed inverses.
  func valueNames(of entity: Int) -> [String] {
    ["id"] + newest(entity).entity.attributes.map(\.name) + inverseNames(of: entity)
  }
}

extension RequestError: CustomStringConvertible {
  /// The problem in one or two sentences.
  public var description: String {
    switch reason {
    case .noSortKey(let entity):
      "the request for \(entity) has no sort key; add one to sortedBy."
    case .noEntity(let name, let nearest, let known):
      "no entity '\(name)'"
        + (known.isEmpty
          ? "; the store has no entities."
          : RequestError.hint(
            nearest.map { "'\($0)'" }, known: KnownNames.phrase(known),
            verb: known.count == 1 ? "the only entity is" : "the entities are"))
    case .noAttribute(let name, let entity, let nearest, let known):
      "\(entity) has no attribute '\(name)'"
        + RequestError.hint(
          nearest.map(KnownNames.attribute), known: KnownNames.phrase(ofAttributes: known),
          verb: "it has")
    case .otherEntity(let path, let root, let entity):
      "\(path) is a property of \(root), but the rows are of \(entity)."
    case .noReference(let name, let entity):
      "\(entity).\(name) is not a reference to one record, so no other name can follow it."
    case .filter(let error): "\(error)"
    case .unknownType(let type, let section):
      "sections by \(section) are computed from \(type), but the rows are not of that type."
    case .sort(let path, let problem): "sorting by \(path): \(problem)"
    case .section(let path, let problem): "sections by \(path): \(problem)"
    case .window(let offset, let limit):
      limit.map { $0 < 0 } == true
        ? "the limit of the request is \(limit ?? 0). Use nil to show all rows."
        : "the offset of the request is \(offset). Use 0 to start with the first row."
    case .startAndOffset(let offset):
      """
      the request starts after a position and has the offset \(offset), which would skip rows. Use 0, \
      or an offset without a position.
      """
    case .start(let order, let expected):
      """
      the start of the request is a position in the order '\(order)', but the order of the request is \
      '\(expected)'. Use a position of a list with the same sort keys and sections.
      """
    case .damagedStart:
      "the start of the request is damaged: its bytes are not a position. Fetch the first page again."
    case .total(let measure, let problem): "total \(measure): \(problem)"
    }
  }

  /// Returns a hint with the nearest name or, if no name is similar, with all known names.
  private static func hint(_ nearest: String?, known: String, verb: String) -> String {
    if let nearest { return "; did you mean \(nearest)?" }
    return known.isEmpty ? "." : "; \(verb) \(known)."
  }
}
