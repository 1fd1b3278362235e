import DaybookSimulation
import DaybookStore

@testable import DaybookResults

/// Random requests with every operator, and their results by a simple model.
struct RandomRequest {
  let request: ListRequest<Thing>
  /// The paths that the request reads of other records.
  private let foreign: [[String]]

  private static let texts = [
    "name", "note", "place.name", "friend.name", "friend.place.name", "place.id",
    "place.owner.note", "castle.name", "castle.owner.note", "double.name",
  ]
  private static let numbers = [
    "tiny", "short", "middle", "long", "natural", "byte", "single", "precise", "exact",
    "place.height", "friend.exact", "place.owner.long", "id",
    "castle.height", "double.long", "followers.@count", "estates.@count", "castle.things.@count",
    "place.visitors.@count", "numbers.@count", "friends.@count",
  ]
  private static let others = [
    "flag", "flagOrNot", "moment", "mark", "bytes", "link", "place", "friend", "friend.moment",
    "place.owner", "castle", "double", "place.owner.castle",
  ]

  init(_ random: inout RandomFilters, _ filters: inout TypedFilters, _ catalog: Catalog) throws {
    func names(_ path: String) -> [String] { path.split(separator: ".").map(String.init) }
    func key() -> SortKey {
      let isDescending = random.number(2) == 0
      switch random.number(4) {
      case 3:
        var key = SortKey(path: names(random.one(of: Self.texts)), isDescending: isDescending)
        key.words = random.one(of: FilterWorld.texts + ["b", "s", "ab a"])
        return key
      case 0:
        let comparator = random.one(of: [
          TextComparator.plain, .caseInsensitive, .caseAndDiacriticInsensitive, .natural,
        ])
        return SortKey(
          path: names(random.one(of: Self.texts)), comparator: comparator,
          isDescending: isDescending)
      case 1: return SortKey(path: names(random.one(of: Self.numbers)), isDescending: isDescending)
      default: return SortKey(path: names(random.one(of: Self.others)), isDescending: isDescending)
      }
    }
    var keys = (0...random.number(3)).map { _ in key() }
    var sectioning: Sectioning?
    switch random.number(6) {
    case 0:
      let kind = random.one(of: [SectionKind.value, .letter, .prefix(2)])
      sectioning = Sectioning(path: names(random.one(of: Self.texts)), each: kind)
    case 1:
      let kind = random.one(of: [
        SectionKind.value, .day, .week(utcOffset: .seconds(5400)), .month,
        .year(utcOffset: .seconds(-36_000)),
      ])
      sectioning = Sectioning(path: names(random.one(of: ["moment", "friend.moment"])), each: kind)
    case 2:
      let path = random.one(of: [
        "long", "tiny", "place.height", "natural", "castle.height", "followers.@count",
      ])
      sectioning = Sectioning(
        path: names(path), each: random.one(of: [SectionKind.value, .range(width: 10)]))
    case 3:
      sectioning = Sectioning(path: names(random.one(of: Self.others + ["precise", "exact"])))
    default: break
    }
    sectioning?.isDescending = random.number(2) == 0
    // Often the first sort key is the section's.
    if let names = sectioning?.names, random.number(2) == 0 {
      keys[0] = SortKey(path: names, isDescending: random.number(2) == 0)
      if Self.texts.contains(names.joined(separator: ".")) {
        keys[0].comparator = random.one(of: [.plain, .caseInsensitive, .natural])
      }
    }
    let window =
      random.number(2) == 0
      ? ResultWindow()
      : ResultWindow(
        offset: random.number(4), limit: random.number(3) == 0 ? nil : random.number(9))
    try self.init(
      ListRequest(
        filter: random.number(3) > 0 ? filters.filter(depth: 1) : nil, sortedBy: keys,
        sectionedBy: sectioning, limit: window.limit, offset: window.offset), catalog)
  }

  private init(_ request: ListRequest<Thing>, _ catalog: Catalog) throws {
    self.request = request
    let entity = catalog.index(of: "Thing") ?? 0
    let compiled = try request.filter?.compiled(for: entity, in: catalog)
    foreign =
      (compiled?.reads.map(\.names) ?? [])
      + (request.sortKeys.map(\.names) + [request.sectioning?.names ?? []]).map { names in
        names.filter { $0 != "@count" }
      }
  }

