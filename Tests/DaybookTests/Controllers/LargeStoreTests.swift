import Daybook
import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

/// Rows stay in the journal's file, so a store may be larger than the memory limit of its process.
@Suite struct `Stores larger than memory` {
  struct Page: Record {
    var id = 0
    var title = ""
    var text = ""
    var more = ""
    static let schema = RecordSchema<Page>("Page").attribute("title", at: \.title)
      .attribute("text", at: \.text).attribute("more", at: \.more)
  }

  /// The number of bytes that a process may allocate after its start, with the stacks of its
  /// threads of 8 MiB each.
  private static let allowance = 32 << 20
  private static let pageCount = 66_000

  /// Returns the number of bytes of private, writable memory of the process.
  private static func dataByteCount() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      if strncmp(line, "VmData:", 7) == 0 {
        return line.withUnsafeBufferPointer { text in
          text.baseAddress.map { strtol($0 + 7, nil, 10) * 1024 } ?? 0
        }
      }
    }
    return 0
  }

  private static func limitMemory() {
    let limit = rlim_t(dataByteCount() + allowance)
    var limits = rlimit(rlim_cur: limit, rlim_max: limit)
    guard setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limits) == 0 else { exit(9) }
  }

  /// Opens, lists, changes, saves and closes; and ends with 0 if all of it was right.
  private static func use(_ path: String) throws {
    let store = try Store(at: path, records: Page.self)
    let context = store.makeContext()
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Page>(
        filter: \Page.id > 1000, sortedBy: [.descending(\Page.title)], batchSize: 20),
      context: context)
    try controller.performFetch()
    guard controller.fetchedObjects?.count == pageCount - 1000,
      controller.fetchedObjects?.prefix(20).map(\.id) == Array((0..<20).map { pageCount - $0 })
    else { exit(4) }
    try context.update(Page.self, id: 7) { $0.title = "another" }
    try context.insert(Page(id: pageCount + 1, title: "new"))
    try context.saveAndWait()
    guard try store.snapshot.count(of: Page.self) == pageCount + 1 else { exit(5) }
    try context.delete(Page.self, id: pageCount + 1)
    try context.update(Page.self, id: 7) { $0.title = "page 0000007" }
    try context.saveAndWait()
    try store.closeAndWait()
  }

  @Test func `a store works with half the memory of its rows`() async throws {
    var template = Array("/tmp/daybook-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let directory = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = directory + "/large.daybook"
    defer {
      for name in (try? SystemDisk().list(directory)) ?? [] {
        try? SystemDisk().remove(directory + "/" + name)
      }
      rmdir(directory)
    }
    var options = JournalOptions()
    (options.durability, options.keepsCheckpoints) = (.none, false)
    let store = try Store(at: path, records: Page.self, options: options)
    let (text, more) = (String(repeating: "t", count: 500), String(repeating: "m", count: 500))
    for start in stride(from: 1, through: Self.pageCount, by: 2000) {
      try await store.write { context in
        for id in start..<start + 2000 {
          let digits = "\(id)"
          let title = "page " + String(repeating: "0", count: 7 - digits.count) + digits
          try context.insert(Page(id: id, title: title, text: text, more: more))
        }
      }
    }
    try await store.close()
    #expect(try SystemDisk().status(of: path).byteCount > 2 * UInt64(Self.allowance))

    // From the journal alone, and then with the checkpoint that the first has left.
    for _ in 0..<2 {
      await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
        Self.limitMemory()
        do { try Self.use(path) } catch {
          print(error)
          exit(3)
        }
      }
    }
    let names = try SystemDisk().list(directory)
    #expect(names.contains("large.daybook-checkpoint-a"), "\(names)")
    // Without the mapping there would not be enough.
    await #expect(processExitsWith: .failure) { [path = path as String] in
      Self.limitMemory()
      var options = JournalOptions()
      options.reading = .copied
      do { _ = try Store(at: path, records: Page.self, options: options) } catch { exit(3) }
    }
  }
}
