import DaybookCLibrary
import DaybookSimulation
import Synchronization
import TestSupport
import Testing

@testable import DaybookJournal

/// The calls of the disk that make a group durable.
@Suite final class `The sync of a group`: Sendable {
  private let disk = SimulatedDisk()
  private let received = Mutex<[String]>([])

  private func note(_ what: String) { received.withLock { $0.append(what) } }

  /// Opens a journal, and records its disk calls.
  private func open(_ durability: Durability = .full) throws -> FileJournal {
    var passing = PassingDisk(disk)
    passing.beforeWrite = { [self] path, _ in note("write \(path)") }
    passing.beforeBeginSync = { [self] path, byteCount in note("begin \(byteCount) of \(path)") }
    passing.beforeSync = { [self] path in note("sync \(path)") }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    options.durability = durability
    let journal = try FileJournal(at: "j", options: options)
    try journal.mustAppend([1])
    received.withLock { $0 = [] }
    return journal
  }

  private func append(to journal: FileJournal) -> String {
    sentence { _ = try journal.appendAndWait([2, 2]) }
  }

  @Test func `the sync of a group follows its write and a writeback hint`() throws {
    let journal = try open()
    #expect(append(to: journal) == "nothing is thrown")
    #expect(
      received.withLock { $0 } == [
        "write /disk/j", "begin 64 of /disk/j", "sync /disk/j", "write /disk/j-end",
      ])
  }

  @Test func `the sync of a group is omitted without durability and after failed writes`() throws {
    let lax = try open(.none)
    #expect(append(to: lax) == "nothing is thrown")
    #expect(received.withLock { $0 } == ["write /disk/j"])
    try lax.closeAndWait()

    let journal = try open()
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.write])
    #expect(append(to: journal) == "nothing is thrown")
    #expect(received.withLock { $0 } == ["write /disk/j"])
  }
}
