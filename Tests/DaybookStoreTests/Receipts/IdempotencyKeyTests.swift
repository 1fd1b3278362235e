import DaybookJournal
@testable @_spi(Tools) import DaybookStore
import DaybookSimulation
import DaybookText
import StoreTestSupport
import TestSupport
import Testing

/// A key saves once, however often the save is repeated and however the store was opened.
@Suite struct `Idempotency keys` {
  private let disk = SimulatedDisk()

  init() { disk.mapsFiles = true }

  private func open() throws -> Store { try CheckpointPlace(disk: disk).open() }

  /// Saves a new record with a key.
  private func save(_ store: Store, _ key: String) throws -> Receipt {
    let context = store.makeContext()
    context.metadata.idempotencyKey = key
    try context.insert(
      CheckpointPlace.Team(id: 1_000_000 + Int(store.snapshot.sequence.rawValue)))
    return try #require(try context.saveAndWait())
  }

  @Test func `idempotency keys survive opening by replay and by a checkpoint`() throws {
    for seed in 0..<UInt64(FaultRow.count(40, full: 1000)) {
      var random = SplitMix64(seed: seed)
      let (place, disk) = CheckpointPlace.simulated()
      for session in 0..<3 {
        let store = try place.open()
        #expect((store.statistics.checkpoints?.openedFrom == nil) == (session == 0))
        try place.change(store, times: 12, &random)
        // Some keys are still unread in the checkpoint, and others are new.
        var transactions = try store.transactions(from: 1)
        while let transaction = try transactions.next() {
          guard let key = transaction.metadata.idempotencyKey else { continue }
          let receipt = try save(store, key)
          #expect(
            receipt.isRepeated && receipt.sequence == transaction.sequence
              && receipt.time == transaction.time && receipt.safety == .durable,
            "seed \(seed), \(key): \(receipt)")
        }
        #expect(try save(store, "session \(session)").isRepeated == false)
        try store.closeAndWait()
      }
      #expect(disk.contents(of: "j-checkpoint-a") != nil)
    }
  }

  @Test func `idempotency keys survive compactions and erasures`() throws {
    for seed in 0..<UInt64(FaultRow.count(40, full: 1000, least: 6)) {
      var random = SplitMix64(seed: seed)
      let (place, _) = CheckpointPlace.simulated()
      let clock = ManualClock()
      var options = place.options
      options.clock = clock
      // The receipts of all keys, as an unrepeated save returned them.
      var known: [(key: String, receipt: Receipt)] = []
      for session in 0..<4 {
        var store = try Store(at: "j", types: CheckpointPlace.types, options: options)
        for (key, first) in known {
          let again = try save(store, key)
          #expect(
            again.isRepeated && again.sequence == first.sequence && again.time == first.time,
            "seed \(seed), session \(session), \(key): \(again), not \(first)")
          #expect(try store.receipt(forIdempotencyKey: key) == again)
        }
        #expect(store.statistics.idempotencyKeyCount == known.count)
        for number in 0...random.below(4) {
          clock.advance(by: .seconds(86_400 * random.below(3)))
          let key = "\(session)/\(number)" + String(repeating: "\u{E9}\"", count: random.below(3))
          known.append((key, try save(store, key)))
        }
        try store.closeAndWait()
        if random.below(4) == 0 {
          // Some of the keys are read from a checkpoint.
          store = try Store(at: "j", types: CheckpointPlace.types, options: options)
          _ = try save(store, known[0].key)
          try store.closeAndWait()
        }
        if random.below(3) > 0 {
          let retention = random.below(2) == 0 ? HistoryRetention.nothing : .days(random.below(5))
          try Store.compact(at: "j", keeping: retention, options: options)
        }
        if random.below(3) == 0 {
          try Store.erase("Team", id: .int(1_000_000), at: "j", options: options)
        }
      }
    }
  }

  @Test func `an exported text keeps the idempotency keys of dropped transactions`() throws {
    var store = try open()
    let keys = ["a", "b \"\u{E9}\""]
    let first = try keys.map { try save(store, $0) }
    try store.closeAndWait()
    let options = CheckpointPlace(disk: disk).options
    try Store.compact(at: "j", options: options)
    store = try open()
    var text: [UInt8] = []
    try TextJournal.export(store) { text += $0.withUnsafeBytes { [UInt8]($0) } }
    try store.closeAndWait()
    _ = try TextJournal.import(TextSource.bytes(text, path: "t"), to: "k", options: options)
    store = try Store(at: "k", types: CheckpointPlace.types, options: options)
    let again = try keys.map { try save(store, $0) }
    #expect(again.map(\.isRepeated) == [true, true])
    #expect(again.map(\.sequence) == first.map(\.sequence))
    #expect(again.map(\.time) == first.map(\.time))
    try store.closeAndWait()
  }

  @Test func `a base keeps the newest keys that it has room for`() {
    func kept(_ number: Int) -> RetainedKey {
      RetainedKey("\(number)", of: SequenceNumber(UInt64(number)), at: JournalTime(nanoseconds: 0))
    }
    var metadata = TransactionMetadata(author: "a")
    metadata.retainedKeys = (1...100_002).map(kept)
    #expect(metadata.retainedKeys.count == 100_000 && metadata.retainedKeys.first == kept(3))
    let long = String(repeating: "x", count: RetainedKey.byteCountMax / 2)
    metadata.retainedKeys = (1...3).map { number in
      RetainedKey(long, of: SequenceNumber(UInt64(number)), at: JournalTime(nanoseconds: 0))
    }
    #expect(metadata.retainedKeys.map(\.sequence) == [2, 3])
    metadata.retainedKeys = []
    #expect(metadata == TransactionMetadata(author: "a"))
  }

  @Test(arguments: [
    #"{"idempotencyKeys":1}"#, #"{"idempotencyKeys":[["a",1]]}"#,
    #"{"idempotencyKeys":[["a","1","2026-01-01T00:00:00Z"]]}"#,
    #"{"idempotencyKeys":[["a",1,"yesterday"]]}"#,
    #"{"idempotencyKeys":[["a",0,"2026-01-01T00:00:00Z"]]}"#,
    #"{"idempotencyKeys":[["a",-1,"2026-01-01T00:00:00Z"]]}"#,
    #"{"idempotencyKeys":[["a",2,"2026-01-01T00:00:00Z"],["b",2,"2026-01-01T00:00:00Z"]]}"#,
  ])
  func `a list of dropped keys in a different form has no keys`(_ text: String) throws {
    let bytes = Array(text.utf8)
    let read = TransactionMetadata(bytes: bytes.span.bytes)
    let metadata = try #require(read)
    #expect(metadata.retainedKeys == [] && metadata.hasRetainedKeys)
  }

  @Test func `all Unicode spellings of an idempotency key are one key`() throws {
    let store = try open()
    #expect(try save(store, "caf\u{E9}").isRepeated == false)
    #expect(try save(store, "cafe\u{301}").isRepeated)
    #expect(try save(store, "cafe").isRepeated == false)
  }

  @Test func `a store in memory keeps idempotency keys`() throws {
    let store = try Store.inMemory(types: CheckpointPlace.types)
    let first = try save(store, "k")
    for key in 0..<200 { #expect(try save(store, "\(key)").isRepeated == false) }
    let again = try save(store, "k")
    #expect(again.isRepeated && again.sequence == first.sequence && again.time == first.time)
    #expect(again.safety == .durable && store.statistics.idempotencyKeyCount == 201)
  }

  @Test func `idempotency keys with equal marks are distinguished by the journal`() throws {
    var store = try open()
    #expect(try save(store, "k").sequence == 1)
    try store.closeAndWait()
    // The test replaces the mark of the key by that of another key.
    let bytes = try #require(disk.contents(of: "j-checkpoint-a"))
    func number(_ offset: Int) -> UInt64 {
      bytes.span.bytes.number(at: offset, as: UInt64.self) ?? 0
    }
    store = try open()
    var totals = RowBuffer()
    try #require(store.checkpointTotals).append(to: &totals)
    try store.closeAndWait()
    let (salt, rootsEnd) = (number(32), 128 + Int(number(80)))
    // The keys precede a byte and the totals. They are the seed, the length of the rest, and one
    // transaction with its mark.
    let end = rootsEnd - totals.count - 1
    let seed = number(end - 16 - 1 - 8)
    #expect(number(end - 16) == 1 && number(end - 8) == KeyMark(of: "k", seed: seed).rawValue)
    var forged = bytes
    func put(_ number: UInt64, at offset: Int) {
      for place in 0..<8 {
        forged[offset + place] = UInt8(truncatingIfNeeded: number >> (8 * place))
      }
    }
    put(KeyMark(of: "other", seed: seed).rawValue, at: end - 8)
    put(XXH64.checksum(forged.span.bytes.extracting(128..<rootsEnd), seed: salt), at: 88)
    put(XXH64.checksum(forged.span.bytes.extracting(0..<120), seed: salt), at: 120)
    for (offset, byte) in bytes.enumerated() where byte != forged[offset] {
      disk.corrupt("j-checkpoint-a", at: offset, xor: byte ^ forged[offset])
    }
    store = try open()
    #expect(store.statistics.checkpoints?.openedFrom == 1)
    #expect(store.statistics.idempotencyKeyCount == 1)
    #expect(try save(store, "other").isRepeated == false)
    #expect(try save(store, "other").sequence == 2)
  }

  @Test func `a follower keeps idempotency keys through a compaction`() throws {
    var store = try open()
    for key in ["a", "b"] { _ = try save(store, key) }
    let follower = try Store(
      following: "j", types: CheckpointPlace.types, options: CheckpointPlace(disk: disk).options)
    #expect(follower.statistics.idempotencyKeyCount == 2)
    try store.closeAndWait()
    _ = try Audit.$isOff.withValue(true) {
      try Store.compact(at: "j", options: CheckpointPlace(disk: disk).options)
    }
    store = try open()
    _ = try save(store, "c")
    _ = try follower.catchUp()
    #expect(follower.snapshot.sequence == 3)
    #expect(follower.statistics.idempotencyKeyCount == 3)
    #expect(try follower.receipt(forIdempotencyKey: "a")?.sequence == 1)
  }
}
