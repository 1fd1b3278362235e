import DaybookStore

/// A builder for the plan of a request. `ListRequest.plan(_:)` creates a builder, adds the filter,
/// the sections and the sort keys, and then reads ``plan``.
///
/// Each addition compiles one part of the request and records the attributes that this part reads.
/// The plan needs these attributes to recognize changes that cannot affect the list.
struct PlanMaker {
  private let entity: Int
  private let catalog: Catalog
  private var filter: CompiledFilter?
  /// The conditions that every row of the list must meet.
  private(set) var conditions = FilterConditions()
  private var section: (value: RequestedValue, key: SectionKey)?
  private var closureSection: (closure: SectionClosure, key: SectionKey)?
  private var sectionSource: SectionSource?
  private var order: [(value: RequestedValue, part: OrderPart)] = []
  /// The paths that the plan reads. Each path occurs once.
  private var reads: [PathRead] = []
  /// The attributes of the row itself that the plan reads, by purpose.
  private var ownReads = OwnReads.others
  private var start: ListPosition?
  /// The description of the sections and the sort keys, with the types of their values.
  private var orderDescriptions: [String] = []
  private var totals: TotalPlan?

  /// The part of a key that one sort key makes: the bytes of a value, or the rank of a string in a
  /// search for words.
  private enum OrderPart {
    case value(OrderKeyPart)
    case match(WordQuery, isDescending: Bool)
  }

  init(_ entity: Int, in catalog: Catalog) {
    self.entity = entity
    self.catalog = catalog
  }

  /// Adds the filter, which restricts the rows.
  mutating func add(_ filter: Filter) throws(RequestError) {
    do {
      let (compiled, conditions) = try filter.compiledWithConditions(for: entity, in: catalog)
      (self.filter, self.conditions) = (compiled, conditions)
      for read in compiled.reads { record(read, for: \.filter) }
      // A Swift predicate may read any attribute of the record.
      if compiled.evaluations != nil { ownReads.filter = .all }
    } catch { throw RequestError(.filter(error)) }
  }

  mutating func add(
    _ sectioning: Sectioning, following first: SortKey?
  ) throws(RequestError) {
    orderDescriptions.append("sections \(sectioning)")
    if let closure = sectioning.closure { return try add(closure, of: sectioning) }
    let value = try value(sectioning.names, at: sectioning.position, for: \.section)
    do {
      let key = try SectionKey(
        sectioning.kind, of: value.end, comparator: first?.comparator ?? .plain,
        isDescending: first?.isDescending ?? sectioning.isDescending)
      section = (value, key)
      sectionSource = SectionSource(sectioning.names, key: key)
    } catch {
      throw RequestError(
        .section(path: sectioning.names.joined(separator: "."), problem: "\(error)"))
    }
  }

  private mutating func add(
    _ closure: SectionClosure, of sectioning: Sectioning
  ) throws(RequestError) {
    guard closure.fits(entity, in: catalog) else {
      throw RequestError(.unknownType(closure.typeName, section: closure.name))
    }
    do {
      let key = try SectionKey(
        .value, of: .scalar(.string), isDescending: sectioning.isDescending)
      closureSection = (closure, key)
      ownReads.section = .all
      sectionSource = SectionSource(closure, key: key)
    } catch { throw RequestError(.section(path: closure.name, problem: "\(error)")) }
  }

  /// Adds a sort key, after the sort keys that were added before it.
  mutating func add(_ key: SortKey) throws(RequestError) {
    let value = try value(key.names, at: key.position, for: \.order)
    do {
      let part = try self.part(of: key, at: value.end, isOptional: value.isOptional)
      order.append((value, part))
      orderDescriptions.append(PlanMaker.description(of: key, part: part))
    } catch {
      throw RequestError(.sort(path: key.names.joined(separator: "."), problem: "\(error)"))
    }
  }

  /// Adds the totals. They do not affect the rows, so only the paths through references matter.
  mutating func add(_ totals: TotalPlan) { self.totals = totals }

  /// Adds a path whose values are part of the content of a row. A path that follows no reference
  /// needs no read, because every change of the row itself is a change of its content.
  mutating func add(contentPath names: [String]) throws(RequestError) {
    do throws(PathProblem) {
      let value = try RequestedValue(names, from: entity, in: catalog)
      var read = value.read(in: catalog)
      // References to records that do not exist are left out of an array, so the read includes the
      // existence of its members.
      if case .value = value, case .references = value.end {
        read = PathRead(try MembersPath(names, members: [], from: entity, in: catalog), in: catalog)
      }
      if read.isForeign, !reads.contains(where: { $0.isSame(as: read) }) { reads.append(read) }
    } catch { throw RequestError(error, of: names, in: catalog) }
  }

  /// Returns the part of a key for the values at the end of a path.
  private func part(
    of key: SortKey, at end: ValuePath.End, isOptional: Bool
  ) throws(OrderProblem) -> OrderPart {
    guard let words = key.words else {
      return .value(
        try OrderKeyPart(
          end, comparator: key.comparator, isDescending: key.isDescending, isOptional: isOptional))
    }
    guard let type = end.scalarType else { throw OrderProblem(.several, typeName: end.typeName) }
    guard FilterKind(type) == .text else {
      throw OrderProblem(.noWords, typeName: end.typeName)
    }
    return .match(WordQuery(words), isDescending: key.isDescending)
  }

