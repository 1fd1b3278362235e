import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

@Suite struct `The table of observers` {
  /// The key that an observer is interested in; nil for an observer of all events.
  private struct Interest: Hashable {
    var place: Int
    var word: UInt64
  }

  @Test func `observers are notified in registration order and removed with their key words`()
    throws
  {
    let catalog = try Store.inMemory(records: Numbered.self).snapshot.frozen.catalog
    var random = SplitMix64(seed: 1)
    var table = ObserverTable()
    var known: [Int: Interest?] = [:]
    var mostWords = 0
    for step in 0..<2000 {
      // At first most steps add observers; in the end most remove them.
      let comes = random.next() % 2000 >= UInt64(step)
      if comes {
        let isWide = random.next() % 10 == 0
        let interest = Interest(place: Int(random.next() % 3), word: random.next() % 20)
        let subject = NarrowInterest.Subject(entity: 0, layout: 0, field: interest.place, kind: 0)
        let narrow = NarrowInterest(subject, word: interest.word) { _ in .unknown }
        let id = table.add(
          isWide ? nil : narrow, catalog: catalog, onChange: { _ in }, onNewBase: {})
        #expect(known.updateValue(isWide ? nil : interest, forKey: id) == nil)
      } else if let id = known.keys.sorted().randomElement(using: &random) {
        known[id] = nil
        table.remove(id)
        // Removing it twice has no further effect.
        table.remove(id)
      }
      guard step % FaultRow.step(7) == 0 else { continue }
      let words = Set(known.values.compactMap { $0 }).count
      mostWords = max(mostWords, words)
      #expect(table.wordCount == words && table.isEmpty == known.isEmpty, "step \(step)")
      #expect(table.observers(of: .reset).map(\.id) == known.keys.sorted(), "step \(step)")
    }
    #expect(mostWords > 50)
    for id in known.keys { table.remove(id) }
    #expect(table.wordCount == 0 && table.isEmpty)
  }

  @Test func `a narrow observer is notified of a save once after each event`() throws {
    let catalog = try Store.inMemory(records: Numbered.self).snapshot.frozen.catalog
    var table = ObserverTable()
    let subject = NarrowInterest.Subject(entity: 0, layout: 0, field: 0, kind: 0)
    let narrow = NarrowInterest(subject, word: 7) { _ in .unknown }
    let wide = table.add(nil, catalog: catalog, onChange: { _ in }, onNewBase: {})
    let first = table.add(narrow, catalog: catalog, onChange: { _ in }, onNewBase: {})
    // A new observer may show unsaved changes, so it is notified once.
    #expect(table.observersOfBase().map(\.id) == [wide, first])
    #expect(table.observersOfBase().map(\.id) == [wide])
    let second = table.add(narrow, catalog: catalog, onChange: { _ in }, onNewBase: {})
    table.remove(second)
    #expect(table.observersOfBase().map(\.id) == [wide])
  }
}
