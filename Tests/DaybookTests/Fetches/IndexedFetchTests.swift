import Daybook
import DaybookStore
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import DaybookResults

/// Records with attributes of every kind, and indexes of them.
private struct Part: Record, Equatable {
  var id = 0
  var project: String?
  var status: Int8 = 0
  var created: Date?
  var amount = 0.0
  var price: Decimal?
  var mark: UUID?
  var note = ""
  var owner: Reference<Owner>?
  var isOpen = false
  var size: UInt64?
  var weight: Float = 0
  var bytes: Data?

  static let schema = RecordSchema<Part>("Part")
    .attribute("project", at: \.project).attribute("status", at: \.status)
    .attribute("created", at: \.created).attribute("amount", at: \.amount)
    .attribute("price", at: \.price).attribute("mark", at: \.mark).attribute("note", at: \.note)
    .reference("owner", at: \.owner).attribute("isOpen", at: \.isOpen)
    .attribute("size", at: \.size).attribute("weight", at: \.weight)
    .attribute("bytes", at: \.bytes)
    .indexed(\.project, \.created).indexed(\.status, \.note).indexed(\.owner, \.amount)
    .indexed(\.price).indexed(\.mark, \.isOpen).indexed(\.size, \.id).indexed(\.weight, \.status)
    .indexed(\.note).indexed(\.created, \.project, \.status).indexed(\.amount, \.size)
    .indexed(\.isOpen).indexed(\.bytes, \.note).searchable(\.note).searchable(\.project)

  static let names = [
    "project", "status", "created", "amount", "price", "mark", "note", "owner", "isOpen", "size",
    "weight", "bytes", "id",
  ]
}

private struct Owner: Record {
  var id = 0
  var name = ""

  static let schema = RecordSchema<Owner>("Owner").attribute("name", at: \.name)
}