  /// Another request that has something in common with this one.
  func variant(
    _ random: inout RandomFilters, _ filters: inout TypedFilters, _ catalog: Catalog
  ) throws -> RandomRequest {
    let other = try RandomRequest(&random, &filters, catalog).request
    var request = request
    switch random.number(4) {
    case 0: request.filter = other.filter
    case 1, 2: request.filter = nil
    default: break
    }
    if random.number(2) == 0 { (request.limit, request.offset) = (other.limit, other.offset) }
    if random.number(4) == 0 { request.sectioning = other.sectioning }
    if random.number(2) == 0 { request.sectioning?.isDescending.toggle() }
    // Sometimes sections of another value, in the same way, or of the same value in another.
    if let names = request.sectioning?.names, Self.texts.contains(names.joined(separator: ".")) {
      switch random.number(6) {
      case 0: request.sectioning?.names = [random.one(of: ["name", "note"])]
      case 1: request.sectioning?.kind = random.one(of: [.value, .letter, .prefix(2)])
      default: break
      }
    }
    switch random.number(4) {
    case 0: request.sortKeys = other.sortKeys
    case 1: request.sortKeys[0].isDescending.toggle()
    case 2: request.sortKeys.insert(other.sortKeys[0], at: 0)
    default: break
    }
    if let names = request.sectioning?.names, random.number(2) == 0 {
      var key = SortKey(path: names, isDescending: random.number(2) == 0)
      if Self.texts.contains(names.joined(separator: ".")) {
        key.comparator = random.one(of: [.plain, .caseInsensitive, .natural])
      }
      request.sortKeys.insert(key, at: 0)
    }
    return try RandomRequest(request, catalog)
  }

  /// Returns all matching rows in order, with the contents that this request or a given one reads.
  func rows(_ snapshot: StoreSnapshot, readBy other: RandomRequest? = nil) throws -> [ModelRow] {
    let foreign = (other ?? self).foreign
    let plain = PlainEvaluator(snapshot: snapshot)
    let reader = PlainReader(snapshot: snapshot)
    let catalog = snapshot.frozen.catalog
    let entity = catalog.index(of: "Thing") ?? 0
    let first = request.sortKeys[0]
    var section: (key: SectionKey, plain: SectionKey, type: ScalarType)?
    if let sectioning = request.sectioning {
      let path = try RequestedValue(sectioning.names, from: entity, in: catalog)
      let isLeading = first.names == sectioning.names && first.words == nil
      let key = try SectionKey(
        sectioning.kind, of: path.end, comparator: isLeading ? first.comparator : .plain,
        isDescending: isLeading ? first.isDescending : sectioning.isDescending)
      let plain = try SectionKey(sectioning.kind, of: path.end)
      section = path.end.scalarType.map { (key, plain, $0) }
    }
    let parts = try request.sortKeys.map { key in
      try OrderKeyPart(
        RequestedValue(key.names, from: entity, in: catalog).end, comparator: key.comparator,
        isDescending: key.isDescending, isOptional: true)
    }
    let records = try snapshot.objects("Thing").filter { record in
      try request.filter.map { try plain.matches($0, record) } ?? true
    }
    let rows = records.map { record in
      let values = request.sortKeys.map { reader.value($0.names, of: record) }
      var keyBytes: [ModelValue] = []
      for (place, (part, value)) in zip(parts, values).enumerated() {
        guard let words = request.sortKeys[place].words else {
          keyBytes.append(.bytes(part.key(of: value)))
          continue
        }
        let query = PlainWords(words)
        let match = query.words.isEmpty ? [] : value?.words.flatMap { query.match($0) } ?? []
        keyBytes.append(.bytes(Array("\(match)".utf8)))
      }
      var sectionValue = ModelValue.none
      var sectionName: String?
      var identity: AnyHashable?
      if let section, let sectioning = request.sectioning {
        let value = reader.value(sectioning.names, of: record)
        let key = section.key.key(of: value, section.type)
        identity =
          [
            AnyHashable(sectioning.names), sectioning.kind,
            section.plain.key(of: value, section.type),
          ] as [AnyHashable]
        sectionValue = .bytes(key)
        sectionName = section.key.name(of: key.span.bytes)
      }
      let row = ModelRow(
        id: number(record.id), section: sectionValue, order: keyBytes,
        creation: snapshot.creation("Thing", number(record.id)),
        content: [AnyHashable(record)] + foreign.map { reader.seen($0[...], of: record) },
        sectionName: sectionName, sectionIdentity: identity)
      return (row: row, values: values)
    }
    // By the values themselves, not by the bytes that are made of them.
    return rows.sorted { one, other in
      if one.row.section != other.row.section { return one.row.section < other.row.section }
      for (key, (value, otherValue)) in zip(request.sortKeys, zip(one.values, other.values)) {
        let model = OrderModel(comparator: key.comparator, isDescending: key.isDescending)
        var order = model.compare(value, otherValue)
        if let words = key.words {
          order = PlainWords(words).compare(value?.words, otherValue?.words)
          if key.isDescending { order = -order }
        }
        if order != 0 { return order < 0 }
      }
      return one.row.creation < other.row.creation
    }.map(\.row)
  }
}

/// Reads values over references and inverses by building every record in flight.
struct PlainReader {
  let snapshot: StoreSnapshot

  private func definition(_ entity: String) -> EntityDefinition? {
    snapshot.entities.first { $0.name == entity }
  }

  private func index(_ name: String, in entity: String) -> Int? {
    definition(entity)?.index(of: name)
  }

