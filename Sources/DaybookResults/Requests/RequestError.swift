import DaybookStore

/// Why a request cannot be made.
///
/// A program reads ``reason``; a person reads ``description``, whose wording may change.
public struct RequestError: Error, Hashable, Sendable {
  /// What stood in the way.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// There is no order.
    case noSortKey(entity: String)
    /// There is no entity of this name, but those known.
    case noEntity(String, nearest: String?, known: [String])
    /// An entity has no attribute of this name, but those known.
    case noAttribute(String, entity: String, nearest: String?, known: [String])
    /// Rows cannot be in order, or in sections, by a property of another entity's records.
    case otherEntity(String, root: String, entity: String)
    /// An attribute that is to be followed is no reference to one record.
    case noReference(String, entity: String)
    /// The filter cannot be asked of the entity.
    case filter(FilterError)
    /// Rows cannot be in order by an attribute.
    case sort(path: String, problem: String)
    /// Records of the type that a section's closure takes are not those of the entity.
    case unknownType(String, section: String)
    /// Rows cannot be put into sections by an attribute.
    case section(path: String, problem: String)
  }

  /// What stood in the way.
  public let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }
}

extension RequestError {
  init(_ problem: PathProblem, of names: [String], in catalog: Catalog) {
    switch problem.kind {
    case .empty: self.init(.noAttribute("", entity: "", nearest: nil, known: []))
    case .noEntity(let name): self = .noEntity(name, in: catalog)
    case .noReference(let name, let entity): self.init(.noReference(name, entity: entity))
    case .noAttribute(let name, let entity):
      let known = catalog.index(of: entity).map { catalog.newest($0).entity.attributes.map(\.name) }
      self.init(
        .noAttribute(
          name, entity: entity,
          nearest: NearestName.nearest(to: name, among: (known ?? []) + ["id"]),
          known: ["id"] + (known ?? [])))
    }
  }

  /// There is no entity of a name.
  package static func noEntity(_ name: String, in catalog: Catalog) -> RequestError {
    RequestError(
      .noEntity(
        name, nearest: NearestName.nearest(to: name, among: catalog.names), known: catalog.names))
  }
}

extension RequestError: CustomStringConvertible {
  /// A sentence or two.
  public var description: String {
    switch reason {
    case .noSortKey(let entity):
      "a request for \(entity) has no sort key; rows are shown in an order, so it needs one."
    case .noEntity(let name, let nearest, let known):
      "there is no entity \(KnownNames.quoted(name))"
        + (known.isEmpty
          ? ", and no other."
          : RequestError.hint(
            nearest, known: known, verb: known.count == 1 ? "there is" : "there are") + ".")
    case .noAttribute(let name, let entity, let nearest, let known):
      "\(entity) has no attribute \(KnownNames.quoted(name))"
        + RequestError.hint(nearest, known: known, verb: "it has") + "."
    case .otherEntity(let path, let root, let entity):
      "\(path) is asked of \(root), and the rows are of \(entity)."
    case .noReference(let name, let entity):
      "\(entity).\(name) is no reference to one record, and so nothing follows it."
    case .filter(let error): "\(error)"
    case .unknownType(let type, let section):
      "sections by \(section) are made of \(type), and the rows are none."
    case .sort(let path, let problem): "sorting by \(path): \(problem)"
    case .section(let path, let problem): "sections by \(path): \(problem)"
    }
  }

  /// The name that may have been meant; if none is near, those that there are.
  private static func hint(_ nearest: String?, known: [String], verb: String) -> String {
    if let nearest { return "; \(nearest) is the nearest" }
    return known.isEmpty ? "" : "; \(verb) \(KnownNames.phrase(known))"
  }
}
