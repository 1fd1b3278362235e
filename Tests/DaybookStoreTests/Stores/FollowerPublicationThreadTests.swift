import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// The law of publication: a follower shows the state after some transaction, and never an earlier
/// state than before.
@Suite("States that a follower publishes") struct FollowerPublicationThreadTests {
  /// A journal in which each transaction inserts the same number of records, so that the count of
  /// records follows from the sequence number.
  private struct Diary {
    static let rowCount = 60
    let path: String
    let disk: any Disk
    var reading = JournalReading.mapped
    let clock = TestClock()

    var options: JournalOptions {
      var options = JournalOptions()
      options.disk = disk
      options.clock = clock
      options.reading = reading
      options.worksInBackground = false
      options.durability = .none
      options.keepsCheckpoints = false
      return options
    }

    /// Saves one transaction a day through a sequence number.
    func write(through last: Int) throws {
      let store = try Store(at: path, types: [Numbered.self], options: options)
      let context = store.makeContext()
      for day in Int(store.snapshot.sequence.rawValue)..<last {
        clock.advance(milliseconds: 86_400_000)
        for row in 0..<Diary.rowCount {
          let id = day * Diary.rowCount + row
          // Long enough that a base has several pieces.
          try context.insert(Numbered(id: id, name: String(repeating: "\(id) ", count: 120)))
        }
        try context.saveAndWait()
      }
      try store.closeAndWait()
    }

    func follow(on disk: (any Disk)? = nil) throws -> Store {
      var options = options
      if let disk { options.disk = disk }
      return try Store(following: path, types: [Numbered.self], options: options)
    }
  }

  /// Records the states that a store shows.
  private final class Observer: Sendable {
    private let state = Mutex((last: SequenceNumber.zero, problems: Set<String>(), count: 0))
    let store = Mutex<Store?>(nil)

    var problems: [String] { state.withLock { $0.problems.sorted() } }
    var count: Int { state.withLock { $0.count } }

    /// Checks the store's visible state against the law.
    ///
    /// - Returns: Whether a store is set.
    @discardableResult
    func look() -> Bool {
      guard let store = store.withLock({ $0 }) else { return false }
      state.withLock { state in
        let snapshot = store.snapshot
        let count = snapshot.count(of: Numbered.schema.entity)
        state.count += 1
        if snapshot.sequence < state.last {
          state.problems.insert("transaction \(snapshot.sequence) after \(state.last)")
        }
        if count != Int(snapshot.sequence.rawValue) * Diary.rowCount {
          state.problems.insert("\(count) records after transaction \(snapshot.sequence)")
        }
        state.last = snapshot.sequence
      }
      return true
    }
  }

  /// Follows a journal while it is compacted, and returns the violations of the law.
  ///
  /// - Parameters:
  ///   - seen: The transaction that the follower has read before.
  ///   - isCompactedTwice: Whether the follower misses a whole file.
  private func problems(
    in diary: Diary, keeping retention: HistoryRetention, seen: Int, isCompactedTwice: Bool
  ) throws -> [String] {
    let observer = Observer()
    var disk = PassingDisk(diary.disk)
    // The follower's state is checked during its reads and by another thread.
    disk.beforeRead = { _, _ in observer.look() }
    try diary.write(through: seen)
    let followed = try diary.follow(on: disk)
    #expect(followed.snapshot.sequence == SequenceNumber(UInt64(seen)))
    try diary.write(through: 20)
    _ = try Store.compact(at: diary.path, keeping: retention, options: diary.options)
    try diary.write(through: 30)
    if isCompactedTwice {
      _ = try Store.compact(at: diary.path, keeping: retention, options: diary.options)
      try diary.write(through: 33)
    }
    observer.store.withLock { $0 = followed }
    let thread = TestThread { while observer.look() { sched_yield() } }
    until { observer.count > 0 }
    #expect(try followed.catchUp())
    #expect(observer.look())
    observer.store.withLock { $0 = nil }
    thread.value()
    #expect(followed.snapshot.sequence == (isCompactedTwice ? 33 : 30))
    return observer.problems
  }

  private static let cases: [(retention: HistoryRetention, seen: Int)] = [
    (.nothing, 1), (.nothing, 20), (.days(5), 12), (.days(5), 20),
  ]

  @Test(arguments: FaultRow.some(cases), [false, true])
  func `a follower of a mapped file shows whole states in order across a compaction`(
    _ test: (retention: HistoryRetention, seen: Int), isCompactedTwice: Bool
  ) throws {
    try TemporaryDirectory.with { directory in
      let diary = Diary(path: directory.path("j"), disk: SystemDisk())
      let problems = try problems(
        in: diary, keeping: test.retention, seen: test.seen, isCompactedTwice: isCompactedTwice)
      #expect(problems == [])
    }
  }

  @Test(arguments: FaultRow.some(cases), [false, true])
  func `a follower that copies the file shows whole states in order across a compaction`(
    _ test: (retention: HistoryRetention, seen: Int), isCompactedTwice: Bool
  ) throws {
    let diary = Diary(path: "j", disk: SimulatedDisk(), reading: .copied)
    let problems = try problems(
      in: diary, keeping: test.retention, seen: test.seen, isCompactedTwice: isCompactedTwice)
    #expect(problems == [])
  }

  @Test func `a follower that cannot read the new file keeps showing the last state`() throws {
    let disk = SimulatedDisk()
    let diary = Diary(path: "j", disk: disk, reading: .copied)
    try diary.write(through: 12)
    let plain = disk.copy()
    var calls = 0
    for first in 1... {
      let failing = plain.copy()
      let diary = Diary(path: "j", disk: failing, reading: .copied)
      let followed = try diary.follow()
      try diary.write(through: 13)
      _ = try Store.compact(at: diary.path, keeping: .nothing, options: diary.options)
      try diary.write(through: 14)
      failing.clearLog()
      failing.plan = .failAlways(from: first, with: EIO, only: [.read])
      let caughtUp = Result { try followed.catchUp() }
      let snapshot = followed.snapshot
      #expect(snapshot.sequence >= 12)
      let count = try snapshot.count(of: Numbered.self)
      #expect(count == Int(snapshot.sequence.rawValue) * Diary.rowCount)
      calls += 1
      if case .success = caughtUp { break }
    }
    #expect(calls > 3)
  }

  @Test func `a follower reads the transactions after a compaction one by one`() throws {
    let diary = Diary(path: "j", disk: SimulatedDisk(), reading: .copied)
    try diary.write(through: 5)
    let followed = try diary.follow()
    try diary.write(through: 9)
    _ = try Store.compact(at: diary.path, keeping: .days(6), options: diary.options)
    try diary.write(through: 11)
    var seen: [SequenceNumber] = []
    while try followed.readNextTransaction() { seen.append(followed.snapshot.sequence) }
    #expect(seen == [6, 7, 8, 9, 10, 11])
  }
}
