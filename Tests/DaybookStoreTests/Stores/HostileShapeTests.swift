import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookSimulation
import DaybookText
import StoreTestSupport
import TestSupport
import Testing

/// Small journals with shapes that make a slow algorithm slow. With these sizes, an algorithm of
/// quadratic time would not finish. The tests count bytes.
@Suite struct `Small journals of hostile shapes` {
  /// Returns the number of records of a journal.
  private func recordCount(_ path: String) throws -> Int {
    let store = try Store(reading: path, types: [], options: JournalOptions())
    #expect(store.readingProblem == nil)
    return store.snapshot.frozen.state.tables.reduce(0) { $0 + $1.count }
  }

  /// Exports a journal and returns the length of the text and of the largest piece in memory.
  private func exported(
    _ path: String, _ body: (RawSpan) -> Void = { _ in }
  ) throws -> (byteCount: Int, pieceByteCount: Int) {
    var (byteCount, largest) = (0, 0)
    try TextJournal.export(JournalReader(at: path)) { (piece) throws(DiskError) in
      byteCount += piece.byteCount
      largest = max(largest, piece.byteCount)
      body(piece)
    }
    return (byteCount, largest)
  }

  @Test(arguments: HostileShape.allCases.filter { $0 != .sharedValue })
  func
    `a schema of any size within the limits works in all operations`(
      _ shape: HostileShape
    ) throws
  {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      // A debug build uses sizes far from the limits: the cost of a shape grows faster than its
      // size.
      let size = FaultRow.Scale.current == .small ? shape.usualSize / 4 : shape.usualSize
      try shape.write(size, to: path)
      let count = try recordCount(path)
      #expect(count > 0)
      var text: [UInt8] = []
      _ = try exported(path) { piece in piece.withUnsafeBytes { text.append(contentsOf: $0) } }
      var options = JournalOptions()
      options.durability = .none
      _ = try TextJournal.import(.bytes(text, path: "t"), to: directory.path("i"), options: options)
      #expect(try recordCount(directory.path("i")) == count)
      try Store.salvage(from: path, to: directory.path("s"), options: options)
      #expect(try recordCount(directory.path("s")) == count)
      try Store.compact(at: path, options: options)
      #expect(try recordCount(path) == count)
    }
  }

  private func values(_ path: String) throws -> Set<AttributeValue> {
    let store = try Store(reading: path, types: [], options: JournalOptions())
    #expect(store.readingProblem == nil)
    return Set(try store.snapshot.objects("Entity").map { $0.values[0] })
  }

  @Test func `a large value that many rows refer to is copied once`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      let size = 400
      try HostileShape.sharedValue.write(size, to: path)
      var options = JournalOptions()
      options.durability = .none
      let expected = try values(path)
      #expect(expected.count == 1)
      let erased = try Store.erase("Entity", id: .int(5), at: path, options: options)
      #expect(erased.byteCount < erased.byteCountBefore + 4_096)
      #expect(try values(path) == expected)
      let salvaged = directory.path("s")
      try Store.salvage(from: path, to: salvaged, options: options)
      #expect(try values(salvaged) == expected)
      let copied = try Store.compact(at: salvaged, options: options)
      #expect(copied.byteCountBefore < erased.byteCount + 65_536)
      #expect(copied.byteCount < copied.byteCountBefore + 4_096)
      #expect(try values(salvaged) == expected)
      #expect(try recordCount(salvaged) == size)
    }
  }

  @Test func `a large value that many rows refer to is exported in pieces`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      let size = 200
      try HostileShape.sharedValue.write(size, to: path)
      let text = try exported(path)
      #expect(text.byteCount > size * size * 512)
      #expect(text.pieceByteCount < size * 512 + 131_072)
      // The law also applies when all rows are in one line.
      var options = JournalOptions()
      options.durability = .none
      try Store.compact(at: path, options: options)
      let base = try exported(path)
      #expect(base.byteCount > size * size * 512)
      #expect(base.pieceByteCount < size * 512 + 131_072)
    }
  }

  @Test func `an unchanged large value is imported once despite many updates of its record`() throws
  {
    try TemporaryDirectory.with { directory in
      let value = String(repeating: "x", count: 100_000)
      var text =
        #"{"daybook":1,"entities":{"E":{"id":"int","attributes":{"t":"string","n":"int64"}}}}"#
      func line(_ number: Int, _ op: String, _ set: String) {
        text += "\n" + #"{"tx":\#(number),"time":"2026-01-01T00:00:00Z","changes":[{"op":"\#(op)","#
        text += #""entity":"E","id":1,"set":{\#(set)}}]}"#
      }
      line(1, "insert", #""t":"\#(value)","n":1"#)
      for number in 2...500 { line(number, "update", #""n":\#(number)"#) }
      var options = JournalOptions()
      options.durability = .none
      let path = directory.path("j")
      _ = try TextJournal.import(
        .bytes(Array(text.utf8), path: "t"), to: path, options: options)
      #expect(try directory.bytes(of: "j").count < 300_000)
      let store = try Store(reading: path, types: [], options: JournalOptions())
      let record = try #require(try store.snapshot.object("E", id: .int(1)))
      #expect(record.values == [.string(value), .int(500)])
      #expect(try exported(path).byteCount < 200_000)
    }
  }

  @Test func `a large value stored twice is compared once for many changes`()
    throws
  {
    let journal = MemoryJournal()
    let byteCount = 10_000
    for payload in HostileShape.updatesOfSameValue(2_000, byteCount: byteCount) {
      _ = try journal.appendAndWait(payload)
    }
    try Audit.$isOff.withValue(true) {
      let store = try Store.inMemory(types: [], journal: journal)
      let known = SameValues()
      var transactions = try store.transactions(from: 1)
      var changeCount = 0
      while let transaction = try transactions.next() {
        for change in transaction.changes where change.kind == .update {
          let (before, after) = (
            try #require(change.valuesBefore), try #require(change.valuesAfter)
          )
          changeCount += 1
          #expect(after.isSame(0, as: before, known: known))
        }
      }
      #expect(changeCount == 2_000)
      #expect(known.comparedByteCount <= 2 * byteCount)
    }
  }
}
