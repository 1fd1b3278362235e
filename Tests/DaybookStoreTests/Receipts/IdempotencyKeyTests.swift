import DaybookJournal
@testable @_spi(Tools) import DaybookStore
import DaybookSimulation
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
    put(XXH64.check(forged.span.bytes.extracting(128..<rootsEnd), seed: salt), at: 88)
    put(XXH64.check(forged.span.bytes.extracting(0..<120), seed: salt), at: 120)
    for (offset, byte) in bytes.enumerated() where byte != forged[offset] {
      disk.corrupt("j-checkpoint-a", at: offset, xor: byte ^ forged[offset])
    }
    store = try open()
    #expect(store.statistics.checkpoints?.openedFrom == 1)
    #expect(store.statistics.idempotencyKeyCount == 1)
    #expect(try save(store, "other").isRepeated == false)
    #expect(try save(store, "other").sequence == 2)
  }

  @Test func `a follower drops idempotency keys when another journal replaces its own`() throws {
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
    #expect(follower.statistics.idempotencyKeyCount == 1)
  }
}
