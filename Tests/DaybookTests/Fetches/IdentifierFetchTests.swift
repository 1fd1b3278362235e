import Daybook
import Synchronization
import TestSupport
import Testing

/// Identifiers alone are those of the records, in their order.
@Suite struct `A fetch of identifiers` {
  @Test func `an identifier fetch finds the identifiers of the fetched records`() throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 3000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      for step in 0..<6 {
        for _ in 0...changes.below(4) { try changes.change(context) }
        let request = changes.request()
        let ids = try context.fetchIdentifiers(request)
        #expect(ids == (try context.fetch(request).map(\.id)), "seed \(seed), step \(step)")
        #expect(try store.snapshot.fetchIdentifiers(request).count <= step * 5)
        try context.saveAndWait()
        #expect(try store.snapshot.fetchIdentifiers(request) == ids, "seed \(seed), step \(step)")
      }
    }
  }

  /// A label that counts the number of times that it is read from a row.
  private struct CountedLabel: AttributeRepresentable {
    static let readCount = Mutex(0)
    var text = ""

    init() {}

    init?(_row bytes: RawSpan) {
      CountedLabel.readCount.withLock { $0 += 1 }
      guard let text = String(_row: bytes) else { return nil }
      self.text = text
    }

    static var _attributeType: AttributeType { String._attributeType }
    func _append(to buffer: inout RowBuffer) { text._append(to: &buffer) }
  }

  private struct Crate: Record {
    var id = 0
    var label = CountedLabel()
    static let schema = RecordSchema<Crate>("Crate").attribute("label", at: \.label)
  }

  @Test func `an identifier fetch and a value fetch read no record`() throws {
    let store = try Store.inMemory(types: [Crate.self])
    let context = store.makeContext()
    for id in 0..<10 {
      var crate = Crate()
      (crate.id, crate.label.text) = (id, "\(id % 3)")
      try context.insert(crate)
    }
    try context.saveAndWait()
    let request = ListRequest<Crate>(
      sortedBy: [.descending(named: "label"), .ascending(\Crate.id)], limit: 4)
    let before = CountedLabel.readCount.withLock { $0 }
    #expect(try store.snapshot.fetchIdentifiers(request) == [2, 5, 8, 1])
    let labels = try store.snapshot.fetchValues(request, of: [.attribute(\.label)], distinct: true)
    #expect(labels.map { $0[\.label] } == [.string("2"), .string("1"), .string("0")])
    #expect(CountedLabel.readCount.withLock { $0 } == before)
    #expect(try store.snapshot.fetch(request).map(\.label.text) == ["2", "2", "2", "1"])
    #expect(CountedLabel.readCount.withLock { $0 } == before + 4)
  }
}
