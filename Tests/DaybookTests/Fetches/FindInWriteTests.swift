import Daybook
import DaybookResults
import DaybookStore
import Testing

private struct Issue: Record, Equatable {
  var id = 0
  var project = 0
  var number = 0
  var title = ""
  var isOpen = true

  static let schema = RecordSchema<Issue>("Issue")
    .attribute("project", at: \.project).attribute("number", at: \.number)
    .attribute("title", at: \.title).attribute("isOpen", at: \.isOpen)
    .unique(\.project, \.number).indexed(\.project, \.isOpen).searchable(\.title)
}

/// A find in the body of a write costs as much as one in the store, also beside many inserts.
@Suite struct `Finds in writes` {
  private let store: Store

  init() throws {
    store = try Store.inMemory(records: Issue.self)
    try store.insertAndWait(
      contentsOf: (0..<5000).map { id in
        Issue(id: id, project: id % 10, number: id / 10, title: "issue \(id)")
      })
  }

  private var buildCount: Int { store.statistics.fetches.indexBuildCount }

  /// Inserts twenty records in a write.
  private func insert(round: Int) async throws {
    try await store.write(isolation: nil) { context in
      for index in 0..<20 {
        let id = 10_000 + 20 * round + index
        try context.insert(Issue(id: id, project: 7, number: id, title: "new \(id)"))
      }
    }
  }

  @Test func `a find by unique values reads one row and builds no index`() async throws {
    for round in 0..<20 {
      try await insert(round: round)
      let before = store.statistics.fetches
      let found = try await store.write(isolation: nil) { context in
        try context.first(Issue.self, where: \Issue.project == 3 && \Issue.number == 13)
      }
      #expect(found?.id == 133)
      #expect(store.statistics.fetches.since(before).readRowCount == 1)
    }
    #expect(buildCount == 0)
  }

  @Test(arguments: [false, true])
  func `each context uses the indexes that an earlier one has built`(
    hasChanges: Bool
  ) async throws {
    let closed: Filter = \Issue.project == 7 && \Issue.isOpen == false
    let words = Filter.matches(\Issue.title, words: "new")
    for round in 0..<20 {
      try await insert(round: round)
      let found = try await store.write(isolation: nil) { context in
        if hasChanges { try context.update(Issue.self, id: 7 + 10 * round) { $0.isOpen = false } }
        return (
          try context.fetch(ListRequest<Issue>(filter: closed, sortedBy: [.ascending(\.id)])).map(
            \.id),
          try context.count(of: Issue.self, where: words)
        )
      }
      #expect(found.0 == (hasChanges ? (0...round).map { 7 + 10 * $0 } : []))
      #expect(found.1 == 20 * (round + 1))
    }
    // One declared index, and one index of words.
    #expect(buildCount == 2)
  }

  @Test func `a context without changes fetches from the state of the store`() throws {
    let context = store.makeContext(isolation: nil)
    #expect(context.searched === store.snapshot.frozen)
    try context.insert(Issue(id: 20_000, project: 1, number: 20_000))
    context.processPendingChanges()
    #expect(context.searched !== store.snapshot.frozen)
    #expect(context.searched.published === store.snapshot.frozen)
    try context.rollback()
    #expect(try context.count(of: Issue.self) == 5000)
  }
}
