import DaybookStore
import Testing

@testable import DaybookResults

@Suite struct `Watching a load` {
  private static let rowCount = 5000

  /// Keys with long common prefixes, so that rows are sorted in several rounds.
  private func plan(_ frozen: FrozenState) throws -> ResultPlan {
    let path = try ValuePath(["id"], from: 0, in: frozen.catalog)
    return ResultPlan(
      entity: 0,
      order: { place, state, buffer in
        buffer.append([UInt8](repeating: 7, count: 600))
        let id = path.number(of: place, in: state) ?? 0
        buffer.append((id * 7919 % 5000).bigEndian)
      })
  }

  /// Returns the result of a load that is cancelled at the nth check.
  private func load(
    _ frozen: FrozenState, givenUpAt last: Int
  ) throws -> (ids: [RecordIdentifier]?, received: [Int], askCount: Int) {
    var received: [Int] = []
    var askCount = 0
    let watch = LoadWatch(
      report: { seen, all in
        #expect(all == Self.rowCount)
        received.append(seen)
      },
      shouldCancel: {
        askCount += 1
        return askCount >= last
      })
    let projection = Projection(
      try plan(frozen), of: frozen, window: ResultWindow(), watchedBy: watch)
    return (projection?.snapshot.identifiers, received, askCount)
  }

  @Test func `a watched load stops if cancelled and otherwise finds the same rows`() throws {
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    for id in 0..<Self.rowCount { try context.insert(Item(id: id)) }
    try context.saveAndWait()
    let frozen = store.snapshot.frozen
    // At the beginning, after 4096 rows, before each of three rounds, and when all is in order.
    for last in 1...6 {
      let load = try load(frozen, givenUpAt: last)
      #expect(load.ids == nil, "given up at \(last)")
      #expect(load.received == (last == 1 ? [0] : [0, 4096]))
      // It is not gone on with, but asked once more at the end.
      #expect(load.askCount == min(last + 1, 6))
    }
    let load = try load(frozen, givenUpAt: .max)
    #expect(load.ids == Projection(try plan(frozen), of: frozen).snapshot.identifiers)
    #expect(load.ids?.count == Self.rowCount)
    #expect(load.received == [0, 4096, 5000])
    #expect(load.askCount == 6)
  }
}