  /// Adds the position after which the rows are, when all sort keys have been added.
  mutating func add(_ start: ListPosition) throws(RequestError) {
    guard start.order == orderDescription else {
      throw RequestError(.start(order: start.order, expected: orderDescription))
    }
    var end: Int? = 0
    for (_, part) in order {
      guard let first = end else { break }
      switch part {
      case .value(let part): end = part.end(inUnchecked: start.key, from: first)
      // The rank is one word.
      case .match: end = first + 8
      }
    }
    // The key ends with the creation number.
    guard let end, start.key.count == end + 8 else { throw RequestError(.damagedStart) }
    self.start = start
    // The position of a row depends on the attributes that the sections and sort keys read.
    ownReads.filter = .all
  }

  /// Returns the description of a sort key, with the type of its values.
  private static func description(of key: SortKey, part: OrderPart) -> String {
    guard case .value(let part) = part else { return "\(key)" }
    return "\(key) \(part.type.name)\(part.isOptional ? "" : "!")"
  }

  private var orderDescription: String { orderDescriptions.joined(separator: ", ") }

  private mutating func value(
    _ names: [String], at position: FilterPosition,
    for use: WritableKeyPath<OwnReads, AttributeBits>
  ) throws(RequestError) -> RequestedValue {
    if let root = position.root, root != catalog.names[entity] {
      throw RequestError(
        .otherEntity(names.joined(separator: "."), root: root, entity: catalog.names[entity]))
    }
    do {
      let value = try RequestedValue(names, from: entity, in: catalog)
      record(value.read(in: catalog), for: use)
      return value
    } catch { throw RequestError(error, of: names, in: catalog) }
  }

  /// Records that the plan reads a path.
  private mutating func record(
    _ read: PathRead, for use: WritableKeyPath<OwnReads, AttributeBits>
  ) {
    if !read.isForeign, let attribute = read.attribute { ownReads[keyPath: use].insert(attribute) }
    if !reads.contains(where: { $0.isSame(as: read) }) { reads.append(read) }
  }

  /// The parts of a row's own key that are bytes of values, without the creation number at its end.
  var orderParts: [OrderKeyPart] {
    order.compactMap { if case .value(let part) = $0.part { part } else { nil } }
  }

  /// The plan of all additions.
  var plan: ResultPlan {
    var matches: ResultPlan.Check?
    if let filter { matches = { row, state in filter.matches(row, in: state) } }
    var sections: ResultPlan.Sections?
    if let (value, key) = section {
      sections = ResultPlan.Sections(
        append: value.reader { bytes, buffer in key.append(bytes, to: &buffer) },
        name: { bytes in key.name(of: bytes.span.bytes) }, source: sectionSource)
    }
    if let (closure, key) = closureSection {
      sections = ResultPlan.Sections(
        append: { row, state, buffer in closure.append(row, in: state, as: key, to: &buffer) },
        name: { bytes in key.name(of: bytes.span.bytes) }, source: sectionSource)
    }
    if let start { matches = check(after: start, and: matches, sections: sections) }
    var planReads = PlanReads()
    planReads.orderDescription = orderDescription
    planReads.own = ownReads
    planReads.foreign = reads.filter(\.isForeign)
    planReads.includesSubstitutes = reads.contains { $0.readsSubstitute(in: catalog) }
    planReads.interest = filter?.interest
    planReads.evaluations = filter?.evaluations
    planReads.catalog = catalog
    for column in totals?.columns ?? [] {
      let read = PathRead(column.path, in: catalog)
      guard read.isForeign, !planReads.foreign.contains(where: { $0.isSame(as: read) }) else {
        continue
      }
      planReads.foreign.append(read)
    }
    planReads.totals = totals
    return ResultPlan(
      entity: entity, matches: matches, sections: sections, order: appendOrder, reads: planReads)
  }

  /// Returns a check for rows that pass a given check and are after a position.
  private func check(
    after start: ListPosition, and matches: ResultPlan.Check?, sections: ResultPlan.Sections?
  ) -> ResultPlan.Check {
    let plan = ResultPlan(entity: entity, sections: sections, order: appendOrder)
    return { row, state in
      if let matches, !matches(row, state) { return false }
      var buffer = RowBuffer()
      if let appendSection = plan.appendSection {
        appendSection(row, state, &buffer)
        let order = RowKey.compare(buffer.bytes[...], to: start.section[...])
        if order != 0 { return order > 0 }
        buffer.removeAll()
      }
      plan.appendOwn(row, in: state, to: &buffer)
      return RowKey.compare(buffer.bytes[...], to: start.key[...]) > 0
    }
  }

  /// An encoder that appends the parts of all sort keys, in order.
  //
  // The closure of several keys calls the closure of all keys but the last, and then appends the
  // last key. An array of closures, or of the paths that they read, would be copied for each row.
  private var appendOrder: ResultPlan.KeyEncoder {
    var all: ResultPlan.KeyEncoder?
    for (value, part) in order {
      let append: ResultPlan.KeyEncoder =
        switch part {
        case .value(let part): value.reader { bytes, buffer in part.append(bytes, to: &buffer) }
        case .match(let query, let isDescending):
          value.reader(query.encoder(isDescending: isDescending))
        }
      guard let before = all else {
        all = append
        continue
      }
      all = { row, state, buffer in
        before(row, state, &buffer)
        append(row, state, &buffer)
      }
    }
    return all ?? { _, _, _ in }
  }
}
