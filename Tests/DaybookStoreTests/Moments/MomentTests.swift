import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

@Suite struct `Earlier moments of a store` {
  private static let ids = (0..<8).map { number in
    UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  /// Saves random transactions, some with a large value.
  private func save(_ context: EditingContext, _ generator: inout SplitMix64) throws {
    repeat {
      for _ in 0...generator.next() % 3 {
        let id = Self.ids[Int(generator.next() % 8)]
        let note = generator.next() % 5 == 0 ? String(repeating: "long ", count: 200) : "short"
        if try context.object(Unique.self, id: id) == nil {
          try context.insert(Unique(id: id, name: "n\(generator.next() % 9)", note: note))
        } else if generator.next() % 3 == 0 {
          try context.delete(Unique.self, id: id)
        } else {
          try context.update(Unique.self, id: id) {
            $0.name = "n\(generator.next() % 9)"
            if generator.next() & 1 == 0 { $0.note = note }
          }
        }
      }
    } while try context.saveAndWait() == nil
  }

  @Test(arguments: Place.allCases)
  func `every earlier state is available by number and by time`(_ place: Place) throws {
    for seed in 0..<6 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      try place.withStores([Unique.self]) { open in
        var store = try open()
        var context = store.makeContext()
        var states: [[DynamicRecord]] = [[]]
        for _ in 0..<30 {
          try save(context, &generator)
          states.append(try store.snapshot.objects("Unique"))
          if generator.next() % 10 == 0, place != .memory {
            try store.closeAndWait()
            store = try open()
            context = store.makeContext()
          }
        }
        for (number, state) in states.enumerated() {
          let then = try store.snapshot(at: SequenceNumber(UInt64(number)))
          #expect(try then.objects("Unique") == state, "seed \(seed), \(number)")
          #expect(then.sequence == SequenceNumber(UInt64(number)))
          guard number > 0 else { continue }
          let byTime = try store.snapshot(at: then.time)
          // Only their numbers distinguish transactions with equal times.
          #expect(byTime.sequence >= then.sequence && byTime.time == then.time)
        }
        #expect(try store.snapshot(at: .distantPast).sequence == 0)
        #expect(throws: StoreError.self) { try store.snapshot(at: 31 as SequenceNumber) }
      }
    }
  }

  @Test(arguments: Place.allCases)
  func `a walk moves between any states and its earlier snapshots stay valid`(
    _ place: Place
  ) throws {
    for seed in 0..<4 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      try place.withStores([Unique.self]) { open in
        let store = try open()
        let context = store.makeContext()
        for _ in 0..<30 { try save(context, &generator) }
        let walk = try store.walk(from: SequenceNumber(1 + generator.next() % 30))
        var shown: [StoreSnapshot] = []
        for _ in 0..<40 {
          let sequence = SequenceNumber(generator.next() % 31)
          shown.append(try walk.move(to: sequence))
          #expect(walk.frozen.sequence == sequence)
        }
        for state in shown {
          let then = try store.snapshot(at: state.sequence)
          #expect(state.time == then.time)
          #expect(rows(state.frozen) == rows(then.frozen), "seed \(seed), \(state.sequence)")
        }
        #expect(throws: StoreError.self) { try walk.move(to: 31) }
        // The walk continues from its current state.
        _ = try walk.move(to: 29)
        #expect(try walk.next()?.sequence == 30)
        let none = try walk.next()
        #expect(none == nil)
      }
    }
  }

  /// Returns the location of each existing record.
  private func rows(_ state: FrozenState) -> [RowLocation] {
    guard let entity = state.catalog.index(of: "Unique") else { return [] }
    let rows = Self.ids.map { state.reader.location(of: IdentifierBytes(.uuid($0)), in: entity) }
    #expect(state.state.tables[entity].count == rows.count { $0 != .none })
    return rows
  }

  @Test(arguments: Place.allCases)
  func `transactions lead from each state to the next and form histories`(
    _ place: Place
  ) throws {
    var generator = SplitMix64(seed: 77)
    try place.withStores([Unique.self]) { open in
      let store = try open()
      let context = store.makeContext()
      for number in 0..<40 {
        context.metadata = TransactionMetadata(author: "a\(number)")
        try save(context, &generator)
      }
      var records: [RecordIdentifier: DynamicRecord] = [:]
      var histories: [RecordIdentifier: [String]] = [:]
      var transactions = try store.transactions(from: 1)
      var count: UInt64 = 0
      while let transaction = try transactions.next() {
        count += 1
        #expect(transaction.sequence == SequenceNumber(count))
        #expect(transaction.metadata.author == "a\(count - 1)")
        for change in transaction.changes {
          #expect(records[change.id] == change.old)
          records[change.id] = change.new
          histories[change.id, default: []].append("\(count) \(change.kind)")
        }
        let then = try store.snapshot(at: SequenceNumber(count))
        #expect(try then.objects("Unique").count == records.count)
      }
      #expect(count == 40)
      for id in Self.ids {
        let history = try store.history(of: "Unique", id: .uuid(id))
        #expect(
          history.map { "\($0.sequence) \($0.change.kind)" } == histories[.uuid(id), default: []])
        #expect(history.allSatisfy { $0.metadata.author == "a\($0.sequence.rawValue - 1)" })
      }
    }
  }

  @Test func `the error of a missing moment names the available ones`() throws {
    let store = try Store.inMemory(records: Numbered.self)
    let error = #expect(throws: StoreError.self) { try store.snapshot(at: 3 as SequenceNumber) }
    #expect(
      error?.description == """
        store in memory: no state after transaction 3: the journal contains the states after \
        transactions 0 to 0.
        """)
  }
}
