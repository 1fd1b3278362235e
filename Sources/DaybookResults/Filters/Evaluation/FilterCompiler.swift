import DaybookStore

extension Filter {
  /// Returns the filter compiled for the rows of an entity.
  ///
  /// - Throws: ``FilterError`` if the entity does not have the attributes, if constants do not fit
  ///   their types, or if predicates are evaluated on a type that is not the entity's.
  package func compiled(
    for entity: Int, in catalog: Catalog
  ) throws(FilterError) -> CompiledFilter {
    try compiledWithConditions(for: entity, in: catalog).filter
  }

  /// Returns the filter compiled for the rows of an entity, and the conditions that every matching
  /// row must meet.
  ///
  /// - Throws: ``FilterError``, as ``compiled(for:in:)``
  func compiledWithConditions(
    for entity: Int, in catalog: Catalog
  ) throws(FilterError) -> (filter: CompiledFilter, conditions: FilterConditions) {
    let depthMax = 2 * (FilterParser.nestingMax + 1)
    guard depth <= depthMax else { throw FilterError(.nesting(max: depthMax)) }
    var compiler = FilterCompiler(entity: entity, catalog: catalog)
    let program = try compiler.program(of: self)
    let filter = CompiledFilter(
      program, entity: entity, reads: compiler.reads,
      evaluations: evaluatesPredicates ? EvaluationCounter() : nil)
    var conditions = compiler.conditions
    let names = catalog.types.searchableNames(of: catalog.names[entity])
    if !names.isEmpty { conditions.searches = program.searches(in: names) }
    return (filter, conditions)
  }
}

/// The compiler of one filter. The compiler replaces the names of the filter with locations in
/// rows, checks the types of the comparisons, and collects the paths that the filter reads.
struct FilterCompiler {
  let entity: Int
  let catalog: Catalog
  private(set) var reads: [PathRead] = []
  /// The conditions that every matching row must meet.
  private(set) var conditions = FilterConditions()
  /// A Boolean value that indicates whether every matching row must meet the filter that is being
  /// compiled.
  private var isRequired = true

  init(entity: Int, catalog: Catalog) {
    self.entity = entity
    self.catalog = catalog
  }

  /// Returns the program of a filter.
  ///
  /// - Parameter isNegated: A Boolean value that indicates whether the filter is under an odd
  ///   number of `NOT`.
  mutating func program(
    of filter: Filter, isNegated: Bool = false
  ) throws(FilterError) -> FilterProgram {
    let isRequired = isRequired
    defer { self.isRequired = isRequired }
    switch filter.tree {
    case .constant(true), .all, .comparison: break
    case .constant, .any, .not, .evaluated:
      if isRequired { conditions.addOther() }
      // The parts of such a filter are not required themselves.
      self.isRequired = false
    }
    switch filter.tree {
    case .constant(let constant): return .constant(constant)
    case .not(let filter): return .not(try program(of: filter, isNegated: !isNegated))
    case .all(let parts): return .all(try programs(of: parts, isNegated: isNegated))
    case .any(let parts): return .any(try programs(of: parts, isNegated: isNegated))
    case .comparison(let comparison):
      try checkOperands(of: comparison)
      var resolved = ResolvedComparison(
        syntax: comparison, left: try operand(comparison.left),
        right: try operand(comparison.right))
      let program = try resolved.program()
      if isRequired { conditions.add(comparison, compiledTo: program) }
      return program
    case .evaluated(let predicate):
      guard predicate.fits(entity, in: catalog) else {
        throw FilterError(.unknownType(predicate.typeName, entity: catalog.names[entity]))
      }
      return .predicate(predicate, failureResult: isNegated)
    }
  }

  /// Returns the programs of several filters. Programs that evaluate Swift predicates are last:
  /// they take the most time, and the other programs often decide the result.
  private mutating func programs(
    of filters: [Filter], isNegated: Bool
  ) throws(FilterError) -> [FilterProgram] {
    var programs: [FilterProgram] = []
    var last: [FilterProgram] = []
    for filter in filters {
      let program = try program(of: filter, isNegated: isNegated)
      if filter.evaluatesPredicates { last.append(program) } else { programs.append(program) }
    }
    return programs + last
  }

  // MARK: Operands

  /// Throws an error if both sides of a comparison are constants. The error contains the attribute
  /// that one of them may mean, because SQL writes the names of columns in quotation marks.
  private func checkOperands(of comparison: FilterComparison) throws(FilterError) {
    guard case .constant(let left) = comparison.left.content,
      case .constant(let right) = comparison.right.content
    else { return }
    var (attribute, position) = (attributeName(of: left), comparison.left.position)
    if attribute == nil, let quotedName = attributeName(of: right) {
      (attribute, position) = (quotedName, comparison.right.position)
    }
    throw FilterError(
      .constants(left: left.phrase, right: right.phrase, attribute: attribute), at: position)
  }

  /// Returns the attribute, or the path, that has the text of a constant as its name; nil if no
  /// attribute has it.
  private func attributeName(of constant: FilterConstant) -> String? {
    guard case .string(let string) = constant.value else { return nil }
    if catalog.valueNames(of: entity).contains(string) { return FilterOperand.quoted(string) }
    let names = string.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    guard names.count > 1 else { return nil }
    do throws(FilterError) { _ = try collectionIndex(in: names, at: FilterPosition()) } catch {
      return nil
    }
    return FilterOperand.text(of: names)
  }

