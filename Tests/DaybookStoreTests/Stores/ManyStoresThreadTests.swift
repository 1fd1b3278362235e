import DaybookJournal
import DaybookPlatform
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite("Many stores in one process") struct ManyStoresThreadTests {
  @Test func `stores share the threads that maintain them`() throws {
    try TemporaryDirectory.with { directory in
      let stores = try (0..<40).map { number in
        try Store(at: directory.path("store-\(number)"), records: Numbered.self)
      }
      for store in stores {
        let context = store.makeContext()
        try context.insert(Numbered(id: 1, name: "one"))
        try context.saveAndWait()
      }
      let limit = 4
      #expect(ScheduledThreads.maintenance.threadCount <= limit)
      #expect(ScheduledThreads.derivedFiles.threadCount <= limit)
      for store in stores { try store.closeAndWait() }
      for number in stores.indices {
        #expect(OpenFiles.paths(beginningWith: directory.path("store-\(number)")) == [])
      }
    }
  }
}