  private func target(_ name: String, in entity: String) -> String? {
    guard let definition = definition(entity), let index = definition.index(of: name) else {
      return nil
    }
    return definition.attributes[index].type.target?.entity
  }

  private func record(_ entity: String?, _ id: RecordIdentifier) -> DynamicRecord? {
    entity.flatMap { entity in (try? snapshot.object(entity, id: id)) ?? nil }
  }

  /// The records that refer to a record by one reference.
  struct Inverse {
    let entity: String
    let records: [DynamicRecord]
    let isToOne: Bool
  }

  private func inverse(_ name: String, of record: DynamicRecord) -> Inverse? {
    inverse(name, of: record.id, in: record.entity)
  }

  /// Returns the records whose references with an inverse of this name lead to a record; nil if no
  /// reference declares the inverse.
  func inverse(_ name: String, of id: RecordIdentifier?, in entity: String) -> Inverse? {
    for source in snapshot.entities {
      for (index, attribute) in source.attributes.enumerated()
      where attribute.inverse == name && attribute.type.target?.entity == entity {
        let records = ((try? snapshot.objects(source.name)) ?? []).filter { record in
          guard let id else { return false }
          return switch record.values[index] {
          case .reference(let other): other == id
          case .array(let others): others.contains(.reference(id))
          default: false
          }
        }
        return Inverse(
          entity: source.name, records: records,
          isToOne: source.unique.contains([attribute.name]))
      }
    }
    return nil
  }

  /// Returns the record that a name leads to; nil if it leads to none.
  private func next(_ name: String, of record: DynamicRecord) -> DynamicRecord? {
    if let inverse = inverse(name, of: record) { return inverse.records.first }
    guard let index = index(name, in: record.entity),
      case .reference(let id) = record.values[index]
    else { return nil }
    return self.record(target(name, in: record.entity), id)
  }

  /// Returns the value at the end of a path over references, as a scalar; nil without a value.
  func value(_ names: [String], of record: DynamicRecord) -> AttributeValue? {
    if names.last == "@count" { return .int(Int64(count(names.dropLast(), of: record))) }
    var record = record
    for name in names.dropLast() {
      guard let next = next(name, of: record) else { return nil }
      record = next
    }
    guard let last = names.last else { return nil }
    if last == "id" { return record.id.asValue }
    if let inverse = inverse(last, of: record) { return inverse.records.first?.id.asValue }
    guard let index = index(last, in: record.entity) else { return nil }
    switch record.values[index] {
    case .null: return nil
    case .reference(let id):
      return self.record(target(last, in: record.entity), id).map { _ in id.asValue }
    case let value: return value
    }
  }

  private func count(_ names: [String], of record: DynamicRecord) -> Int {
    var record = record
    for name in names.dropLast() {
      guard let next = next(name, of: record) else { return 0 }
      record = next
    }
    guard let last = names.last else { return 0 }
    if let inverse = inverse(last, of: record) { return inverse.records.count }
    guard let index = index(last, in: record.entity),
      case .array(let values) = record.values[index]
    else { return 0 }
    let target = target(last, in: record.entity)
    return values.filter {
      guard case .reference(let id) = $0 else { return true }
      return self.record(target, id) != nil
    }.count
  }

  /// Everything that is seen in flight, and at its end.
  func seen(_ names: ArraySlice<String>, of record: DynamicRecord) -> AnyHashable {
    guard let name = names.first else { return 0 }
    if name == "id" { return record.id }
    let rest = names.dropFirst()
    if let inverse = inverse(name, of: record) {
      let found = inverse.records.map { rest.isEmpty ? AnyHashable($0.id) : seen(rest, of: $0) }
      return inverse.isToOne
        ? found.first.map { AnyHashable([$0]) } ?? AnyHashable("nowhere") : AnyHashable(found)
    }
    guard let index = index(name, in: record.entity) else { return 0 }
    let target = target(name, in: record.entity)
    switch record.values[index] {
    case .null where target != nil: return "nowhere"
    case .reference(let id):
      guard let next = self.record(target, id) else { return "nowhere" }
      return rest.isEmpty ? [AnyHashable(id)] : [seen(rest, of: next)]
    case .array(let values) where target != nil:
      return values.compactMap { value -> AnyHashable? in
        guard case .reference(let id) = value, let next = self.record(target, id) else {
          return nil
        }
        return rest.isEmpty ? AnyHashable(id) : seen(rest, of: next)
      }
    case let value: return value
    }
  }
}

extension AttributeValue {
  /// The string in which a search for words looks.
  fileprivate var words: String? { if case .string(let text) = self { text } else { nil } }
}

extension RecordIdentifier {
  /// The identifier as a value that is compared.
  fileprivate var asValue: AttributeValue {
    switch self {
    case .int(let number): .int(number)
    case .uint(let number): .uint(number)
    case .string(let text): .string(text)
    case .uuid(let uuid): .uuid(uuid)
    }
  }
}