  /// Returns an operand with its names replaced by locations in rows, and records the path that it
  /// reads.
  private mutating func operand(_ operand: FilterOperand) throws(FilterError) -> ResolvedOperand {
    if case .constant(let constant) = operand.content { return .constant(constant) }
    let name = catalog.names[entity]
    if let root = operand.position.root, root != name {
      throw FilterError(.otherEntity("\(operand)", root: root, entity: name), at: operand.position)
    }
    switch operand.content {
    case .constant(let constant): return .constant(constant)
    case .path(let names):
      guard let index = try collectionIndex(in: names, at: operand.position) else {
        do {
          let path = try ValuePath(names, from: entity, in: catalog)
          record(PathRead(path, in: catalog))
          return .value(path, ReferenceTarget(path, in: catalog))
        } catch { throw filterError(error, at: operand.position) }
      }
      let path = try members(names, collectionIndex: index, at: operand.position)
      return .members(path, path.members.flatMap { ReferenceTarget($0.path, in: catalog) })
    case .count(let names):
      guard let index = try collectionIndex(in: names, at: operand.position) else {
        throw FilterError(
          .notCollection(FilterOperand.text(of: names), operation: "@count"), at: operand.position)
      }
      guard index == names.count - 1 else {
        throw FilterError(
          .quantifierMissing(FilterOperand.text(of: Array(names[...index]))),
          at: operand.position.name(index))
      }
      return .count(try members(names, collectionIndex: index, at: operand.position))
    }
  }

  /// Returns the path to several values, and records it. `collectionIndex` is the index of the name
  /// of the attribute with several values.
  private mutating func members(
    _ names: [String], collectionIndex: Int, at position: FilterPosition
  ) throws(FilterError) -> MembersPath {
    do {
      let path = try MembersPath(
        Array(names[...collectionIndex]), members: Array(names[(collectionIndex + 1)...]),
        from: entity, in: catalog)
      record(PathRead(path, in: catalog))
      return path
    } catch { throw filterError(error, at: position) }
  }

  /// Adds a path to the reads, unless the reads contain it already.
  private mutating func record(_ read: PathRead) {
    if !reads.contains(where: { $0.isSame(as: read) }) { reads.append(read) }
  }

  // MARK: Names

  /// Returns the index of the name that is an attribute with several values, such as an array, or
  /// an inverse that may contain several records; nil if the path has no such name. Throws an error
  /// if one of the names is neither an attribute nor an inverse.
  private func collectionIndex(
    in names: [String], at position: FilterPosition
  ) throws(FilterError) -> Int? {
    var several: Int?
    var entity = entity
    for (index, name) in names.enumerated() {
      let definition = catalog.newest(entity).entity
      let isLast = index == names.count - 1
      func noReference(_ type: String) -> FilterError {
        FilterError(
          .noReference(name, entity: definition.name, type: type), at: position.name(index + 1))
      }
      if name == "id" {
        guard isLast else { throw noReference(definition.identifierKind.name) }
        break
      }
      func noteSeveral() throws(FilterError) {
        if let several {
          throw FilterError(.nestedCollections(names[several], name), at: position.name(index))
        }
        several = index
      }
      guard let attribute = catalog.newest(entity).index(of: name) else {
        guard let step = PathStep(inverse: name, of: entity, in: catalog) else {
          throw noAttribute(name, of: entity, at: position.name(index))
        }
        if step.isToMany { try noteSeveral() }
        entity = step.target
        continue
      }
      let type = definition.attributes[attribute].type
      switch type {
      case .scalar, .reference: break
      case .array, .references: try noteSeveral()
      }
      if isLast { break }
      guard let target = type.target else { throw noReference(type.name) }
      guard let next = catalog.index(of: target.entity) else {
        throw FilterError(.noEntity(target.entity), at: position.name(index + 1))
      }
      entity = next
    }
    return several
  }

  private func noAttribute(
    _ name: String, of entity: Int, at position: FilterPosition
  ) -> FilterError {
    let names = catalog.valueNames(of: entity)
    return FilterError(
      .noAttribute(
        name, entity: catalog.names[entity],
        nearest: NearestName.nearest(to: name, among: names), known: names),
      at: position)
  }

  private func filterError(_ problem: PathProblem, at position: FilterPosition) -> FilterError {
    switch problem.kind {
    case .noEntity(let name): FilterError(.noEntity(name), at: position.name(problem.index))
    case .noAttribute(let name, let entity):
      FilterError(
        .noAttribute(name, entity: entity, nearest: nil, known: []),
        at: position.name(problem.index))
    case .noReference(let name, let entity):
      FilterError(
        .noReference(name, entity: entity, type: "value"), at: position.name(problem.index + 1))
    case .severalRecords(let name, _):
      FilterError(.quantifierMissing(name), at: position.name(problem.index))
    case .singleValue(let name, _):
      FilterError(.notCollection(name, operation: "@count"), at: position.name(problem.index))
    case .empty: preconditionFailure("the path has no names")
    }
  }
}
