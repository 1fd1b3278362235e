import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import DaybookResults

private struct Issue: Record, Equatable {
  var id = 0
  var project = ""
  var created = 0
  var title = ""
  var code: String?

  static let schema = RecordSchema<Issue>("Issue")
    .attribute("project", at: \.project).attribute("created", at: \.created)
    .attribute("title", at: \.title).attribute("code", at: \.code).unique(\.code)
    .indexed(\.project, \.created).indexed(\.created)

  /// Issues of ten projects. Ten issues in a row have the same time.
  static func many(_ count: Int) -> [Issue] {
    (0..<count).map { number in
      Issue(
        id: number, project: "p\(number % 10)", created: number / 100,
        title: "\(number * 7 % 1000)", code: "c\(number)")
    }
  }
}

@Suite struct `Plans of fetches` {
  private func store(_ count: Int = 1000) throws -> Store {
    let store = try Store.inMemory(records: Issue.self)
    _ = try store.insertAndWait(contentsOf: Issue.many(count))
    return store
  }

  @Test func `a request with the greatest limit finds all rows`() throws {
    let request = ListRequest<Issue>(sortedBy: [.ascending(\.created)], limit: .max)
    #expect(try store(300).fetch(request).count == 300)
  }

  private static let ofProject = \Issue.project == "p3"

  @Test(
    arguments: [
      (
        ListRequest<Issue>(filter: ofProject, sortedBy: [.descending(\.created)], limit: 20),
        "index project, created of Issue: equality on project; 20 of 100 rows, in order"
      ),
      (
        ListRequest<Issue>(
          filter: ofProject && \Issue.created >= 4 && \Issue.created < 6,
          sortedBy: [.ascending(\.created)]),
        "index project, created of Issue: equality on project, range on created; 20 rows, in order"
      ),
      (
        ListRequest<Issue>(filter: ofProject, sortedBy: [.ascending(\.title)]),
        "index project, created of Issue: equality on project; 100 rows, sorted"
      ),
      (
        ListRequest<Issue>(
          filter: ofProject && \Issue.title != "", sortedBy: [.ascending(\.created)]),
        """
        index project, created of Issue: equality on project; 100 rows, in order, other conditions \
        checked
        """
      ),
      (
        ListRequest<Issue>(sortedBy: [.ascending(\.created)], limit: 5, offset: 10),
        "index created of Issue; 15 of 1000 rows, in order"
      ),
      (
        ListRequest<Issue>(filter: \Issue.created == 3, sortedBy: [.ascending(\.title)]),
        "index created of Issue: equality on created; 100 rows, sorted"
      ),
      (
        ListRequest<Issue>(filter: \Issue.code == "c7", sortedBy: [.ascending(\.title)]),
        "unique code of Issue; 1 row"
      ),
      (
        ListRequest<Issue>(filter: \Issue.id == 8, sortedBy: [.ascending(\.title)]),
        "identifier of Issue; 1 row"
      ),
      (
        ListRequest<Issue>(sortedBy: [.ascending(\.title)]),
        "scan of 1000 records of Issue, sorted"
      ),
      // Totals are of all rows that match, so they need a scan.
      (
        ListRequest<Issue>(
          filter: \Issue.id == 8, sortedBy: [.ascending(\.title)], totals: [.count]),
        "scan of 1000 records of Issue, filtered, sorted"
      ),
      (
        ListRequest<Issue>(
          filter: \Issue.title != "7", sortedBy: [.ascending(\.title)], limit: 20),
        "scan of 1000 records of Issue, filtered, the first 20 selected"
      ),
      // An index that leads to most rows is slower than a scan.
      (
        ListRequest<Issue>(filter: \Issue.created > 1, sortedBy: [.ascending(\.title)]),
        "scan of 1000 records of Issue, filtered, sorted"
      ),
    ])
  fileprivate func `a plan names the access to the rows`(
    _ request: ListRequest<Issue>, _ text: String
  ) throws {
    let store = try store()
    #expect(try "\(store.plan(for: request))" == text)
    #expect(try store.snapshot.plan(for: request) == store.plan(for: request))
    #expect(try store.makeContext().plan(for: request) == store.plan(for: request))
  }

