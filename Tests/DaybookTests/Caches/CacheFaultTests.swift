import Daybook
import DaybookCLibrary
import DaybookJournal
import DaybookTesting
import TestSupport
import Testing

/// The law: with any bytes in the cache file and any fault of the disk, the list equals the
/// journal's. At worst the file is not used.
@Suite struct `Damaged caches` {
  /// Creates a journal with a cache that lacks the last two transactions.
  private static func behind() throws -> CachePlace {
    let place = CachePlace()
    try place.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    try place.session { _, context in
      try context.delete(Game.self, id: 3)
      try context.insert(Game(id: 40, name: "new"))
      try context.saveAndWait()
      try context.update(Club.self, id: 2) { $0.name = "a club" }
      try context.saveAndWait()
    }
    return place
  }

  private static let usable = "caught up by 2 transactions"

  @Test func `a truncated cache is rebuilt`() throws {
    let place = try Self.behind()
    let file = try #require(place.file())
    for count in stride(from: 0, to: file.count, by: FaultRow.step(37)) {
      let other = CachePlace(place.disk.copy())
      other.setFile(Array(file[..<count]))
      #expect(try other.origin() == "rebuilt because it is damaged", "\(count) bytes")
    }
    let other = CachePlace(place.disk.copy())
    other.setFile(file + [0])
    #expect(try other.origin() == "rebuilt because it is damaged")
  }

  @Test func `a cache with any changed byte is rebuilt`() throws {
    let place = try Self.behind()
    let file = try #require(place.file())
    for offset in stride(from: 0, to: file.count, by: FaultRow.step(37)) {
      var bytes = file
      bytes[offset] ^= 1 << UInt8(offset % 8)
      let other = CachePlace(place.disk.copy())
      other.setFile(bytes)
      let origin = try other.origin()
      #expect(origin.hasPrefix("rebuilt"), "byte \(offset): \(origin)")
    }
  }

  @Test func `a cache in a newer format is rebuilt`() throws {
    let place = try Self.behind()
    var file = try #require(place.file())
    file[8] = 2
    place.setFile(file)
    #expect(try place.origin() == "rebuilt because a newer build wrote it")
  }

  @Test func `a cache with valid checksums and invalid rows is rebuilt`() throws {
    let place = try Self.behind()
    #expect(try place.origin() == Self.usable)
    #expect(try place.origin() == "reused")
    let file = try #require(place.file())
    let rowsOffset = file.count - 8 - 12 * 23
    var random = SplitMix64(seed: 5)
    var origins: [String: Int] = [:]
    let count = FaultRow.count(2000, full: 100_000)
    for _ in 0..<count {
      var bytes = file
      for _ in 0...random.next() % 3 {
        let offset = rowsOffset + Int(random.next() % UInt64(bytes.count - 8 - rowsOffset))
        bytes[offset] = UInt8(truncatingIfNeeded: random.next() % 24)
      }
      Self.seal(&bytes)
      place.setFile(bytes)
      try place.session { _, context in
        let controller = try CachePlace.controller(CachePlace.request, context)
        // Each row and section that is shown can be read.
        _ = shown(controller)
        origins[try #require(controller.cacheStatistics).origin.description, default: 0] += 1
      }
    }
    #expect(
      Set(origins.keys).isSubset(of: ["rebuilt because it is damaged", "reused"]), "\(origins)")
    #expect(origins["rebuilt because it is damaged", default: 0] > min(count / 4, 50), "\(origins)")
  }

