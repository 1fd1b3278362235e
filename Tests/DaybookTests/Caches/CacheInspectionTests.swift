@_spi(Tools) import Daybook
import DaybookJournal
import DaybookResults
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

/// Comparisons of caches with the journal.
@Suite struct `Inspecting caches` {
  /// Returns the verdict on the cache of the tests' request, by a store that only reads.
  private func verdict(
    _ place: CachePlace, _ request: ListRequest<Game> = CachePlace.request
  ) throws -> CacheVerdict {
    var options = JournalOptions()
    options.disk = place.disk
    let store = try Store(reading: CachePlace.path, types: [], options: options)
    let caches = try store.inspectedCaches()
    try #require(caches.map(\.fileName) == ["-cache-games"])
    return try store.verdict(on: caches[0], for: request)
  }

  private func filled() throws -> CachePlace {
    let place = CachePlace()
    try place.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    return place
  }

  private func file(_ place: CachePlace) throws -> CacheFile {
    let bytes = try #require(place.file())
    let store = try place.open()
    defer { try? store.closeAndWait() }
    let frozen = store.snapshot.frozen
    let moment = try #require(store.moment(after: frozen.sequence, before: frozen)).moment
    let text = try #require(CacheFile.definition(in: bytes))
    return try CacheFile.read(bytes, definition: text, of: moment).get()
  }

  @Test func `a controller's cache equals the journal's list when it is old too`() throws {
    let place = try filled()
    #expect(try verdict(place) == .same(rowCount: 20, sequence: 3))
    try place.session { _, context in
      try context.delete(Game.self, id: 3)
      try context.update(Club.self, id: 2) { $0.name = "a club" }
      try context.saveAndWait()
    }
    #expect(try verdict(place) == .same(rowCount: 20, sequence: 3))
  }

  @Test func `the lines of a cache definition describe the request`() throws {
    let place = try filled()
    var options = JournalOptions()
    options.disk = place.disk
    let cache = try #require(
      Store(reading: CachePlace.path, types: [], options: options).inspectedCaches().first)
    #expect(cache.values(of: "cache") == [#""games""#])
    #expect(cache.values(of: "entity") == ["Game"])
    #expect(cache.values(of: "where") == ["score >= 0"])
    #expect(cache.values(of: "sort") == ["club.name", "name"])
    #expect(cache.values(of: "sections") == ["level"])
  }

  @Test func `swapped and missing rows of a cache are found`() throws {
    let place = try filled()
    var forged = try file(place)
    let rank = try #require(
      forged.entries.rows.indices.dropLast().first {
        forged.entries.rows[$0] != forged.entries.rows[$0 + 1]
      })
    var rows = Array(forged.entries.rows)
    rows.swapAt(rank, rank + 1)
    forged.entries.rows = RankEntries(rows)
    place.setFile(forged.bytes)
    guard case .different(let sentence) = try verdict(place) else {
      Issue.record("swapped rows are not found")
      return
    }
    #expect(
      sentence.hasPrefix(
        "row \(rank + 1) has another record or key than in the journal"))

    rows.removeLast()
    forged.entries.rows = RankEntries(rows)
    place.setFile(forged.bytes)
    #expect(try verdict(place) == .different("it has 19 rows, and the journal 20."))
  }

  @Test func `moved sections of a cache are found`() throws {
    let place = try filled()
    var forged = try file(place)
    var sections = Array(forged.entries.sections)
    sections[0].value += 1
    sections[1].value -= 1
    forged.entries.sections = RankEntries(sections)
    place.setFile(forged.bytes)
    #expect(try verdict(place) == .different("it has other sections than the journal."))
  }

  @Test func `an unusable cache is not reported as a problem`() throws {
    let place = try filled()
    var bytes = try #require(place.file())
    bytes[200] ^= 1
    place.setFile(bytes)
    #expect(try verdict(place) == .useless(.damaged))
    place.setFile([])
    #expect(try verdict(place) == .useless(.damaged))

    var forged = try file(filled())
    forged.moment.sequence = 9
    place.setFile(forged.bytes)
    #expect(try verdict(place) == .useless(.otherJournal))
    let same = try filled()
    forged = try file(same)
    forged.moment.sequence = 9
    same.setFile(forged.bytes)
    #expect(try verdict(same) == .useless(.ahead))
    forged.moment.sequence = 2
    same.setFile(forged.bytes)
    #expect(try verdict(same) == .useless(.otherHistory))
  }

  @Test func `a file too long for a cache is not read to its end`() throws {
    let place = try filled()
    let bytes = try #require(place.file())
    place.setFile(bytes + [UInt8](repeating: 0, count: 2 << 20))
    place.disk.recordsCalls = true
    #expect(try verdict(place) == .useless(.damaged))
    let read = place.disk.log.filter { $0.operation == .read && $0.path.hasSuffix("-cache-games") }
    #expect(!read.isEmpty)
    #expect(read.allSatisfy { ($0.byteCount ?? 0) < (1 << 20) + 10_000 })
  }

  @Test func `a cache of another list or unknown rules has no verdict`() throws {
    let place = try filled()
    var other = CachePlace.request
    other.sortKeys = [.descending(\Game.name)]
    #expect(
      try verdict(place, other) == .unknown("its rules differ from those of this version."))
    other.sortKeys = [.ascending(named: "nme")]
    #expect(
      try verdict(place, other) == .unknown("Game has no attribute 'nme'; did you mean 'name'?"))
  }
}
