import DaybookJournal
import DaybookSimulation
import DaybookStore
import Synchronization
import TestSupport
import Testing

@Suite struct `The progress of a compaction` {
  struct Page: Record {
    var id = 0
    var text = ""
    static let schema = RecordSchema<Page>("Page").attribute("text", at: \.text)
  }

  /// Two thirds of the bytes, or all of them, are the base state of the file.
  @Test(arguments: [HistoryRetention.nothing, .days(1)])
  func `a compaction reports its progress in ascending steps`(_ retention: HistoryRetention) throws
  {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      var options = JournalOptions()
      let clock = TestClock()
      options.clock = clock
      let store = try Store(at: path, types: [Page.self], options: options)
      for day in 0..<3 {
        try store.insertPages(1500, day)
        clock.advance(milliseconds: 86_400_000)
      }
      try store.closeAndWait()
      let received = Mutex<[UInt64]>([])
      options.progress = ReadingProgress { phase, done, all in
        if phase == .reading { received.withLock { $0.append(done) } }
        if done > all { Issue.record("\(phase): \(done) bytes of \(all)") }
      }
      let report = try Store.compact(at: path, keeping: retention, options: options)
      let steps = received.withLock { $0 }
      #expect(steps.count >= Int(report.byteCount >> 20) - 1 && steps.count >= 3, "\(steps)")
      #expect(steps.last.map { report.byteCount - $0 < 2 << 20 } == true, "\(steps)")
      #expect(steps == steps.sorted(), "\(steps)")
    }
  }
}

extension Store {
  /// Saves pages of a kilobyte each for one day.
  fileprivate func insertPages(_ count: Int, _ day: Int) throws {
    typealias Page = `The progress of a compaction`.Page
    let context = makeContext()
    for number in 0..<count {
      let text = String(repeating: "\(number % 10)", count: 1000)
      try context.insert(Page(id: day * count + number, text: text))
    }
    try context.saveAndWait()
  }
}