  /// Makes the end check hold again.
  private static func seal(_ bytes: inout [UInt8]) {
    let seed = bytes.span.bytes.number(at: 72, as: UInt64.self) ?? 0
    let end = bytes.count - 8
    let checksum = XXH64.checksum(bytes.span.bytes.extracting(80..<end), seed: seed)
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(end..., with: $0) }
  }

  @Test func `a cache after refused calls is harmless`() throws {
    func fetch(_ plan: FaultPlan) throws -> (place: CachePlace, callCount: Int) {
      let place = try Self.behind()
      let store = try place.open()
      place.disk.clearLog()
      place.disk.plan = plan
      let controller = try CachePlace.controller(CachePlace.request, store.makeContext())
      store.derivedWork.finish()
      let callCount = place.disk.callCount
      place.disk.plan = .none
      _ = try CachePlace.origin(controller)
      try store.closeAndWait()
      return (place, callCount)
    }
    let callCount = try fetch(.none).callCount
    #expect(callCount > 10)
    for call in stride(from: 1, through: callCount, by: FaultRow.step(7)) {
      for plan in [FaultPlan.fail(call: call, with: EIO), .failAlways(from: call, with: EIO)] {
        let origin = try fetch(plan).place.origin()
        #expect(["reused", Self.usable].contains(origin), "call \(call): \(origin)")
      }
    }
  }

  @Test func `a cache after a power loss is intact or unused`() throws {
    let behind = try Self.behind()
    /// Returns the files after the power failed at a call of a fetch, which includes writing the
    /// cache.
    func fetch(_ plan: FaultPlan, seed: UInt64) throws -> (after: CachePlace, callCount: Int) {
      var generator = SplitMix64(seed: seed)
      let place = CachePlace(behind.disk.copy())
      let store = try place.open()
      place.disk.clearLog()
      place.disk.plan = plan
      _ = try CachePlace.controller(CachePlace.request, store.makeContext())
      store.derivedWork.finish()
      let callCount = place.disk.callCount
      return (CachePlace(place.disk.powerLoss(using: &generator)), callCount)
    }
    try FaultRow.run(6, "power lost while a cache is written") { count in
      var origins: [String: Int] = [:]
      let callCount = try fetch(.none, seed: 0).callCount
      for call in stride(from: 1, through: callCount + 1, by: FaultRow.step(2)) {
        for seed in 0..<UInt64(FaultRow.count(160, full: 640)) {
          let (after, _) = try fetch(.losePower(at: call, seed: seed), seed: seed)
          origins[try after.origin(), default: 0] += 1
          count += 1
        }
      }
      // A file that has its name was synced before it got it.
      #expect(Set(origins.keys).isSubset(of: ["reused", Self.usable]), "\(origins)")
      #expect(origins.count == 2, "\(origins)")
    }
  }

  @Test func `a cache after lying syncs is intact or rebuilt`() throws {
    try FaultRow.run(5, "power lost behind a cache whose sync lied") { count in
      var origins: [String: Int] = [:]
      for seed in 0..<UInt64(FaultRow.count(300, full: 2000)) {
        var generator = SplitMix64(seed: seed)
        let place = try Self.behind()
        let store = try place.open()
        place.disk.clearLog()
        place.disk.plan = .ignoreSync(only: [.sync])
        _ = try CachePlace.controller(CachePlace.request, store.makeContext())
        store.derivedWork.finish()
        let after = CachePlace(place.disk.powerLoss(using: &generator))
        origins[try after.origin(), default: 0] += 1
        #expect(try after.origin() == "reused")
        count += 1
      }
      // Without a sync, a file may have its name and not its bytes.
      #expect(origins.contains { $0.key == "rebuilt because it is damaged" }, "\(origins)")
    }
  }

  @Test func `a cache on a full disk stays as it is`() throws {
    let place = try Self.behind()
    let before = place.file()
    place.disk.capacity = 1
    let store = try place.open()
    let controller = try CachePlace.controller(CachePlace.request, store.makeContext())
    store.derivedWork.finish()
    #expect(try CachePlace.origin(controller) == Self.usable)
    let failure = try #require(controller.cacheStatistics?.failure).description
    #expect(
      failure.replacing(/new-[0-9a-f]{16}/, with: "new-…") == """
        /disk/games.daybook-cache-games: the disk is full. Nothing was written, and the existing \
        contents are intact. Free some space and try again.
        """)
    #expect(place.file() == before)
    place.disk.capacity = nil
    try store.closeAndWait()
    #expect(try place.origin() == Self.usable)
  }
}
