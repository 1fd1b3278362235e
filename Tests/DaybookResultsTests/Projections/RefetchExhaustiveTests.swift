import DaybookJournal
import DaybookResults
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite struct `Every change of requests over a small list` {
  // A debug build, which checks every invariant at every step, tries a part.
  private static var isWhole: Bool { FaultRow.Scale.current != .small }

  /// A list that is sorted by one of two numbers of its items.
  private struct Ordering: Sendable {
    var sectioning: Sectioning?
    /// The first sort key, before the number. It is the section's key if that has another order.
    var leading: SortKey?
    var number: WritableKeyPath<Item, Int> & Sendable
    var window = ResultWindow()

    var request: ListRequest<Item> {
      ListRequest(
        sortedBy: (leading.map { [$0] } ?? []) + [.ascending(number)], sectionedBy: sectioning,
        limit: window.limit, offset: window.offset
      )
    }

    /// All rows in order, by an obviously right way.
    func rows(_ snapshot: StoreSnapshot) throws -> [ModelRow] {
      let isFolded = leading?.comparator == .caseInsensitive
      let isDescending = leading?.isDescending ?? false
      let items = try snapshot.objects(Item.self)
      let groups = Set(items.map { $0.group ?? "" }).sorted { one, other in
        let (one, other) = isDescending ? (other, one) : (one, other)
        return isFolded ? one.lowercased() < other.lowercased() : one < other
      }
      return items.map { item in
        let place = groups.firstIndex(of: item.group ?? "") ?? 0
        return ModelRow(
          id: item.id, section: sectioning == nil ? .none : .number(place),
          order: (leading == nil ? [] : [.number(place)]) + [.number(item[keyPath: number])],
          creation: snapshot.creation("Item", item.id), content: item,
          sectionName: item.group, sectionIdentity: item.group)
      }.sorted()
    }
  }

  // Rules 39 to 41.
  /// Rows in four sections, in every way, from one order of the sections and rows to another.
  @Test(arguments: [
    ResultWindow(), ResultWindow(limit: 3), ResultWindow(offset: 1, limit: 3),
  ])
  func `a refetch moves the fewest rows and then the fewest sections`(_ window: ResultWindow) throws
  {
    let count = Self.isWhole ? 5 : 4
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    for id in 0..<count { try context.insert(Item(id: id)) }
    let plain = Ordering(sectioning: .by(\Item.group), number: \.rank)
    let others = [
      Ordering(
        sectioning: .by(\Item.group),
        leading: .ascending(\Item.group, comparator: .caseInsensitive),
        number: \.id, window: window),
      Ordering(
        sectioning: .by(\Item.group), leading: .descending(\Item.group), number: \.id,
        window: window),
      Ordering(number: \.id, window: window),
    ]
    let ranks = permutations(count)
    for groups in 0..<1 << (2 * count) {
      for (place, ranks) in ranks.enumerated()
      where (groups + place) % (Self.isWhole ? 23 : 29) == 0 {
        for id in 0..<count {
          try context.update(Item.self, id: id) {
            $0.group = ["D", "B", "a", "c"][groups >> (2 * id) & 3]
            $0.rank = ranks[id]
          }
        }
        try context.saveAndWait()
        let moment = store.snapshot
        let state = moment.frozen
        let first = Projection(try plain.request.plan(state.catalog), of: state).snapshot
        for other in others {
          let next = Projection(
            try other.request.plan(state.catalog), of: state, window: other.window
          ).snapshot
          let law = DifferenceLaw(
            isSectioned: other.sectioning != nil, before: try plain.rows(moment),
            after: try other.rows(moment), windowBefore: ResultWindow(), windowAfter: other.window,
            wasSectioned: true)
          let difference = ListDifference<DynamicRecord>(from: first, to: next)
          law.hold(difference, "groups \(groups), ranks \(ranks)")
          #expect(difference.updated.isEmpty && difference.changedIdentifiers.isEmpty)
        }
      }
    }
  }
}
