import DaybookJournal
import DaybookSimulation
@_spi(Tools) import DaybookStore
import StoreTestSupport
import Testing

/// Compares states made by folding the start of a history with those made by reverting its end.
@Suite struct `The check of a history` {
  @Test func `a history check finds no problem in the writes of a store`() throws {
    for seed in 0..<20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
      let store = try Store.inMemory(types: [Numbered.self, Unique.self])
      let context = store.makeContext()
      for step in 0..<30 {
        for _ in 0...below(3) {
          let id = below(8)
          if try context.object(Numbered.self, id: id) == nil {
            try context.insert(Numbered(id: id, name: "\(step)"))
          } else if below(3) == 0 {
            try context.delete(Numbered.self, id: id)
          } else {
            try context.update(Numbered.self, id: id) { $0.name += "\(step)" }
          }
        }
        try context.saveAndWait()
      }
      let check = try HistoryCheck(store)
      #expect(check.findings == [], "seed \(seed)")
      #expect(check.stateCount >= HistoryCheck.momentCount, "seed \(seed)")
    }
  }

  @Test func `a history check reports its progress`() throws {
    let store = try Store.inMemory(records: Numbered.self)
    let context = store.makeContext()
    for id in 1...3 {
      try context.insert(Numbered(id: id, name: "n"))
      try context.saveAndWait()
    }
    var received: [String] = []
    _ = try HistoryCheck(store) { received.append("\($0) of \($1)") }
    #expect(received == ["1 of 3", "2 of 3", "3 of 3"])
  }

  @Test func `a history check names the first record that differs in two states`() throws {
    let store = try Store.inMemory(records: Numbered.self, Unique.self)
    let context = store.makeContext()
    for id in 1...3 {
      try context.insert(Numbered(id: id, name: "n"))
      try context.saveAndWait()
    }
    let states = try (0...3).map { try store.snapshot(at: SequenceNumber($0)).frozen }
    for (index, state) in states.enumerated() {
      #expect(HistoryCheck.difference(of: state, from: states[index]) == nil)
    }
    #expect(
      HistoryCheck.difference(of: states[2], from: states[3]).map {
        "\($0.entity) \($0.id) \($0.sequence)"
      }
        == "Numbered 3 2")
  }

  /// Each change refers to the previous change of its record. A change with a wrong reference and
  /// valid checksums can be folded and cannot be reverted.
  @Test func `a history check refuses a change with a wrong predecessor`() throws {
    let journal = MemoryJournal()
    let store = try Store.inMemory(types: [Numbered.self], journal: journal)
    let context = store.makeContext()
    try context.insert(Numbered(id: 7, name: "a"))
    try context.saveAndWait()
    for name in ["b", "c"] {
      try context.update(Numbered.self, id: 7) { $0.name = name }
      try context.saveAndWait()
    }
    var payloads: [[UInt8]] = []
    var reader = journal.transactions(from: 1)
    while let transaction = try reader.next() { payloads.append(transaction.payload.copy()) }

    var refusals: [String] = []
    for offset in payloads[2].indices where payloads[2][offset] == 2 {
      var forged = payloads
      forged[2][offset] = 1
      let journal = MemoryJournal()
      for payload in forged { _ = try journal.appendAndWait(payload) }
      Audit.$isOff.withValue(true) {
        guard let store = try? Store.inMemory(types: [], journal: journal) else { return }
        do throws(StoreError) { _ = try HistoryCheck(store) } catch {
          refusals.append("\(error.reason)")
        }
      }
    }
    #expect(refusals == ["payload(sequence: 3, offset: 6)"])
  }
}
