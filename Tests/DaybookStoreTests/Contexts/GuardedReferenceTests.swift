import DaybookJournal
import DaybookSimulation
@_spi(Tools) import DaybookStore
import DaybookText
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Required and checked references` {
  private struct Bank: Record, Equatable {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Bank>("Bank").attribute("name", at: \.name)
  }

  private struct Branch: Record, Equatable {
    var id = 0
    var name = ""
    var bank: Reference<Bank>?
    var owner: Reference<Bank>?
    var rival: Reference<Bank>?
    var partners: [Reference<Bank>] = []
    var friend: Reference<Bank>?
    static let schema = RecordSchema<Branch>("Branch")
      .attribute("name", at: \.name)
      .reference("bank", at: \.bank, required: true, whenTargetDeleted: .nullify)
      .reference("owner", at: \.owner, checked: true, whenTargetDeleted: .nullify)
      .reference("rival", at: \.rival, checked: true, whenTargetDeleted: .keep)
      .references("partners", at: \.partners, checked: true, whenTargetDeleted: .nullify)
      .reference("friend", at: \.friend, whenTargetDeleted: .nullify)
  }

  private func open() throws -> Store {
    let store = try Store.inMemory(records: Bank.self, Branch.self)
    let context = store.makeContext(isolation: nil)
    for id in 1...3 { try context.insert(Bank(id: id)) }
    try context.saveAndWait()
    return store
  }

  /// Saves changes and returns the description of the error, or nil if the save succeeds.
  private func refusal(
    _ store: Store, _ change: (EditingContext) throws -> Void
  ) throws -> String? {
    let context = store.makeContext(isolation: nil)
    try change(context)
    return refusal(context)
  }

  private func refusal(_ context: EditingContext) -> String? {
    do throws(StoreError) { try context.saveAndWait() } catch { return "\(error)" }
    return nil
  }

  @Test func `a reference to a record that does not exist is refused if it is required or checked`()
    throws
  {
    let store = try open()
    let sentence = try refusal(store) {
      try $0.insert(Branch(id: 1, bank: Reference(7)))
      try $0.insert(
        Branch(
          id: 2, bank: Reference(1), owner: Reference(8), partners: [Reference(1), Reference(9)]))
      try $0.insert(Branch(id: 3, bank: nil, friend: Reference(9)))
    }
    #expect(
      sentence == """
        store in memory: Branch 3 has no bank, which is required; bank of Branch 1 refers to Bank \
        7, which does not exist; owner of Branch 2 refers to Bank 8, which does not exist; partners \
        of Branch 2 refers to Bank 9, which does not exist. Nothing was saved.
        """)
    #expect(try store.snapshot.count(of: Branch.self) == 0)
    // A reference that is neither required nor checked may dangle.
    #expect(
      try refusal(store) { try $0.insert(Branch(id: 3, bank: Reference(1), friend: Reference(9))) }
        == nil)
  }

  @Test func `a child may be inserted before its parent within a boundary`() throws {
    let store = try open()
    let sentence = try refusal(store) {
      try $0.insert(Branch(id: 1, bank: Reference(4), partners: [Reference(4)]))
      try $0.insert(Bank(id: 4))
    }
    #expect(sentence == nil)
    #expect(try store.snapshot.count(of: Branch.self) == 1)
  }

  @Test func `a reference to a record that the context has not merged yet is saved`() throws {
    let store = try open()
    let context = store.makeContext(isolation: nil)
    #expect(try refusal(store) { try $0.insert(Bank(id: 4)) } == nil)
    try context.insert(Branch(id: 1, bank: Reference(4)))
    #expect(refusal(context) == nil)
  }

  @Test func `a reference to a record that the same boundary deletes is refused`() throws {
    let store = try open()
    let sentence = try refusal(store) {
      try $0.insert(Branch(id: 1, bank: Reference(2)))
      try $0.delete(Bank.self, id: 2)
    }
    #expect(
      sentence == """
        store in memory: bank of Branch 1 refers to Bank 2, which does not exist. Nothing was saved.
        """)
  }

  @Test func `a record that a required reference refers to cannot be deleted`() throws {
    let store = try open()
    #expect(
      try refusal(store) {
        for id in 1...2 { try $0.insert(Branch(id: id, bank: Reference(1))) }
      } == nil)
    let context = store.makeContext(isolation: nil)
    try context.delete(Bank.self, id: 1)
    #expect(
      refusal(context) == """
        store in memory: Bank 1 cannot be deleted while bank of Branch 1 refers to it. Nothing was \
        saved.
        """)
    // It can be deleted together with one referring record, once the other record refers elsewhere.
    try context.delete(Branch.self, id: 1)
    try context.update(Branch.self, id: 2) { $0.bank = Reference(2) }
    #expect(refusal(context) == nil)
    #expect(try store.snapshot.objects(Bank.self).map(\.id) == [2, 3])
    #expect(try store.snapshot.objects(Branch.self).map(\.bank) == [Reference(2)])
  }

  @Test func `deleting a record makes checked references to it nil unless their rule is none`()
    throws
  {
    let store = try open()
    #expect(
      try refusal(store) {
        try $0.insert(
          Branch(
            id: 1, bank: Reference(1), owner: Reference(2), rival: Reference(2),
            partners: [Reference(2), Reference(3)]))
      } == nil)
    #expect(try refusal(store) { try $0.delete(Bank.self, id: 2) } == nil)
    let branch = try #require(try store.snapshot.object(Branch.self, id: 1))
    #expect(branch.owner == nil && branch.partners == [Reference(3)])
    #expect(branch.rival == Reference(2))
  }

  // MARK: Races

  /// The writer of a race that saves first.
  private enum First: CaseIterable { case refers, deletes }

  @Test(arguments: First.allCases)
  private func `exactly one of a required reference and a racing deletion is refused`(
    first: First
  ) throws {
    let store = try open()
    let referring = store.makeContext(isolation: nil)
    let deleting = store.makeContext(isolation: nil)
    try referring.insert(Branch(id: 1, bank: Reference(1)))
    try deleting.delete(Bank.self, id: 1)
    referring.processPendingChanges()
    deleting.processPendingChanges()
    switch first {
    case .refers:
      #expect(refusal(referring) == nil)
      #expect(
        refusal(deleting) == """
          store in memory: Bank 1 cannot be deleted while bank of Branch 1 refers to it. Nothing \
          was saved.
          """)
    case .deletes:
      #expect(refusal(deleting) == nil)
      #expect(
        refusal(referring) == """
          store in memory: bank of Branch 1 refers to Bank 1, which does not exist. Nothing was \
          saved.
          """)
    }
  }

  @Test func `a deletion conflicts with a new checked reference and can be repeated`()
    throws
  {
    let store = try open()
    let deleting = store.makeContext(isolation: nil)
    try deleting.delete(Bank.self, id: 1)
    deleting.processPendingChanges()
    #expect(
      try refusal(store) {
        try $0.insert(
          Branch(
            id: 1, bank: Reference(2), owner: Reference(1), rival: Reference(1),
            friend: Reference(1)))
      } == nil)
    #expect(
      refusal(deleting) == """
        store in memory: Bank 1 was deleted here, but owner of Branch 1 was changed elsewhere to \
        refer to it. Nothing was saved.
        """)
    try deleting.rollback()
    try deleting.mergeChanges()
    try deleting.delete(Bank.self, id: 1)
    #expect(refusal(deleting) == nil)
    #expect(try store.snapshot.object(Branch.self, id: 1)?.owner == nil)
  }

  @Test func `no required reference dangles after many racing writers`() throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 1000)) {
      let disk = SimulatedDisk()
      let store = try Store(at: "j", types: [Bank.self, Branch.self], options: .simulated(disk))
      let context = store.makeContext(isolation: nil)
      for id in 0..<4 { try context.insert(Bank(id: id)) }
      try context.saveAndWait()
      let writers = (0..<4).map { writer in
        TestThread {
          var generator = SplitMix64(seed: seed &* 7 &+ UInt64(writer))
          for number in 0..<20 {
            let bank = Int(generator.next() % 4)
            let context = store.makeContext(isolation: nil)
            switch generator.next() % 3 {
            case 0: try? context.delete(Bank.self, id: bank)
            case 1: try? context.insert(Bank(id: bank))
            default:
              let branch = Branch(
                id: writer * 100 + number, bank: Reference(bank), owner: Reference(bank))
              try? context.insert(branch)
            }
            _ = try? context.saveAndWait()
          }
        }
      }
      for writer in writers { writer.value() }
      let check = StateCheck(store.snapshot.frozen) { Issue.record("\($0), seed \(seed)") }
      #expect(check.danglingCount == 0, "seed \(seed)")
      try store.closeAndWait()
    }
  }

  // MARK: Dangling references

  @Test func `a record with dangling references can change its other attributes`() throws {
    try TemporaryDirectory.with { directory in
      let lines = [
        #"{"daybook":1,"entities":{"Bank":{"id":"int","attributes":{"name":"string!"}},"#
          + #""Branch":{"id":"int","attributes":{"name":"string!","bank":"ref:Bank!","#
          + #""partners":{"type":"refs:Bank!","checked":true}}}}}"#,
        #"{"tx":1,"time":"2020-01-01T00:00:00Z","changes":["#
          + #"{"op":"insert","entity":"Branch","id":1,"set":{"name":"a","bank":7,"partners":[8]}}]}"#,
      ]
      let text = try directory.write(Array(lines.joined(separator: "\n").utf8), to: "t.jsonl")
      // An import does not check references.
      _ = try TextJournal.import(.file(text), to: directory.path("j"))
      let store = try Store(at: directory.path("j"), records: Bank.self, Branch.self)
      var problems: [String] = []
      let check = StateCheck(store.snapshot.frozen) { problems.append("\($0)") }
      #expect(problems == ["bank of Branch 1 refers to Bank 7, which does not exist"])
      #expect(check.danglingCount == 2)
      #expect(try refusal(store) { try $0.update(Branch.self, id: 1) { $0.name = "b" } } == nil)
      #expect(
        try refusal(store) {
          try $0.insert(Bank(id: 3))
          try $0.update(Branch.self, id: 1) { $0.partners.append(Reference(3)) }
        } == nil)
      #expect(
        try refusal(store) {
          try $0.update(Branch.self, id: 1) {
            $0.bank = Reference(9)
            $0.partners.append(Reference(9))
          }
        }?.hasSuffix(
          """
          bank of Branch 1 refers to Bank 9, which does not exist; partners of Branch 1 refers to \
          Bank 9, which does not exist. Nothing was saved.
          """) == true)
      try store.closeAndWait()
    }
  }

  @Test func `a load is refused if its records refer to missing records`() async throws {
    let store = try open()
    let error = await #expect(throws: StoreError.self) {
      try await store.insert(contentsOf: [Branch(id: 1, bank: Reference(7))])
    }
    #expect(
      error?.description == """
        store in memory: bank of Branch 1 refers to Bank 7, which does not exist. Nothing was saved.
        """)
    try await store.insert(contentsOf: [Branch(id: 1, bank: Reference(1))])
  }

  // MARK: In the journal

  @Test func `a checked reference stays checked in the journal and in a text journal`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      do {
        let store = try Store(at: path, records: Bank.self, Branch.self)
        #expect(
          try refusal(store) {
            try $0.insert(Bank(id: 1))
            try $0.insert(Branch(id: 1, bank: Reference(1)))
          } == nil)
        try store.closeAndWait()
      }
      let definition = try Store(reading: path).snapshot.entities.first { $0.name == "Branch" }
      #expect(definition?.attributes.map(\.isChecked) == [false, false, true, true, true, false])
      var exported: [UInt8] = []
      try TextJournal.export(try JournalReader(at: path)) { (bytes) throws(DiskError) in
        bytes.withUnsafeBytes { exported += $0 }
      }
      let text = try directory.write(exported, to: "t.jsonl")
      _ = try TextJournal.import(.file(text), to: directory.path("k"))
      let copy = try Store(reading: directory.path("k")).snapshot.entities.first {
        $0.name == "Branch"
      }
      #expect(copy == definition)
    }
  }
}