/// Random histories of parts, and random requests for them.
private struct PartWorld {
  var random: SplitMix64
  let store: Store
  let context: EditingContext

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    store = try Store.inMemory(records: Part.self, Owner.self)
    context = store.makeContext()
  }

  mutating func below(_ bound: Int) -> Int { random.below(bound) }
  mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

  static let texts = [
    "", "a", "A", "ab", "é", "e\u{301}", "b\u{0}", "b", "Ω", "a longer text", "Straße ab",
    "STRASSE-ab", "ab \u{200D}b", "\u{301}", "İb", "ﬁsh",
    "text of many characters: abababababababababab",
    "abababababababababa", "abababababababababb b",
  ]
  static let searches =
    texts + ["s", "strasse a", "b a", "f", "fish", "i", "abababababababab", "text ab"]
  static let doubles = [0, -0.0, 1, -1, 0.1, .infinity, -.infinity, .nan, 1e300, 2.5]
  static let uuids = (0..<4).map { number in
    UUID(uuid: (UInt8(number * 80), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
  }

  mutating func value(of name: String) -> AttributeValue {
    switch name {
    case "project", "note": .string(one(of: Self.texts))
    case "status": .int(Int64(one(of: [0, 1, -1, 127, -128, 3, 300, -200])))
    case "created":
      .date(Date(timeIntervalSinceReferenceDate: one(of: [0, -0.0, 1, 2, 3.5, -4, 1e9])))
    case "amount", "weight": .double(one(of: Self.doubles))
    case "price": .decimal(one(of: [0, 1, -1, 2.5, 1000, -0.001]))
    case "mark": .uuid(one(of: Self.uuids))
    case "owner": .int(Int64(below(4)))
    case "isOpen": .bool(below(2) == 0)
    case "size": .uint(one(of: [0, 1, 2, 1 << 55, 1 << 63, .max]))
    case "bytes": .data(one(of: [[], [0], [0, 0], [1], [1, 0], [255, 255]]))
    default: .int(Int64(below(40)))
    }
  }

  mutating func part(_ id: Int) -> Part {
    var part = Part(id: id)
    func isNil(_ number: Int) -> Bool { number == 0 }
    if !isNil(below(4)) { part.project = one(of: Self.texts) }
    part.status = one(of: [0, 1, -1, 127, -128, 3])
    if !isNil(below(4)) {
      part.created = Date(timeIntervalSinceReferenceDate: one(of: [0, -0.0, 1, 2, 3.5, -4, 1e9]))
    }
    part.amount = one(of: Self.doubles)
    if !isNil(below(4)) { part.price = one(of: [0, 1, -1, 2.5, 1000, -0.001]) }
    if !isNil(below(4)) { part.mark = one(of: Self.uuids) }
    part.note = one(of: Self.texts)
    if !isNil(below(4)) { part.owner = Reference(below(4)) }
    part.isOpen = below(2) == 0
    if !isNil(below(4)) { part.size = one(of: [0, 1, 2, 1 << 55, 1 << 63, .max]) }
    part.weight = Float(one(of: Self.doubles))
    if !isNil(below(4)) {
      part.bytes = Data(one(of: [[], [0], [0, 0], [1], [1, 0], [255, 255]]))
    }
    return part
  }

  mutating func change() throws {
    if below(8) == 0 {
      let id = below(4)
      if try context.object(Owner.self, id: id) == nil {
        try context.insert(Owner(id: id))
      } else {
        try context.delete(Owner.self, id: id)
      }
      return
    }
    let id = below(40)
    if try context.object(Part.self, id: id) == nil {
      try context.insert(part(id))
    } else if below(6) == 0 {
      try context.delete(Part.self, id: id)
    } else {
      let next = part(id)
      let name = below(4)
      try context.update(Part.self, id: id) { part in
        switch name {
        case 0: part = next
        case 1: (part.project, part.note) = (next.project, next.note)
        case 2: (part.created, part.owner) = (next.created, next.owner)
        default: (part.status, part.amount) = (next.status, next.amount)
        }
      }
    }
  }

  /// A condition of an attribute.
  private mutating func condition(_ name: String) -> Filter {
    let left = FilterOperand(.path([name]))
    let isText = name == "project" || name == "note"
    func constant(_ value: AttributeValue) -> FilterOperand {
      FilterOperand(.constant(FilterConstant(value)))
    }
    if below(8) == 0 {
      return Filter(
        FilterComparison(left, relation: one(of: [.equal, .notEqual]), right: constant(.null)))
    }
    switch below(10) {
    case 0:
      let bounds = AttributeValue.array([value(of: name), value(of: name)])
      return Filter(FilterComparison(left, relation: .between, right: constant(bounds)))
    case 1:
      let members = AttributeValue.array((0..<below(3)).map { _ in value(of: name) } + [.null])
      return Filter(FilterComparison(left, relation: .isIn, right: constant(members)))
    case 2 where isText:
      return Filter(
        FilterComparison(
          left, relation: one(of: [.beginsWith, .contains, .equal]),
          right: constant(value(of: name)), options: one(of: [[], [.ignoringCase]])))
    default:
      let relations: [FilterRelation] = [
        .equal, .equal, .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .notEqual,
      ]
      let comparison = FilterComparison(
        left, relation: one(of: relations), right: constant(value(of: name)))
      if below(6) > 0 { return Filter(comparison) }
      var exchanged = comparison
      swap(&exchanged.left, &exchanged.right)
      return Filter(exchanged)
    }
  }

  /// A search for words in an attribute of strings.
  private mutating func search() -> Filter {
    let filter = Filter(
      FilterComparison(
        FilterOperand(.path([one(of: ["note", "project"])])), relation: .matchesWords,
        right: FilterOperand(.constant(FilterConstant(.string(one(of: Self.searches)))))))
    return below(8) == 0 ? !filter : filter
  }

  mutating func request() -> ListRequest<DynamicRecord> {
    // Most requests are of the form that an index can serve.
    let index = one(of: indexes)
    let used = below(index.count + 1)
    var conditions = index[..<used].map { condition($0) }
    if used < index.count, below(2) == 0 { conditions.append(condition(index[used])) }
    if below(4) == 0 { conditions.append(condition(one(of: Part.names))) }
    if below(8) == 0 {
      conditions.append(condition(one(of: Part.names)) || condition(one(of: Part.names)))
    }
    switch below(8) {
    case 0: conditions.append(search() || search())
    case 1: conditions.append(search() && (search() || condition("status")) || search())
    case 2, 3: conditions.append(search())
    default: break
    }
    let isDescending = below(2) == 0
    var keys = index[used...].map { SortKey(path: [$0], isDescending: isDescending) }
    if below(4) == 0 { keys.insert(SortKey(path: [index[0]], isDescending: below(2) == 0), at: 0) }
    if below(5) == 0 { keys.append(SortKey(path: [one(of: Part.names)])) }
    if below(6) == 0 {
      keys = [
        SortKey(
          path: ["note"], comparator: one(of: TextComparator.allCases),
          isDescending: isDescending)
      ]
    }
    if below(8) == 0 { keys = [] }
    if below(8) == 0 {
      keys.insert(.bestMatch(named: "note", words: one(of: Self.searches)), at: 0)
    }
    return ListRequest(
      entity: "Part", filter: conditions.isEmpty ? nil : .all(of: conditions), sortedBy: keys,
      sectionedBy: below(8) == 0 ? .by(named: "status") : nil,
      limit: below(2) == 0 ? below(12) : nil, offset: below(3) == 0 ? below(8) : 0)
  }

  private var indexes: [[String]] {
    store.snapshot.frozen.catalog.types.indexes(of: "Part")
  }
}

@Suite struct `Indexed fetches` {
  /// Compares each access to the rows of a request with a scan.
  private func compare(
    _ request: ListRequest<DynamicRecord>, in state: FrozenState, seed: UInt64
  ) throws -> Int {
    let plan = try request.plan(state.catalog)
    let expected = Projection(plan, of: state, window: request.window).snapshot
    let rows = expected.identifiers
    let matchCount = plan.count(in: state)
    let all = try RowAccess.all(for: request, in: state)
    for access in all {
      let search = try RequestSearch(request, in: state, by: access)
      let found = search.snapshot
      #expect(found.identifiers == rows, "seed \(seed), \(access.kind): \(request)")
      #expect(found.countsText == expected.countsText)
      #expect(search.matchCount == matchCount, "seed \(seed), \(access.kind): \(request)")
    }
    return all.count
  }

  @Test func `every access to the rows of a request finds the rows of a scan`() throws {
    var accessCount = 0
    for seed in 0..<UInt64(FaultRow.count(400, full: 10_000, least: 12)) {
      var world = try PartWorld(seed: seed)
      var held = world.store.snapshot
      for _ in 0..<8 {
        for _ in 0...world.below(30) { try world.change() }
        world.context.processPendingChanges()
        for _ in 0..<6 {
          let request = world.request()
          accessCount += try compare(request, in: world.context.frozen, seed: seed)
          accessCount += try compare(request, in: world.store.snapshot.frozen, seed: seed)
          accessCount += try compare(request, in: held.frozen, seed: seed)
          #expect(
            try world.context.fetch(request).identifiers
              == Projection(
                request.plan(world.context.frozen.catalog), of: world.context.frozen,
                window: request.window
              ).snapshot.identifiers)
        }
        if world.below(3) > 0 { try world.context.saveAndWait() }
        if world.below(4) == 0 { held = world.store.snapshot }
        let moment = try world.store.snapshot(
          at: SequenceNumber(UInt64(world.below(Int(world.store.snapshot.sequence.rawValue) + 1))))
        accessCount += try compare(world.request(), in: moment.frozen, seed: seed)
      }
    }
    // Most requests have a second access.
    #expect(accessCount > 2000)
  }
  @Test func `the rows after a position are the rest of the list`() throws {
    for seed in 0..<UInt64(FaultRow.count(400, full: 10_000, least: 12)) {
      var world = try PartWorld(seed: seed)
      for _ in 0..<4 {
        for _ in 0...world.below(60) { try world.change() }
        try world.context.saveAndWait()
        let state = world.store.snapshot.frozen
        for _ in 0..<12 {
          var request = world.request()
          let limit = request.limit
          (request.limit, request.offset) = (nil, 0)
          let list = FetchedObjects<DynamicRecord>(
            Projection(try request.plan(state.catalog), of: state).snapshot, batchSize: 0)
          if list.isEmpty { continue }
          let place = world.below(list.count)
          var next = request.after(list.position(at: place))
          next.limit = limit
          let rest = list.identifiers.dropFirst(place + 1)
          for access in try RowAccess.all(for: next, in: state) {
            let search = try RequestSearch(next, in: state, by: access)
            #expect(
              search.snapshot.identifiers == Array(rest.prefix(limit ?? .max)),
              "seed \(seed), \(access.kind): \(next)")
            #expect(search.matchCount == rest.count)
          }
        }
      }
    }
  }

  @Test func `a search in the order of an index stops when it is cancelled`() throws {
    let store = try Store.inMemory(records: Part.self, Owner.self)
    let context = store.makeContext()
    for id in 0..<10_000 { try context.insert(Part(id: id, note: "n\(id)")) }
    try context.saveAndWait()
    let state = store.snapshot.frozen
    let request = ListRequest<Part>(sortedBy: [.ascending(\.note)])
    /// Returns the result of a search that is cancelled at the nth check, and the reported counts.
    func find(cancelledAt last: Int) throws -> (rowCount: Int?, counts: [Int]) {
      var counts: [Int] = []
      var askCount = 0
      let watch = LoadWatch(report: { count, _ in counts.append(count) }) {
        askCount += 1
        return askCount >= last
      }
      let search = try RequestSearch(request, in: state)
      #expect(search.description.access == .index(["note"]))
      return (search.snapshot(watchedBy: watch)?.count, counts)
    }
    #expect(try find(cancelledAt: 1) == (nil, [0]))
    #expect(try find(cancelledAt: 2) == (nil, [0, 4096]))
    #expect(try find(cancelledAt: 3) == (nil, [0, 4096, 8192]))
    #expect(try find(cancelledAt: .max) == (10_000, [0, 4096, 8192, 10_000]))
  }
}
