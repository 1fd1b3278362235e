import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

@Suite struct `The messages of recovery reports` {
  private let disk = SimulatedDisk()

  private func report(_ bytes: [UInt8]) throws -> String {
    disk.setContents(bytes, at: "a")
    return "\(try FileJournal(at: "a", options: .simulated(disk)).report)"
  }

  @Test func `the report of a clean journal gives its number of transactions`() throws {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    #expect("\(journal.report)" == "a: a new journal was created.")
    try journal.closeAndWait()
    let second = try FileJournal(at: "a", options: .simulated(disk))
    #expect("\(second.report)" == "a: the journal is empty and clean.")
    try second.mustAppend([1])
    #expect("\(try second.recoverAndWait())" == "a: the journal is clean. Transaction 1 is intact.")
    try second.mustAppend([2])
    try second.closeAndWait()
    #expect(second.report.isUneventful)
    let third = try FileJournal(at: "a", options: .simulated(disk))
    #expect("\(third.report)" == "a: the journal is clean. Transactions 1 through 2 are intact.")
  }

  @Test func `a recovery that has nothing to do reports the written transactions`() throws {
    var options = JournalOptions.simulated(disk)
    options.durability = .none
    let journal = try FileJournal(at: "a", options: options)
    for number in 1...10 { try journal.mustAppend([UInt8(number)]) }
    #expect(journal.durableFile.end.sequence == 0)
    #expect(
      "\(try journal.recoverAndWait())"
        == "a: the journal is clean. Transactions 1 through 10 are intact.")
  }

  @Test func `the report of a journal that was not closed says so once`() throws {
    let left = disk.copy()
    var journal: FileJournal? = try FileJournal(at: "a", options: .simulated(left))
    let fresh = left.copy()
    try journal?.mustAppend([1])
    // The reader opens the journal while a writer exists, which can still close it.
    #expect(try JournalReader(at: "a", on: left).report.wasClosed)
    journal = nil
    let report = try JournalReader(at: "a", on: left).report
    #expect(!report.wasClosed && !report.isUneventful)
    #expect(
      "\(report)" == """
        a: the journal is clean. Transaction 1 is intact.
        a: the journal was not closed, so it is not certain that transaction 1 was the last.
        """)
    let second = try FileJournal(at: "a", options: .simulated(left))
    #expect(
      "\(second.report)" == """
        a: the journal is clean. Transaction 1 is intact.
        a: the journal was not closed, so it is not certain that transaction 1 was the last.
        a: the last 64 bytes were rewritten and synced.
        """)
    // The report says so once. A journal without appends is not in use.
    #expect(try JournalReader(at: "a", on: left).report.isUneventful)
    #expect(try JournalReader(at: "a", on: fresh).report.isUneventful)
  }

  @Test func `the report of an empty journal that was not closed says so`() throws {
    let header = SampleMaker.freshHeader()
    var maker = SampleMaker(header)
    maker.marks[1].isInUse = true
    disk.setContents(maker.file(), at: "a")
    #expect(
      "\(try JournalReader(at: "a", on: disk).report)" == """
        a: the journal is empty and clean.
        a: the journal was not closed, so it is not certain that nothing had been saved.
        """)
  }

  @Test func `the report of a torn journal names the kept file`() throws {
    var crafted = CraftedJournal()
    crafted.append([1])
    let bytes = crafted.bytes(zeros: 0)
    disk.setContents(bytes + [1, 2, 3], at: "a")
    #expect(
      "\(try JournalReader(at: "a", on: disk).report)" == """
        a: byte 16448: 3 bytes of an unfinished save follow the last transaction. The file was not \
        changed. Transaction 1 is intact.
        """)
    #expect(
      try report(bytes + [1, 2, 3, 0, 0]) == """
        a: byte 16448: 3 bytes of an unfinished save follow the last transaction. A copy is kept in \
        /disk/a-torn-2. Transaction 1 is intact.
        """)
    #expect(disk.contents(of: "a-torn-2") == [1, 2, 3])
    #expect(
      try report(bytes + [9]) == """
        a: byte 16448: 1 byte of an unfinished save follows the last transaction. A copy is kept in \
        /disk/a-torn-2.1. Transaction 1 is intact.
        """)
  }

  @Test func `the report of a damaged journal opened read-only names the byte`() throws {
    var crafted = CraftedJournal()
    crafted.append([1])
    crafted.append([2])
    var bytes = crafted.bytes()
    bytes[crafted.offsets[1] + 48] ^= 1
    disk.setContents(bytes, at: "a")
    #expect(
      "\(try JournalReader(at: "a", on: disk).report)" == """
        a: byte 16448: transactions up to 2 were saved, but from here on they can no longer be \
        read. Transaction 1 is intact.
        """)
    bytes = crafted.bytes()
    bytes[8192] ^= 1
    bytes[12288] ^= 1
    disk.setContents(bytes, at: "a")
    #expect(
      "\(try JournalReader(at: "a", on: disk).report)" == """
        a: the durability marks, which record how far the journal was saved, cannot be read. \
        Transactions 1 through 2 are intact.
        a: byte 8192: this durability mark has a wrong checksum.
        a: byte 12288: this durability mark has a wrong checksum.
        """)
  }

  @Test func `the report names damaged copies, rewritten bytes and a late clock`()
    throws
  {
    let now = TestClock().now.nanoseconds
    var crafted = CraftedJournal()
    crafted.append([1], at: now + 3 * 86_400_000_000_000)
    let first = crafted.end
    crafted.append([2], at: now + 3 * 86_400_000_000_000 + 1)
    var bytes = crafted.bytes(marked: first)
    bytes[0] ^= 1
    bytes[8192] ^= 1
    #expect(
      try report(bytes) == """
        a: the journal is clean. Transactions 1 through 2 are intact.
        a: byte 0: this copy of the header has a wrong checksum. The other copy is valid and was \
        used.
        a: byte 8192: this durability mark has a wrong checksum because a crash interrupted its \
        writing.
        a: the last 64 bytes were rewritten and synced.
        a: the last transaction is 3 days or more ahead of the clock. New transactions keep its \
        time until the clock has caught up.
        """)
  }

  @Test func `the report mentions a clock that is more than a day late`() throws {
    let now = TestClock().now.nanoseconds
    var crafted = CraftedJournal()
    crafted.append([1], at: now + 86_400_000_000_000)
    #expect(try report(crafted.bytes()) == "a: the journal is clean. Transaction 1 is intact.")
    crafted.append([1], at: now + 86_400_000_000_001)
    #expect(
      try report(crafted.bytes()) == """
        a: the journal is clean. Transactions 1 through 2 are intact.
        a: the last transaction is a day or more ahead of the clock. New transactions keep its time \
        until the clock has caught up.
        """)
  }
}
