import DaybookTesting
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DaybookJournal

/// What whoever writes a group does while the disk is busy with it.
@Suite final class `While the disk syncs`: Sendable {
  private let disk = SimulatedDisk()
  private let heard = Mutex<[String]>([])

  private func note(_ what: String) { heard.withLock { $0.append(what) } }

  /// A journal whose calls of the disk are heard.
  private func open(_ durability: Durability = .full) throws -> FileJournal {
    var passing = PassingDisk(disk)
    passing.beforeWrite = { [self] path, _ in note("write \(path)") }
    passing.beforeBeginSync = { [self] path, byteCount in note("begin \(byteCount) of \(path)") }
    passing.beforeSync = { [self] path in note("sync \(path)") }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    options.durability = durability
    let journal = try FileJournal(at: "j", options)
    try journal.mustAppend([1])
    heard.withLock { $0 = [] }
    return journal
  }

  private func finish(_ begun: BegunAppend, in journal: FileJournal) -> String {
    sentence { _ = try journal.finishAndWait(begun) { note("meanwhile") } }
  }

  @Test func `the disk is told what is to be synced, and its time is made use of`() throws {
    let journal = try open()
    let begun = try journal.begin([2, 2]).get()
    #expect(begun.hasLead)
    #expect(finish(begun, in: journal) == "nothing is thrown")
    #expect(
      heard.withLock { $0 } == [
        "write /disk/j", "begin 64 of /disk/j", "meanwhile", "sync /disk/j", "write /disk/j-end",
      ])
  }

  @Test func `who does not write has no such time`() throws {
    let journal = try open()
    let first = try journal.begin([2]).get()
    let second = try journal.begin([3]).get()
    #expect(first.hasLead && !second.hasLead)
    _ = try journal.finishAndWait(first)
    #expect(finish(second, in: journal) == "nothing is thrown")
    #expect(!heard.withLock { $0.contains("meanwhile") })
  }

  @Test func `there is no such time without a sync, nor behind a write that failed`() throws {
    let lax = try open(.none)
    #expect(finish(try lax.begin([2]).get(), in: lax) == "nothing is thrown")
    #expect(heard.withLock { $0 } == ["write /disk/j"])
    try lax.closeAndWait()

    let journal = try open()
    disk.forgetCalls()
    disk.plan = .fail(call: 1, with: EIO, only: [.write])
    let begun = try journal.begin([2]).get()
    #expect(finish(begun, in: journal) == "nothing is thrown")
    #expect(heard.withLock { $0 } == ["write /disk/j"])
  }

  // MARK: The next group

  /// Has the journal's own thread append one, and another one come while the disk syncs that.
  ///
  /// - Parameter whenSyncing: Called then.
  /// - Returns: For each call of the disk whether it was known by then what became of the first; and what became of both.
  private func appendTwo(
    whenSyncing: @escaping @Sendable () -> Void = {}
  ) async throws -> (calls: [String], outcomes: [AppendOutcome]) {
    let opened = Mutex<FileJournal?>(nil)
    let begun = Mutex<[BegunAppend]>([])
    @Sendable func first() -> BegunAppend {
      while true {
        if let first = begun.withLock({ $0.first }) { return first }
        sched_yield()
      }
    }
    @Sendable func note(_ call: String, _ path: String) -> FileJournal? {
      guard path == "/disk/j", let journal = opened.withLock({ $0 }) else { return nil }
      self.note("\(call) \(first().hasVerdict)")
      return journal
    }
    var passing = PassingDisk(disk)
    passing.beforeWrite = { path, _ in _ = note("write", path) }
    passing.beforeBeginSync = { path, _ in _ = note("begin", path) }
    passing.beforeSync = { path in
      guard let journal = note("sync", path), begun.withLock({ $0.count == 1 }) else { return }
      guard let second = try? journal.begin([3], isWrittenAtOnce: true).get() else { return }
      begun.withLock { $0.append(second) }
      whenSyncing()
    }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let journal = try FileJournal(at: "j", options)
    try journal.mustAppend([1])
    opened.withLock { $0 = journal }
    defer { opened.withLock { $0 = nil } }
    let append = try journal.begin([2], isWrittenAtOnce: true).get()
    begun.withLock { $0.append(append) }
    var outcomes = [try await journal.finish(append)]
    for other in begun.withLock({ $0.dropFirst() }) {
      outcomes.append(try await journal.finish(other))
    }
    return (heard.withLock { $0 }, outcomes)
  }

  @Test func `those of a group hear of it when the disk has been told of the next`() async throws {
    let (calls, outcomes) = try await appendTwo()
    #expect(
      calls == [
        "write false", "begin false", "sync false", "write false", "begin false", "sync true",
      ])
    let sequences = outcomes.map { outcome -> UInt64? in
      guard case .appended(let receipt) = outcome else { return nil }
      #expect(receipt.safety == .durable)
      return receipt.sequence.rawValue
    }
    #expect(sequences == [2, 3])
  }

  @Test func `they hear so as well if that cannot be written`() async throws {
    let (calls, outcomes) = try await appendTwo { [disk] in
      disk.forgetCalls()
      // The first one is to the file that the end is published in.
      disk.plan = .fail(call: 2, with: EIO, only: [.write])
    }
    #expect(calls == ["write false", "begin false", "sync false", "write false"])
    try #require(outcomes.count == 2)
    guard case .appended(let receipt) = outcomes[0], case .unknown(let append) = outcomes[1] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(receipt.sequence == 2 && receipt.safety == .durable)
    #expect(append.cause == DiskError(.write, path: "/disk/j", code: EIO))
  }
}
