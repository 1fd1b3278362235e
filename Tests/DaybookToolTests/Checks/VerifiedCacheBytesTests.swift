import Daybook
import DaybookJournal
import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// `verify --deep` with caches that programs leave beside a journal.
@Suite("Caches that are verified") struct VerifiedCacheBytesTests {
  struct Town: Record {
    var id = 0
    var name = ""
    var size: Double?
    static let schema = RecordSchema<Town>("Town").attribute("name", at: \.name).attribute(
      "size", at: \.size)
  }

  /// Leaves the caches of some lists beside a journal, and appends one more transaction.
  private func leave(_ requests: [String: ListRequest<Town>], _ path: String) throws {
    let store = try Store(at: path, records: Town.self)
    let context = store.makeContext()
    for (id, name) in ["Wien", "Graz", "Linz", "Wels", "Steyr"].enumerated() {
      try context.insert(Town(id: id, name: name, size: id == 3 ? nil : Double(id) / 2))
    }
    try context.saveAndWait()
    for (name, request) in requests {
      let controller = FetchedResultsController(
        fetchRequest: request, context: context, cacheName: name)
      try controller.performFetch()
    }
    // The controllers no longer exist, so this change does not update their caches.
    try context.delete(Town.self, id: 1)
    try context.insert(Town(id: 9, name: "Villach"))
    try context.saveAndWait()
    try store.closeAndWait()
  }

  // Created where it is needed. The leak sanitizer reports values of a static property as lost if
  // the only pointer to them is in spare bits of another value.
  private var requests: [String: ListRequest<Town>] {
    [
      "by name": ListRequest(
        filter: \Town.name != "Wels",
        sortedBy: [.descending(\Town.name, comparator: .caseInsensitive)],
        sectionedBy: .by(\Town.name, each: .prefix(2))),
      "by size": ListRequest(
        sortedBy: [.ascending(\Town.size)], sectionedBy: .by(\Town.size, each: .range(width: 0.5))),
      "by creation": ListRequest(sortedBy: [.ascending(\Town.id)]),
      "short": ListRequest(
        sortedBy: [.ascending(\Town.name)],
        sectionedBy: .computed(id: "length", version: 1) { (town: Town) in "\(town.name.utf8.count)"
        }),
    ]
  }

  @Test func `verify accepts caches with the rows of their lists`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("towns.daybook")
      try leave(requests, path)
      let (lines, status) = try PrintedTool.printed(["verify", path, "--deep"])
      #expect(status == .done)
      #expect(
        lines == [
          "note: \(path)-cache-short: not compared with the journal: only the program that wrote the "
            + "cache can rebuild its list.",
          "OK: 2 transactions, 5 records, 0 references, 3 states compared, 3 caches, 0 checkpoints",
        ])
    }
  }

  @Test func `verify reports a cache with forged rows`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("towns.daybook")
      try leave(["names": ListRequest(sortedBy: [.ascending(\Town.name)])], path)
      let bytes = try scratch.bytes(of: "towns.daybook-cache-names")
      var forged = try forge(bytes, path)
      forged.entries.rows = RankEntries(Array(forged.entries.rows.dropFirst()))
      _ = try scratch.write(forged.bytes, to: "towns.daybook-cache-names")
      let (lines, status) = try PrintedTool.printed(["verify", path, "--deep"])
      #expect(status == .problem)
      #expect(
        lines == [
          "\(path)-cache-names: it has 4 rows, and the journal 5.",
          "1 problem; readable transactions: 1 to 2",
        ])
      // Without --deep, caches are not checked.
      #expect(try PrintedTool.printed(["verify", path]).status == .done)
    }
  }

  @Test func `verify accepts a damaged cache with a note`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("towns.daybook")
      try leave(["names": ListRequest(sortedBy: [.ascending(\Town.name)])], path)
      var bytes = try scratch.bytes(of: "towns.daybook-cache-names")
      bytes[100] ^= 1
      _ = try scratch.write(bytes, to: "towns.daybook-cache-names")
      let (lines, status) = try PrintedTool.printed(["verify", path, "--deep"])
      #expect(status == .done)
      #expect(
        lines == [
          "note: \(path)-cache-names: it is damaged; the list is rebuilt at its next fetch.",
          "OK: 2 transactions, 5 records, 0 references, 3 states compared, 0 caches, 0 checkpoints",
        ])
    }
  }

  private func forge(_ bytes: [UInt8], _ path: String) throws -> CacheFile {
    let store = try Store(reading: path, types: [], options: JournalOptions())
    let frozen = store.snapshot.frozen
    let moment = try #require(store.moment(after: frozen.sequence, before: frozen)).moment
    let definition = try #require(CacheFile.definition(in: bytes))
    return try CacheFile.read(bytes, definition: definition, of: moment).get()
  }
}
