import Daybook
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookResults

private struct Entry: Record {
  var id = 0
  var kind = 0
  var rank = 0
  var text = ""

  static let schema = RecordSchema<Entry>("Entry")
    .attribute("kind", at: \.kind).attribute("rank", at: \.rank).indexed(\.kind, \.rank)
    .attribute("text", at: \.text).searchable(\.text)
}

@Suite struct IndexedFetchThreadTests {
  @Test func `threads that save and fetch at the same time find the rows of their snapshots`()
    async throws
  {
    let store = try Store.inMemory(records: Entry.self)
    _ = try await store.insert(
      contentsOf: (0..<200).map { Entry(id: $0, kind: $0 % 3, rank: $0 % 7) })
    let stepCount = FaultRow.count(2000, full: 20_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for step in 0..<stepCount * 2 {
          try await store.write { context in
            try context.update(Entry.self, id: step * 31 % 200) { entry in
              (entry.kind, entry.rank) = (step % 3, step % 11)
              entry.text = "word\(step % 13)"
            }
          }
        }
      }
      for reader in 0..<3 {
        group.addTask {
          let request = ListRequest<Entry>(
            filter: \Entry.kind == reader, sortedBy: [.descending(\.rank)], limit: 10)
          let search = ListRequest<Entry>(
            filter: .matches(\Entry.text, words: "word\(reader)"),
            sortedBy: [.bestMatch(\.text, words: "word\(reader)")], limit: 10)
          let context = store.makeContext()
          for step in 0..<stepCount {
            let snapshot = store.snapshot
            try compare(request, in: snapshot.frozen)
            try compare(search, in: snapshot.frozen)
            if step % 4 == 0 {
              try context.update(Entry.self, id: step % 200) { entry in
                (entry.rank, entry.text) = (-step, "word1 word2")
              }
              context.processPendingChanges()
              try compare(request, in: context.frozen)
              try compare(search, in: context.frozen)
              if step % 16 == 0 { try context.rollback() }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Compares the rows of every access with those of a scan.
private func compare(_ request: ListRequest<Entry>, in state: FrozenState) throws {
  let plan = try request.plan(state.catalog)
  let expected = Projection(plan, of: state, window: request.window).snapshot.identifiers
  for access in try RowAccess.all(for: request, in: state) {
    let search = try RequestSearch(request, in: state, by: access)
    #expect(search.snapshot.identifiers == expected, "\(access.kind)")
  }
}
