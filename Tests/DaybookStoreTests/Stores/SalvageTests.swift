import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Salvaging a damaged journal` {
  private let disk = SimulatedDisk()

  /// Writes a journal of six transactions and returns the offset of each payload.
  private func make() throws -> [Int] {
    let store = try Store(at: "j", types: [Numbered.self, Unique.self], options: .simulated(disk))
    let context = store.makeContext()
    let long = String(repeating: "long ", count: 200)
    let id = UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
    try context.insert(Numbered(id: 1, name: "one"))
    try context.saveAndWait()
    try context.insert(Numbered(id: 2, name: "two"))
    try context.insert(Unique(id: id, name: "u", note: long))
    try context.saveAndWait()
    try context.update(Numbered.self, id: 1) { $0.name = "uno" }
    try context.saveAndWait()
    try context.update(Numbered.self, id: 2) { $0.name = "due" }
    try context.update(Unique.self, id: id) { $0.name = "v" }
    try context.saveAndWait()
    try context.delete(Numbered.self, id: 2)
    try context.saveAndWait()
    try context.insert(Numbered(id: 3, name: "three"))
    try context.saveAndWait()
    try store.closeAndWait()
    let bytes = try #require(disk.contents(of: "j"))
    var offsets: [Int] = []
    var reader = FrameReader(
      MappedImage(bytes), header: try RecoveryDecision.chooseHeader(MappedImage(bytes)).get().header
    )
    while try reader.advance() { offsets.append(Int(reader.headerOffset) + 48) }
    #expect(offsets.count == 6)
    return offsets
  }

  private func damage(_ offset: Int) throws {
    var bytes = try #require(disk.contents(of: "j"))
    bytes[offset] ^= 1
    disk.setContents(bytes, at: "j")
  }

  private func salvaged() throws -> (SalvageReport, Store) {
    let before = disk.contents(of: "j")
    let report = try Store.salvage(from: "j", to: "new", options: .simulated(disk))
    #expect(disk.contents(of: "j") == before)
    return (
      report, try Store(at: "new", types: [Numbered.self, Unique.self], options: .simulated(disk))
    )
  }

  @Test func `a salvage removes files of killed salvages and leaves those of others`() throws {
    _ = try make()
    let random = ".new-0123456789abcdef"
    let left = [".new" + random, "..new" + random + random]
    for name in left { disk.setContents([1, 2, 3], at: name) }
    // A whole journal that another process is writing under a temporary name.
    let other = ".new.new-0000000000000000"
    let store = try Store(at: other, records: Numbered.self, options: .simulated(disk))
    let context = store.makeContext()
    try context.insert(Numbered(id: 77, name: "of another"))
    try context.saveAndWait()
    let (report, new) = try salvaged()
    #expect(report.transactionCount == 6)
    #expect(try new.snapshot.objects(Numbered.self).map(\.id) == [1, 3])
    for name in left { #expect(disk.contents(of: name) == nil, "\(name)") }
    try context.insert(Numbered(id: 78, name: "goes on"))
    try context.saveAndWait()
    #expect(try store.snapshot.count(of: Numbered.self) == 2)
    try new.closeAndWait()
    try store.closeAndWait()
  }

  @Test func `a failed salvage leaves no new journal`() throws {
    _ = try make()
    var failureCount = 0
    let operations: Set<DiskError.Operation> = [.create, .write, .sync, .link, .syncDirectory]
    for call in 1...60 {
      disk.clearLog()
      disk.plan = .fail(call: call, with: 5, only: operations)
      let salvaged = try? Store.salvage(from: "j", to: "new", options: .simulated(disk))
      disk.plan = .none
      let names = try disk.list(SimulatedDisk.workingDirectory).sorted()
      if salvaged == nil {
        failureCount += 1
        #expect(names == ["j", "j-end"], "call \(call)")
      } else {
        // The failed call was not needed.
        #expect(names == ["j", "j-end", "new"], "call \(call)")
        let new = try Store(at: "new", types: [Numbered.self], options: .simulated(disk))
        #expect(new.snapshot.sequence == 6, "call \(call)")
        try new.closeAndWait()
        for name in ["new", "new-end"] { try disk.remove(name) }
      }
    }
    #expect(failureCount > 10)
  }

  @Test func `a salvage that is killed at any call leaves a complete journal or none`() throws {
    _ = try make()
    var isWhole = false
    for call in 1...500 {
      if isWhole { break }
      let disk = disk.copy()
      // A killed process does not clean up either.
      disk.plan = .failAlways(from: call, with: 5)
      isWhole = (try? Store.salvage(from: "j", to: "new", options: .simulated(disk))) != nil
      disk.plan = .none
      disk.killProcess()
      let isNamed = disk.contents(of: "new") != nil
      let new = try Store(at: "new", types: [Numbered.self], options: .simulated(disk))
      #expect(new.snapshot.sequence == (isNamed ? 6 : 0), "call \(call)")
      try new.closeAndWait()
      #expect(isNamed || !isWhole)
      // The remaining files block nothing, and the next salvage to this name removes them.
      for name in ["new", "new-end"] { try disk.remove(name) }
      try Store.salvage(from: "j", to: "new", options: .simulated(disk))
      let names = try disk.list(SimulatedDisk.workingDirectory).sorted()
      #expect(names == ["j", "j-end", "new"], "call \(call)")
    }
    #expect(isWhole)
  }

  @Test func `a salvage succeeds where hard links are refused`() throws {
    _ = try make()
    disk.plan = .failAlways(from: 1, with: 1, only: [.link])
    try Store.salvage(from: "j", to: "new", options: .simulated(disk))
    let new = try Store(at: "new", types: [Numbered.self], options: .simulated(disk))
    #expect(new.snapshot.sequence == 6)
    disk.setContents([1], at: "other")
    #expect(throws: StoreError.self) {
      try Store.salvage(from: "j", to: "other", options: .simulated(disk))
    }
    #expect(disk.contents(of: "other") == [1])
  }

  @Test func `salvaging an intact journal preserves every state`() throws {
    _ = try make()
    let old = try Store(at: "j", types: [Numbered.self, Unique.self], options: .simulated(disk))
    let (report, new) = try salvaged()
    #expect(report.transactionCount == 6 && report.gaps.isEmpty && report.notUnderstood.isEmpty)
    for sequence in 0...6 as ClosedRange<UInt64> {
      let then = try old.snapshot(at: SequenceNumber(sequence))
      let salvaged = try new.snapshot(at: SequenceNumber(sequence))
      #expect(try then.objects(Numbered.self) == salvaged.objects(Numbered.self))
      #expect(try then.objects(Unique.self) == salvaged.objects(Unique.self))
      #expect(then.time == salvaged.time)
    }
  }

  @Test func `a salvage restores records of a lost transaction from later updates`() throws {
    let offsets = try make()
    try damage(offsets[1])
    #expect(throws: StoreError.self) { try Store(at: "j", types: [], options: .simulated(disk)) }
    let (report, new) = try salvaged()
    #expect(report.gaps == [SalvageReport.Gap(after: 1, before: 3)])
    #expect(report.transactionCount == 5 && report.insertedCount == 2)
    // The long note was stored in the lost transaction.
    #expect(report.lostValueCount == 1)
    #expect(
      try new.snapshot.objects(Numbered.self) == [
        Numbered(id: 1, name: "uno"), Numbered(id: 3, name: "three"),
      ])
    #expect(try new.snapshot.objects(Unique.self).map(\.name) == ["v"])
    #expect(try new.snapshot.objects(Unique.self).map(\.note) == [nil])
    var transactions = try new.transactions(from: 2)
    #expect(
      try transactions.next()?.metadata["salvage"] == "transactions 2 to 2 could not be read")
    #expect(try transactions.next()?.metadata["salvage"] == nil)
  }

  @Test func `a salvage omits deletions of missing records and marks a final gap`()
    throws
  {
    let offsets = try make()
    try damage(offsets[1])
    try damage(offsets[3])
    try damage(offsets[5])
    let (report, new) = try salvaged()
    #expect(
      report.gaps == [
        SalvageReport.Gap(after: 1, before: 3), SalvageReport.Gap(after: 3, before: 5),
        SalvageReport.Gap(after: 5, before: nil),
      ])
    #expect(report.droppedDeleteCount == 1)
    #expect(new.snapshot.sequence == 4)
    var transactions = try new.transactions(from: 4)
    #expect(
      try transactions.next()?.metadata["salvage"] == "transactions after 5 could not be read")
  }

  @Test func `a transaction without its layouts cannot be decoded`() throws {
    let offsets = try make()
    try damage(offsets[0])
    let (report, new) = try salvaged()
    #expect(report.notUnderstood == [2, 3, 4, 5, 6])
    #expect(report.transactionCount == 0 && new.snapshot.sequence == 1)
  }

  @Test func `layouts repeated by a later transaction decode the transactions before it`() throws {
    let store = try Store(at: "j", types: [Unique.self], options: .simulated(disk))
    let context = store.makeContext()
    // More than 4 MiB, after which a transaction repeats all layouts.
    for number in 0..<6 {
      try context.insert(Unique(name: "\(number)", note: String(repeating: "x", count: 1 << 20)))
      try context.saveAndWait()
    }
    try store.closeAndWait()
    try damage(16384 + 48 + 100)
    let (report, new) = try salvaged()
    #expect(report.gaps.count == 1 && report.notUnderstood.isEmpty)
    #expect(try new.snapshot.objects(Unique.self).map(\.name) == ["1", "2", "3", "4", "5"])
    #expect(try new.snapshot.objects(Unique.self).allSatisfy { $0.note?.utf8.count == 1 << 20 })
  }

  @Test func `a salvage refuses to replace an existing file`() throws {
    _ = try make()
    disk.setContents([1], at: "new")
    let error = #expect(throws: StoreError.self) {
      try Store.salvage(from: "j", to: "new", options: .simulated(disk))
    }
    #expect(error?.description.hasPrefix("new: ") == true)
    #expect(disk.contents(of: "new") == [1])
  }
}
