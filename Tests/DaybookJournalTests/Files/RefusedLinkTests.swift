import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import Synchronization
import TestSupport
import Testing

/// Creating journals on file systems that have no hard links.
@Suite struct `A disk without hard links` {
  private static let codes = [EPERM, EOPNOTSUPP, ENOSYS]

  private func disk(_ code: Int32 = EPERM) -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.plan = .failAlways(from: 1, with: code, only: [.link])
    return disk
  }

  @Test(arguments: codes)
  func `a disk without hard links has no other files after a creation`(code: Int32) throws {
    let disk = disk(code)
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    try journal.closeAndWait()
    #expect(try disk.list(SimulatedDisk.workingDirectory).sorted() == ["a", "a-end"])
    #expect(try FileJournal(at: "a", options: .simulated(disk)).payloads() == [[1]])
  }

  @Test func `a backup without hard links replaces no file`() throws {
    let disk = disk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    try journal.backup(to: "b")
    #expect(try FileJournal(at: "b", options: .simulated(disk)).payloads() == [[1]])
    disk.setContents([7], at: "c")
    #expect(
      sentence { try journal.backup(to: "c") }
        == """
        c: a file of this name exists. Nothing was changed. Choose another name, or move the file \
        away.
        """)
    #expect(disk.contents(of: "c") == [7])
  }

  @Test func `a backup does not replace a file created during the backup`() throws {
    let disk = disk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    var passing = PassingDisk(disk)
    passing.beforeSync = { path in
      if path.contains(".b.new-") { disk.setContents([7], at: "b") }
    }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let reader = try JournalReader(at: "a", options: options)
    #expect(throws: JournalError.self) { try reader.backup(to: "b") }
    #expect(disk.contents(of: "b") == [7])
  }

  /// Moments when another process opens the journal that is being created.
  private enum Moment: CaseIterable { case claimed, locked }

  @Test(arguments: Moment.allCases)
  private func `one of two processes that create a journal is refused`(
    moment: Moment
  ) throws {
    let disk = disk()
    let other = Mutex<Result<FileJournal, JournalError>?>(nil)
    let open: @Sendable () -> Void = {
      guard other.withLock({ $0 == nil }) else { return }
      let result = Result { () throws(JournalError) in
        try FileJournal(at: "a", options: .simulated(disk, seed: 2))
      }
      other.withLock { $0 = result }
    }
    var passing = PassingDisk(disk)
    switch moment {
    case .claimed: passing.afterCreate = { if $0.hasSuffix("/a") { open() } }
    case .locked: passing.beforeRename = { _ in open() }
    }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let own = Result { () throws(JournalError) in try FileJournal(at: "a", options: options) }
    let results = [own, try #require(other.withLock { $0 })]
    var writers: [FileJournal] = []
    for result in results {
      switch result {
      case .success(let journal): writers.append(journal)
      case .failure(let error):
        guard case .locked = error.reason else { throw error }
      }
    }
    #expect(writers.count == 1)
    for writer in writers {
      try writer.mustAppend([5])
      try writer.closeAndWait()
    }
    #expect(try FileJournal(at: "a", options: .simulated(disk)).payloads() == [[5]])
  }

  @Test func `an interrupted creation leaves no journal or an empty one`() throws {
    var isWhole = false
    for call in 1...500 {
      if isWhole { break }
      let disk = SimulatedDisk()
      let links = FaultPlan.failAlways(from: 1, with: EPERM, only: [.link])
      disk.plan = .losePower(at: call, seed: UInt64(call)).combined(with: links)
      isWhole = (try? FileJournal(at: "a", options: .simulated(disk))) != nil
      var generator = SplitMix64(seed: UInt64(call))
      for left in [disk.copy(), disk.powerLoss(using: &generator)] {
        left.plan = links
        let journal = try FileJournal(at: "a", options: .simulated(left, seed: 3))
        #expect(try journal.payloads() == [], "call \(call)")
        try journal.mustAppend([1])
        try journal.closeAndWait()
        #expect(try left.list(SimulatedDisk.workingDirectory).sorted() == ["a", "a-end"])
      }
    }
    #expect(isWhole)
  }
}
