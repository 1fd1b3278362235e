import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

@Suite struct `A backup of a journal` {
  private let disk = SimulatedDisk()

  @Test func `a backup is an independent journal with the same transactions`() throws {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    let payloads = ReferenceJournal.payloads(seed: 3)
    for (index, payload) in payloads.enumerated() {
      if index % 20 == 0 {
        #expect(try journal.backup(to: "b\(index)").sequence.rawValue == UInt64(index))
      }
      try journal.mustAppend(payload)
    }
    let head = try journal.backup(to: "whole")
    try journal.mustAppend([1])
    for (name, count) in [("b0", 0), ("b20", 20), ("b40", 40), ("whole", 60)] {
      let copy = try FileJournal(at: name, options: .simulated(disk))
      #expect(copy.report.isUneventful && copy.identity == journal.identity)
      #expect(try copy.payloads() == Array(payloads.prefix(count)))
      try copy.mustAppend([9])
      try copy.closeAndWait()
    }
    let reader = try JournalReader(at: "whole", on: disk)
    #expect(head.sequence == 60 && reader.head.sequence == 61)
    // Frames are copied as they are.
    let frames = Array(try #require(disk.contents(of: "a"))[16384..<40000])
    #expect(Array(try #require(disk.contents(of: "whole"))[16384..<40000]) == frames)
    #expect(try journal.payloads() == payloads + [[1]])
  }

  @Test func `a backup of a compacted journal starts with the same base`() throws {
    let first = try FileJournal(at: "a", options: .simulated(disk))
    for byte in 1...5 as ClosedRange<UInt8> { try first.mustAppend([byte]) }
    try first.compact(through: 3, state: [[7], [8]])
    let second = try FileJournal(at: "a", options: .simulated(disk))
    try second.backup(to: "b")
    let copy = try FileJournal(at: "b", options: .simulated(disk))
    #expect(try copy.base().map { $0.copy() } == [[7], [8]])
    #expect(try copy.payloads(from: 4) == [[4], [5]])
  }

  @Test func `a backup contains only durable transactions`() throws {
    var options = JournalOptions.simulated(disk)
    options.durability = .batched(interval: .milliseconds(1000))
    let journal = try FileJournal(at: "a", options: options)
    try journal.mustAppend([1])
    try journal.syncAndWait()
    try journal.mustAppend([2])
    #expect(try journal.backup(to: "b").sequence == 1)
    #expect(try FileJournal(at: "b", options: .simulated(disk)).payloads() == [[1]])
  }

  @Test func `a reader can make a backup while a writer continues`() throws {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    for byte in 1...3 as ClosedRange<UInt8> { try journal.mustAppend([byte]) }
    let reader = try JournalReader(at: "a", on: disk)
    try journal.mustAppend([4])
    var received: [String] = []
    let head = try reader.backup(to: "b") { received.append("\($0) of \($1)") }
    #expect(head == reader.head && head.sequence == 3)
    #expect(
      received.count == 1
        && received.allSatisfy { $0.split(separator: " ").first == $0.split(separator: " ").last })
    let copy = try FileJournal(at: "b", options: .simulated(disk))
    #expect(copy.report.isUneventful && copy.identity == journal.identity)
    #expect(try copy.payloads() == [[1], [2], [3]])
    #expect(throws: JournalError.self) { try reader.backup(to: "b") }
  }

  @Test func `a torn journal can be backed up, and a damaged one cannot`() throws {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    for byte in 1...3 as ClosedRange<UInt8> { try journal.mustAppend([byte]) }
    try journal.closeAndWait()
    var bytes = try #require(disk.contents(of: "a"))
    let end = Int(try JournalReader(at: "a", on: disk).report.endOffset)
    bytes[end] = 7
    disk.setContents(bytes, at: "a")
    #expect(try JournalReader(at: "a", on: disk).backup(to: "b").sequence == 3)
    #expect(try FileJournal(at: "b", options: .simulated(disk)).report.isUneventful)
    bytes[Int(JournalLayout.firstFrameOffset) + 50] ^= 1
    disk.setContents(bytes, at: "a")
    #expect(
      sentence { try JournalReader(at: "a", on: disk).backup(to: "c") } == """
        a: byte 16384: transactions up to 3 were saved, but from here on they can no longer be \
        read. No transaction before it can be read. The file was not changed. Salvage what is \
        intact into a new journal, or restore a backup.
        """)
    #expect(disk.contents(of: "c") == nil)
  }

  @Test func `a backup can be made while other threads append`() throws {
    try TemporaryDirectory.with { directory in
      let journal = try FileJournal(at: directory.path("a"))
      let writers = (0..<2 as Range<UInt32>).map { submitter in
        TestThread {
          (0..<300 as Range<UInt32>).allSatisfy { number in
            let payload = SeededPayload(submitter: submitter, number: number).bytes(seed: 1)
            return (try? journal.mustAppend(payload)) != nil
          }
        }
      }
      for round in 0..<10 {
        let name = "b\(round)"
        let head = try journal.backup(to: directory.path(name))
        let copy = try FileJournal(at: directory.path(name))
        #expect(copy.head == head && copy.report.isUneventful)
        for bytes in try copy.payloads() {
          #expect(SeededPayload(bytes)?.bytes(seed: 1) == bytes)
        }
        try copy.closeAndWait()
      }
      for writer in writers { #expect(writer.value()) }
      #expect(journal.head.sequence == 600)
      try journal.closeAndWait()
    }
  }

  @Test func `a backup replaces no file and leaves no incomplete file`() throws {
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    disk.setContents([], at: "b")
    #expect(sentence { try journal.backup(to: "b") }.hasPrefix("b: a file of this name exists."))
    #expect(sentence { try journal.backup(to: "a") }.hasPrefix("a: a file of this name exists."))
    disk.clearLog()
    try journal.backup(to: "counted")
    for call in 1...disk.callCount {
      let name = "c\(call)"
      disk.clearLog()
      disk.plan = .fail(call: call, with: EIO)
      let isMade = (try? journal.backup(to: name)) != nil
      disk.plan = .none
      #expect(!isMade || disk.contents(of: name) != nil)
      if disk.contents(of: name) != nil {
        #expect(try FileJournal(at: name, options: .simulated(disk)).payloads() == [[1]])
      }
      #expect(!disk.paths.contains { $0.contains(name + ".new-") }, "call \(call)")
    }
    try journal.mustAppend([2])
  }
}
