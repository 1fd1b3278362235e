import DaybookStore

extension Filter {
  /// The filter for the rows of an entity.
  ///
  /// - Throws: ``FilterError`` if the entity has no such attributes, if they are not of the type of
  ///   what they are compared with, or if predicates are evaluated on another type than its records.
  package func compiled(
    for entity: Int, in catalog: Catalog
  ) throws(FilterError) -> CompiledFilter {
    let depthMax = 2 * (FilterParser.nestingMax + 1)
    guard depth <= depthMax else { throw FilterError(.nesting(max: depthMax)) }
    var resolver = FilterResolver(entity: entity, catalog: catalog)
    let check = try resolver.check(self)
    return CompiledFilter(
      check, entity: entity, reads: resolver.reads,
      evaluations: evaluatesPredicates ? EvaluationCounter() : nil)
  }
}

/// Finds the attributes that a filter names, and holds their types against each other.
struct FilterResolver {
  let entity: Int
  let catalog: Catalog
  private(set) var reads: [PathRead] = []

  init(entity: Int, catalog: Catalog) {
    self.entity = entity
    self.catalog = catalog
  }

  /// - Parameter isNegated: Whether it stands under an odd number of `NOT`.
  mutating func check(
    _ filter: Filter, isNegated: Bool = false
  ) throws(FilterError) -> FilterCheck {
    switch filter.tree {
    case .constant(let constant): return .constant(constant)
    case .not(let filter): return .not(try check(filter, isNegated: !isNegated))
    case .all(let parts): return .all(try checks(parts, isNegated))
    case .any(let parts): return .any(try checks(parts, isNegated))
    case .comparison(let comparison): return try check(comparison)
    case .evaluated(let predicate):
      guard predicate.fits(entity, catalog) else {
        throw FilterError(.unknownType(predicate.typeName, entity: catalog.names[entity]))
      }
      return .predicate(PredicateCheck(predicate, failedAnswer: isNegated))
    }
  }

  /// The checks of a list, with those last that evaluate predicates: often others have answered.
  private mutating func checks(
    _ filters: [Filter], _ isNegated: Bool
  ) throws(FilterError) -> [FilterCheck] {
    var checks: [FilterCheck] = []
    var last: [FilterCheck] = []
    for filter in filters {
      let check = try check(filter, isNegated: isNegated)
      if filter.evaluatesPredicates { last.append(check) } else { checks.append(check) }
    }
    return checks + last
  }

  // MARK: Sides

  /// One side of a comparison whose names have been found.
  enum Side {
    case constant(FilterConstant)
    case value(ValuePath)
    case count(MembersPath)
    case several(MembersPath)

    /// The type of each value; nil for constants.
    var type: ScalarType? {
      switch self {
      case .constant: nil
      case .value(let path): path.end.scalarType
      case .count: .int64
      case .several(let path): path.end.scalarType
      }
    }

    var kind: FilterKind? {
      if case .constant(let constant) = self { return FilterKind(constant) }
      return type.map { FilterKind($0) }
    }

    var constant: FilterConstant? {
      if case .constant(let constant) = self { constant } else { nil }
    }
  }

  /// How a sentence calls a side.
  func phrase(_ operand: FilterOperand, _ side: Side) -> String {
    switch side {
    case .constant(let constant): FilterResolver.phrase(constant)
    case .value(let path): "\(operand) (\(path.end.typeName))"
    case .count: "\(operand) (a number)"
    case .several(let path): "\(operand) (\(path.end.typeName))"
    }
  }

  static func phrase(_ constant: FilterConstant) -> String {
    switch constant.value {
    case .string(let text): FilterToken.phrase(text)
    case .array: "a list"
    default: constant.description
    }
  }

  mutating func side(_ operand: FilterOperand) throws(FilterError) -> Side {
    if case .constant(let constant) = operand.content { return .constant(constant) }
    let name = catalog.names[entity]
    if let root = operand.place.root, root != name {
      throw FilterError(.otherEntity("\(operand)", root: root, entity: name), operand.place)
    }
    switch operand.content {
    case .constant(let constant): return .constant(constant)
    case .path(let names):
      guard let place = try severalPlace(names, operand.place) else {
        do {
          let path = try ValuePath(names, from: entity, in: catalog)
          note(PathRead(path, in: catalog))
          return .value(path)
        } catch { throw filterError(error, operand.place) }
      }
      return .several(try members(names, place, operand.place))
    case .count(let names):
      guard let place = try severalPlace(names, operand.place) else {
        throw FilterError(
          .notSeveral(FilterOperand.text(of: names), asked: "@count"), operand.place)
      }
      guard place == names.count - 1 else {
        throw FilterError(
          .several(FilterOperand.text(of: Array(names[...place]))), operand.place.name(place))
      }
      return .count(try members(names, place, operand.place))
    }
  }

  private mutating func members(
    _ names: [String], _ severalPlace: Int, _ place: FilterPlace
  ) throws(FilterError) -> MembersPath {
    do {
      let path = try MembersPath(
        Array(names[...severalPlace]), members: Array(names[(severalPlace + 1)...]), from: entity,
        in: catalog)
      note(PathRead(path, in: catalog))
      return path
    } catch { throw filterError(error, place) }
  }

  private mutating func note(_ read: PathRead) {
    if !reads.contains(where: { $0.isSame(as: read) }) { reads.append(read) }
  }

  // MARK: Names

  /// Which of the names is that of an attribute with several values, if one is. Names that lead
  /// nowhere are found out here.
  private func severalPlace(
    _ names: [String], _ filterPlace: FilterPlace
  ) throws(FilterError) -> Int? {
    var several: Int?
    var entity = entity
    for (place, name) in names.enumerated() {
      let definition = catalog.newest(entity).entity
      let isLast = place == names.count - 1
      func noReference(_ type: String) -> FilterError {
        FilterError(
          .noReference(name, entity: definition.name, type: type), filterPlace.name(place + 1))
      }
      if name == "id" {
        guard isLast else { throw noReference(definition.identifierKind.name) }
        break
      }
      guard let attribute = catalog.newest(entity).index(of: name) else {
        throw noAttribute(name, definition, filterPlace.name(place))
      }
      let type = definition.attributes[attribute].type
      switch type {
      case .scalar, .reference: break
      case .array, .references:
        if let several {
          throw FilterError(.severalTwice(names[several], name), filterPlace.name(place))
        }
        several = place
      }
      if isLast { break }
      guard let target = type.target else { throw noReference(type.name) }
      guard let next = catalog.index(of: target.entity) else {
        throw FilterError(.noEntity(target.entity), filterPlace.name(place + 1))
      }
      entity = next
    }
    return several
  }

  private func noAttribute(
    _ name: String, _ definition: EntityDefinition, _ place: FilterPlace
  ) -> FilterError {
    let names = definition.attributes.map(\.name)
    return FilterError(
      .noAttribute(
        name, entity: definition.name,
        nearest: NearestName.nearest(to: name, among: names + ["id"]), known: ["id"] + names),
      place)
  }

  private func filterError(_ problem: PathProblem, _ place: FilterPlace) -> FilterError {
    switch problem.kind {
    case .noEntity(let name): FilterError(.noEntity(name), place.name(problem.place))
    case .noAttribute(let name, let entity):
      FilterError(
        .noAttribute(name, entity: entity, nearest: nil, known: []), place.name(problem.place))
    case .noReference(let name, let entity):
      FilterError(
        .noReference(name, entity: entity, type: "value"), place.name(problem.place + 1))
    case .empty: preconditionFailure("a path without names")
    }
  }
}
