import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import TestSupport
import Testing

/// Operations on a journal know the names of its files, so they do not list a directory.
@Suite struct `Listings of the directory` {
  private let disk = SimulatedDisk()

  /// Performs an operation on a disk that cannot list directories, and expects no attempt.
  private func expectNoListing(_ what: String, _ work: () throws -> Void) rethrows {
    disk.clearLog()
    disk.recordsCalls = true
    disk.plan = .failAlways(from: 1, with: 5, only: [.list])
    defer {
      disk.plan = .none
      disk.recordsCalls = false
    }
    try work()
    #expect(disk.log.filter { $0.operation == .list } == [], "\(what)")
    #expect(!disk.log.isEmpty, "\(what)")
  }

  @Test func `creating, writing, opening, reading and closing list no directory`() throws {
    var options = JournalOptions.simulated(disk)
    options.keepsCheckpoints = true
    try expectNoListing("creating") {
      let journal = try FileJournal(at: "a", options: options)
      try journal.mustAppend([1])
      try journal.closeAndWait()
    }
    try expectNoListing("opening again") {
      let journal = try FileJournal(at: "a", options: options)
      try journal.mustAppend([2])
      #expect(try journal.payloads() == [[1], [2]])
      try journal.closeAndWait()
    }
    try expectNoListing("reading") {
      #expect(try JournalReader(at: "a", on: disk).head.sequence == 2)
      let follower = try FileFollower(at: "a", on: disk)
      #expect(try follower.next() != nil)
      #expect(try FileJournal.verify(at: "a", options: options) { _ in }.problemCount == 0)
    }
  }

  @Test func `recovery, backup and compaction list no directory`() throws {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    for byte in 1...3 as ClosedRange<UInt8> { try journal.mustAppend([byte]) }
    try expectNoListing("backing up") { try journal.backup(to: "b") }
    try expectNoListing("compacting") { try journal.compact(through: 2, state: [[7]]) }
    disk.setContents(try #require(disk.contents(of: "b")) + [1, 0, 0, 0], at: "b")
    try expectNoListing("recovering") {
      let torn = try FileJournal(at: "b", options: .simulated(disk))
      guard case .torn = torn.report.outcome else {
        Issue.record("\(torn.report)")
        return
      }
      try torn.closeAndWait()
    }
  }

  @Test func `writing, replacing and removing a derived file list no directory`() throws {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    let files = journal.derivedFiles
    let position = try #require(try journal.position(after: 1))
    let moment = JournalMoment(
      identity: journal.identity, salt: journal.header.salt, sequence: 1,
      checksum: position.chain.point.checksum)
    let origin = DerivedFiles.Origin(moment, endOffset: position.endOffset)
    // A process that was killed while it wrote the file left this one.
    disk.setContents([9], at: ".a-cache-x.new-0000000000000000")
    try expectNoListing("writing a derived file") {
      for byte in 1...2 as ClosedRange<UInt8> {
        try files.write("-cache-x", from: origin) { (file) throws(DiskError) in
          try file.writeAll([byte].span.bytes, at: 0)
        }
        #expect(try files.read("-cache-x", byteCountMax: 8) == [byte])
      }
      #expect(disk.contents(of: ".a-cache-x.new-0000000000000000") == nil)
      try files.remove("-cache-x")
    }
    #expect(disk.paths == ["/disk/a", "/disk/a-end"])
  }

  @Test func `a file of zeros is an interrupted creation unless derived files exist`() throws {
    disk.setContents([], at: "a")
    disk.recordsCalls = true
    #expect(
      try FileJournal(at: "a", options: .simulated(disk)).report.outcome == .creationInterrupted)
    // Names of caches and of files kept by recoveries are unknown, so the directory is listed.
    #expect(disk.log.filter { $0.operation == .list }.count == 1)
    disk.setContents([], at: "b")
    disk.setContents([1], at: "b-torn-7")
    #expect(throws: JournalError.self) { try FileJournal(at: "b", options: .simulated(disk)) }
  }
}