  @Test func `a moment that differs much from the present is scanned`() throws {
    let store = try store(3000)
    let request = ListRequest<Issue>(sortedBy: [.ascending(\.created)], limit: 5)
    #expect(try store.plan(for: request).access == .index(["created"]))
    let plan = try store.snapshot(at: 1).plan(for: request)
    #expect(
      "\(plan)" == """
        scan of 1000 records of Issue, the first 5 selected; the index created does not contain \
        this moment
        """)
    #expect(plan.unavailableIndex == ["created"])
    #expect(try store.snapshot(at: 1).fetch(request).map(\.id) == [0, 1, 2, 3, 4])
  }

  /// The number of rows that a closure reads.
  private func readCount(_ store: Store, _ body: () throws -> Void) rethrows -> Int {
    let before = store.statistics.fetches
    try body()
    return store.statistics.fetches.since(before).readRowCount
  }

  @Test func `a page by an index reads its rows and a logarithm of all rows`() throws {
    var counts: [Int] = []
    for count in [500, 8000] {
      let store = try store(count)
      let ascending = ListRequest<Issue>(
        filter: Self.ofProject && \Issue.created >= 2, sortedBy: [.ascending(\.created)], limit: 20)
      var descending = ascending
      descending.sortKeys[0].isDescending = true
      // The first fetch builds the index.
      _ = try store.fetch(ascending)
      for request in [ascending, descending] {
        var page: FetchedObjects<Issue>?
        counts.append(try readCount(store) { page = try store.fetch(request) })
        #expect(page?.count == 20)
      }
    }
    #expect(counts.allSatisfy { $0 < 20 + 80 }, "\(counts)")
  }

  @Test func `a next page reads its rows and a logarithm of all rows`() throws {
    let store = try store(8000)
    // The filter requires one project, so a sort key for it changes nothing.
    let all: [[RecordSortKey<Issue>]] = [
      [.ascending(\.created)], [.descending(\.created)],
      [.ascending(\.project), .ascending(\.created)],
      [.descending(\.created), .ascending(\.project)],
    ]
    for sortKeys in all {
      let whole = ListRequest<Issue>(filter: Self.ofProject, sortedBy: sortKeys)
      var request = whole
      request.limit = 20
      var ids: [Int] = []
      var position: ListPosition?
      // The first fetch builds the index.
      _ = try store.fetch(request)
      repeat {
        var page: FetchedObjects<Issue>?
        let count = try readCount(store) { page = try store.fetch(request.after(position)) }
        #expect(count < 120)
        ids += page?.identifiers ?? []
        position = page?.endPosition
      } while position != nil
      #expect(try ids == store.fetch(whole).identifiers)
    }
  }

  @Test func `a position in the list of another project is before or after all rows`() throws {
    let store = try store(1000)
    let sortKeys: [RecordSortKey<Issue>] = [.ascending(\.project), .descending(\.created)]
    let request = ListRequest<Issue>(filter: Self.ofProject, sortedBy: sortKeys)
    for (project, count) in [("p2", 100), ("p3", 49), ("p4", 0)] {
      let other = ListRequest<Issue>(filter: \Issue.project == project, sortedBy: sortKeys)
      let position = try store.fetch(other).position(at: 50)
      let rest = try store.fetch(request.after(position))
      #expect(rest.count == count)
      #expect(try rest.identifiers == store.fetch(request).identifiers.suffix(count))
    }
  }

  @Test func `a position stays valid when its record is changed or deleted`() throws {
    let store = try store(100)
    let request = ListRequest<Issue>(sortedBy: [.ascending(\.created)], limit: 10)
    let page = try store.fetch(request)
    let context = store.makeContext()
    try context.delete(Issue.self, id: 9)
    try context.update(Issue.self, id: 10) { $0.created = 7 }
    try context.saveAndWait()
    #expect(try store.fetch(request.after(page.endPosition)).identifiers == Array(11...20))
    let text = try JSONEncoder().encode(page.endPosition)
    let position = try JSONDecoder().decode(ListPosition.self, from: text)
    #expect(position == page.endPosition)
    #expect(try store.fetch(request.after(position)).identifiers == Array(11...20))
    #expect(request.after(nil) == request)
    #expect(try store.first(request.after(page.position(at: 0)))?.id == 1)
  }

  @Test func `a position in another order is refused`() throws {
    let store = try store(20)
    let page = try store.fetch(ListRequest<Issue>(sortedBy: [.ascending(\.created)]))
    let other = ListRequest<Issue>(sortedBy: [.descending(\.title)], sectionedBy: .by(\.project))
    let error = #expect(throws: RequestError.self) {
      try store.fetch(other.after(page.endPosition))
    }
    #expect(
      error?.description == """
        the start of the request is a position in the order 'created int64!', but the order of the \
        request is 'sections project, title:desc string!'. Use a position of a list with the same \
        sort keys and sections.
        """)
  }

  @Test func `a request with a position and an offset is refused`() throws {
    let store = try store(20)
    var request = ListRequest<Issue>(sortedBy: [.ascending(\.created)], limit: 5, offset: 5)
    let page = try store.fetch(request)
    #expect(page.identifiers == Array(5...9))
    let sentence = """
      the request starts after a position and has the offset 5, which would skip rows. Use 0, or an \
      offset without a position.
      """
    let next = request.after(page.endPosition)
    let attempts: [() throws -> Void] = [
      { _ = try store.fetch(next) }, { _ = try store.first(next) },
      { _ = try store.count(for: next) }, { _ = try store.plan(for: next) },
      { _ = try store.snapshot.fetchIdentifiers(next) },
      { _ = try store.makeContext().fetch(next) },
    ]
    for attempt in attempts {
      #expect { try attempt() } throws: { "\($0)" == sentence }
    }
    #expect(try store.fetch(request.after(nil)).identifiers == Array(5...9))
    request.offset = 0
    #expect(try store.fetch(request.after(page.endPosition)).identifiers == Array(10...14))
  }

  @Test(arguments: ["{}", #"{"order":"","section":"","key":"?"}"#])
  func `an encoded position that is damaged is refused`(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ListPosition.self, from: Data(text.utf8))
    }
  }

  @Test func `a position of random bytes is refused or finds the rows of a scan`() throws {
    let store = try store(100)
    let state = store.snapshot.frozen
    var random = SplitMix64(seed: 1)
    var refusedCount = 0
    for sortKeys in [
      [SortKey.ascending(\Issue.created)], [.descending(\Issue.created)],
      [.ascending(\Issue.title), .descending(\Issue.code)],
    ] {
      let request = ListRequest<Issue>(filter: Self.ofProject, sortedBy: sortKeys)
      let order = try #require(store.fetch(request).endPosition?.order)
      for _ in 0..<400 {
        let key = (0..<random.below(20)).map { _ in
          UInt8([0, 255, 128, random.below(256)][random.below(4)])
        }
        let next = request.after(ListPosition(order: order, section: [], key: key))
        do {
          let plan = try next.plan(state.catalog)
          let rows = Projection(plan, of: state).snapshot.identifiers
          for access in try RowAccess.all(for: next, in: state) {
            let search = try RequestSearch(next, in: state, by: access)
            #expect(search.snapshot.identifiers == rows)
          }
        } catch {
          refusedCount += 1
          #expect(
            error.description == """
              the start of the request is damaged: its bytes are not a position. Fetch the first page \
              again.
              """)
        }
      }
    }
    #expect(refusedCount > 100)
  }

  @Test func `a context finds its unsaved changes by the index`() throws {
    let store = try store(8000)
    let context = store.makeContext()
    let request = ListRequest<Issue>(
      filter: Self.ofProject, sortedBy: [.descending(\.created)], limit: 3)
    _ = try store.fetch(request)
    try context.insert(Issue(id: 9000, project: "p3", created: 500))
    try context.delete(Issue.self, id: 7993)
    try context.update(Issue.self, id: 4) { issue in
      issue.project = "p3"
      issue.created = 400
    }
    var page: FetchedObjects<Issue>?
    let count = try readCount(store) { page = try context.fetch(request) }
    #expect(page?.map(\.id) == [9000, 4, 7903])
    #expect(count < 100)
    #expect(try context.plan(for: request).access == .index(["project", "created"]))
    #expect(try store.fetch(request).map(\.id) == [7903, 7913, 7923])
    try context.saveAndWait()
    #expect(try store.fetch(request).map(\.id) == [9000, 4, 7903])
  }

  @Test func `a store that has used an index is deallocated`() throws {
    weak var state: FrozenState?
    weak var lost: Store?
    do {
      let store = try store(10)
      lost = store
      state = store.snapshot.frozen
      let request = ListRequest<Issue>(sortedBy: [.ascending(\.created)])
      let kept = store.snapshot
      #expect(try store.fetch(request).count == 10)
      #expect(try kept.fetch(request).count == 10)
    }
    #expect(lost == nil)
    #expect(state == nil)
  }

  @Test func `a snapshot that outlives its store is scanned`() throws {
    let snapshot = try store(10).snapshot
    let request = ListRequest<Issue>(sortedBy: [.descending(\.created)], limit: 2)
    #expect(try snapshot.plan(for: request).access == .scan)
    #expect(try snapshot.fetch(request).map(\.id) == [0, 1])
  }

  @Test func `the first rows of a scan are those of a whole sort`() throws {
    let store = try Store.inMemory(records: Issue.self)
    var random = SplitMix64(seed: 3)
    _ = try store.insertAndWait(
      contentsOf: (0..<12_000).map { number in
        Issue(
          id: number, project: "project \(number % 3)", created: random.below(1 << 40),
          title: "a title with a long start \(random.below(50))")
      })
    let keys: [[SortKey]] = [
      [], [.descending(named: "id")], [.ascending(named: "project")],
      [.descending(named: "title"), .ascending(named: "title")],
      [.descending(named: "project"), .ascending(named: "created")], [.ascending(named: "created")],
    ]
    for sortKeys in keys {
      let request = ListRequest(entity: "Issue", sortedBy: sortKeys)
      let state = store.snapshot.frozen
      let plan = try request.plan(state.catalog)
      let all = ResultLoad(plan, in: state).rows
      for limit in [0, 1, 20, 1500, 11_999, 20_000] {
        for fileOrderCountMin in [0, .max] {
          let source = RowSource(limit: limit, fileOrderCountMin: fileOrderCountMin)
          let some = ResultLoad(plan, in: state, from: source).rows
          #expect(some == Array(all.prefix(limit)), "\(sortKeys), limit \(limit)")
        }
      }
    }
  }
}
