import DaybookTesting
import TestSupport
import Testing

@testable import DaybookStore

@Suite struct `Who listens to a context` {
  /// What some listen to; nil if to everything.
  private struct Interest: Hashable {
    var place: Int
    var word: UInt64
  }

  @Test func `is told to in the order in which they came, and forgotten with their words`() throws {
    let catalog = try Store.inMemory(records: Numbered.self).snapshot.frozen.catalog
    var random = SplitMix64(seed: 1)
    var table = ListenerTable()
    var known: [Int: Interest?] = [:]
    var mostWords = 0
    for step in 0..<2000 {
      // They come at first, and go in the end.
      let comes = random.next() % 2000 >= UInt64(step)
      if comes {
        let isWide = random.next() % 10 == 0
        let interest = Interest(place: Int(random.next() % 3), word: random.next() % 20)
        let subject = NarrowInterest.Subject(entity: 0, layout: 0, place: interest.place, kind: 0)
        let narrow = NarrowInterest(subject, word: interest.word) { _ in .unknown }
        let id = table.add(isWide ? nil : narrow, catalog: catalog, hear: { _ in }, settle: {})
        #expect(known.updateValue(isWide ? nil : interest, forKey: id) == nil)
      } else if let id = known.keys.sorted().randomElement(using: &random) {
        known[id] = nil
        table.remove(id)
        // Once is enough.
        table.remove(id)
      }
      guard step % FaultRow.step(7) == 0 else { continue }
      let words = Set(known.values.compactMap { $0 }).count
      mostWords = max(mostWords, words)
      #expect(table.wordCount == words && table.isEmpty == known.isEmpty, "step \(step)")
      #expect(table.hearing(.reset).map(\.id) == known.keys.sorted(), "step \(step)")
    }
    #expect(mostWords > 50)
    for id in known.keys { table.remove(id) }
    #expect(table.wordCount == 0 && table.isEmpty)
  }

  @Test func `is told what is saved if they have heard anything since`() throws {
    let catalog = try Store.inMemory(records: Numbered.self).snapshot.frozen.catalog
    var table = ListenerTable()
    let subject = NarrowInterest.Subject(entity: 0, layout: 0, place: 0, kind: 0)
    let narrow = NarrowInterest(subject, word: 7) { _ in .unknown }
    let wide = table.add(nil, catalog: catalog, hear: { _ in }, settle: {})
    let first = table.add(narrow, catalog: catalog, hear: { _ in }, settle: {})
    // It may show what is not saved already, and then no more.
    #expect(table.settling().map(\.id) == [wide, first])
    #expect(table.settling().map(\.id) == [wide])
    let second = table.add(narrow, catalog: catalog, hear: { _ in }, settle: {})
    table.remove(second)
    #expect(table.settling().map(\.id) == [wide])
  }
}
