import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Stores open for reading only` {
  private let disk = SimulatedDisk()

  private func write(_ count: Int) throws -> Store {
    let store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    let context = store.makeContext()
    for id in 0..<count {
      try context.insert(Numbered(id: id, name: "number \(id)"))
      try context.saveAndWait()
    }
    return store
  }

  private func read() throws -> Store {
    try Store(reading: "j", types: [Numbered.self], options: .simulated(disk))
  }

  @Test func `a reading store shows the saved state and no later saves`() throws {
    let writer = try write(3)
    let before = disk.contents(of: "j")
    let store = try read()
    #expect(store.snapshot.sequence == 3 && store.base == 0)
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1, 2])
    #expect(try store.snapshot(at: 1).objects(Numbered.self).map(\.id) == [0])
    #expect(store.report?.outcome == .clean && store.readingProblem == nil)
    #expect(disk.contents(of: "j") == before)
    let context = writer.makeContext()
    try context.delete(Numbered.self, id: 0)
    try context.saveAndWait()
    #expect(store.snapshot.sequence == 3)
    #expect(try read().snapshot.sequence == 4)
    try writer.closeAndWait()
    try store.closeAndWait()
    #expect(try store.snapshot.objects(Numbered.self).count == 3)
  }

  @Test func `a context of a reading store can be changed and not saved`() throws {
    try write(2).closeAndWait()
    let store = try read()
    let context = store.makeContext()
    try context.delete(Numbered.self, id: 1)
    context.processPendingChanges()
    #expect(try context.count(of: Numbered.self) == 1)
    #expect(sentence { try context.saveAndWait() } == "j: the store is read-only.")
    try context.rollback()
    #expect(try context.count(of: Numbered.self) == 2)
  }

  @Test func `a reading store shows the intact part of a torn journal without repairing it`() throws
  {
    let writer = try write(3)
    disk.killProcess()
    withExtendedLifetime(writer) {}
    var bytes = try #require(disk.contents(of: "j"))
    let end = try #require(read().report).endOffset
    bytes[Int(end) + 5] = 7
    disk.setContents(bytes, at: "j")
    let store = try read()
    #expect(try store.snapshot.objects(Numbered.self).count == 3)
    #expect(store.report?.outcome == .torn(byteCount: 6, copiedTo: nil))
    #expect(disk.contents(of: "j") == bytes)
  }

  @Test func `a reading store shows the intact part of a damaged journal`() throws {
    try write(5).closeAndWait()
    var reader = try JournalReader(at: "j", on: disk).transactions(from: 1)
    var offsets: [UInt64] = []
    var offset = JournalLayout.firstFrameOffset
    while let transaction = try reader.next() {
      offsets.append(offset)
      offset += UInt64(Frame.byteCount(payload: transaction.payload.count))
    }
    disk.corrupt("j", at: Int(offsets[3]) + 60, xor: 1)
    let store = try read()
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1, 2])
    #expect(store.report?.outcome == .damaged(highestSynced: 5))
    #expect(
      sentence { _ = try store.snapshot(at: 4) }
        == "j: no state after transaction 4: the journal contains the states after transactions 0 to 3."
    )
  }

  @Test func `a reading store shows the transactions before an invalid one`() throws {
    let journal = try FileJournal(at: "j", options: .simulated(disk))
    let source = MemoryJournal()
    let store = try Store.inMemory(types: [Numbered.self], journal: source)
    let context = store.makeContext()
    try context.insert(Numbered(id: 1))
    try context.saveAndWait()
    var reader = source.transactions(from: 1)
    let payload = try #require(try reader.next()).payload.copy()
    // The payload inserts the same record twice.
    _ = try journal.appendAndWait(payload)
    _ = try journal.appendAndWait(payload)
    try journal.closeAndWait()
    let opened = try read()
    #expect(opened.snapshot.sequence == 1)
    #expect(try opened.snapshot.objects(Numbered.self) == [Numbered(id: 1)])
    let problem = try #require(opened.readingProblem)
    guard case .payload(sequence: 2, _) = problem.reason else {
      Issue.record("\(problem)")
      return
    }
    #expect(
      sentence { _ = try Store(at: "j", types: [Numbered.self], options: .simulated(disk)) }
        == "\(problem)")
    // An export also passes on the lines before the error.
    var text: [UInt8] = []
    let refusal = sentence {
      try TextJournal.export(opened) { (bytes) throws(DiskError) in
        text += bytes.withUnsafeBytes { [UInt8]($0) }
      }
    }
    #expect(refusal == "\(problem)")
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2 && lines[1].hasPrefix("{\"tx\":1,"), "\(lines)")
  }

  @Test func `every sample journal is shown or refused by reading without being changed`() throws {
    var counts = (shown: 0, refused: 0)
    for name in try ProjectFiles.names(in: "Journal/Samples") where name.hasSuffix(".daybook") {
      let bytes = try ProjectFiles.bytes("Journal/Samples/\(name)")
      disk.setContents(bytes, at: name)
      do {
        let store = try Store(reading: name, types: [], options: .simulated(disk))
        counts.shown += 1
        #expect(store.snapshot.sequence <= store.report?.lastTransaction ?? 0, "\(name)")
      } catch {
        counts.refused += 1
      }
      #expect(disk.contents(of: name) == bytes, "\(name)")
    }
    #expect(counts.shown > 10 && counts.refused > 5)
  }
}
