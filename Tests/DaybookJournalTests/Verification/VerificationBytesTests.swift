import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

@Suite("Verifying a journal") struct VerificationBytesTests {
  private let disk = SimulatedDisk()

  /// Returns the problems that verification finds in a file with these bytes, and the summary.
  private func verify(_ bytes: [UInt8]? = nil) throws -> String {
    if let bytes { disk.setContents(bytes, at: "a") }
    let before = disk.contents(of: "a")
    var lines: [String] = []
    var last: UInt64 = 0
    let summary = try FileJournal.verify(at: "a", options: .simulated(disk)) { problem in
      lines.append("\(problem)")
      #expect(problem.offset >= last, "problems are in the order of the file")
      last = problem.offset
    }
    #expect(summary.problemCount == lines.count)
    #expect(disk.contents(of: "a") == before)
    let runs = summary.readable.map { "\($0.lowerBound)-\($0.upperBound)" }
    lines.append(
      """
      \(summary.transactionCount) of \(summary.payloadByteCount) bytes, \
      intact through \(summary.intactThrough), readable \(runs.joined(separator: " "))
      """)
    return lines.joined(separator: "\n")
  }

  /// A journal of transactions with one byte each, in frames of 64 bytes.
  private func crafted(_ count: UInt8) -> CraftedJournal {
    var crafted = CraftedJournal()
    for byte in 0..<count { crafted.append([byte]) }
    return crafted
  }

  @Test func `verification of an intact journal finds no problem`() throws {
    #expect(try verify(crafted(0).bytes()) == "0 of 0 bytes, intact through 0, readable ")
    #expect(try verify(crafted(9).bytes()) == "9 of 9 bytes, intact through 9, readable 1-9")
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1, 2])
    try journal.compact(through: 5, state: [[1], [2]])
    #expect(try verify() == "5 of 6 bytes, intact through 10, readable 6-10")
  }

  @Test func `verification reports damage in file order and reads intact transactions`()
    throws
  {
    let journal = crafted(12)
    var bytes = journal.bytes()
    // A header copy, a mark, the payload of one, the headers of two, and the frame checks of the
    // last two.
    for offset in [4200, 12288] { bytes[offset] ^= 1 }
    bytes[journal.offsets[2] + 48] ^= 1
    for index in [5, 6] { bytes[journal.offsets[index] + 8] ^= 1 }
    for index in [10, 11] { bytes[journal.offsets[index] + 56] ^= 1 }
    let text = try verify(bytes)
    #expect(
      withoutChecks(text) == """
        a: byte 4096: this copy of the header has a wrong checksum; the other copy is valid.
        a: byte 12288: this durability mark has a wrong checksum.
        a: byte 16512: transaction 3 cannot be read: the computed checksum of the frame is 0x…, but \
        0x… is stored.
        a: byte 16704: transactions 6 to 7 cannot be read: the computed checksum of the header is \
        0x…, but 0x… is stored.
        a: byte 17024: transaction 11 cannot be read: the computed checksum of the frame is 0x…, \
        but 0x… is stored.
        a: byte 17088: the journal ends here, but transactions up to 12 were saved.
        7 of 7 bytes, intact through 2, readable 1-2 4-5 8-10
        """)
  }

  /// Returns a text without the digits of checksums, which differ between journals.
  private func withoutChecks(_ text: String) -> String {
    text.replacing(#/0x[0-9a-f]{16}/#, with: "0x…")
  }

  @Test func `verification of a truncated journal reports the missing end`() throws {
    let journal = crafted(5)
    #expect(
      try verify(Array(journal.bytes()[..<journal.offsets[3]])) == """
        a: byte 16576: the journal ends here, but transactions up to 5 were saved.
        3 of 3 bytes, intact through 3, readable 1-3
        """)
    #expect(
      try verify(Array(journal.bytes()[..<(journal.offsets[3] + 50)])) == """
        a: byte 16576: the journal ends here, but transactions up to 5 were saved.
        3 of 3 bytes, intact through 3, readable 1-3
        """)
  }

  @Test func `verification reports a mark that disagrees with its frame`() throws {
    let journal = crafted(3)
    var bytes = journal.bytes(marked: FrameEnd(sequence: 2, offset: 16512, checksum: 0x1234))
    #expect(
      try verify(bytes) == """
        a: byte 8192: the durability mark records transaction 2, but a different frame is at its \
        end.
        a: byte 12288: the durability mark records transaction 2, but a different frame is at its \
        end.
        3 of 3 bytes, intact through 1, readable 1-3
        """)
    bytes[12288] ^= 1
    #expect(
      try verify(bytes) == """
        a: byte 8192: the durability mark records transaction 2, but a different frame is at its \
        end.
        a: byte 12288: this durability mark has a wrong checksum.
        3 of 3 bytes, intact through 1, readable 1-3
        """)
  }

  @Test func `verification reports damaged marks and a torn end`() throws {
    let journal = crafted(2)
    var bytes = journal.bytes()
    bytes[8192] ^= 1
    bytes[12288] ^= 1
    #expect(
      try verify(bytes) == """
        a: byte 8192: this durability mark has a wrong checksum.
        a: byte 12288: this durability mark has a wrong checksum.
        2 of 2 bytes, intact through 2, readable 1-2
        """)
    #expect(
      try verify(journal.bytes(zeros: 0) + [1, 0, 2, 0]) == """
        a: byte 16512: 3 bytes of an unfinished save follow the last transaction.
        2 of 2 bytes, intact through 2, readable 1-2
        """)
    #expect(
      try verify(journal.bytes(zeros: 0) + [1, 0]) == """
        a: byte 16512: 1 byte of an unfinished save follows the last transaction.
        2 of 2 bytes, intact through 2, readable 1-2
        """)
  }

  @Test func `verification reports a frame of a newer build`() throws {
    var journal = crafted(1)
    let marked = journal.end
    journal.append([2], kind: FrameKind(rawValue: 77))
    #expect(
      try verify(journal.bytes(marked: marked)) == """
        a: byte 16448: the frame here is of kind 77, which a newer build wrote; this build \
        understands kinds 1 to 4.
        1 of 1 bytes, intact through 1, readable 1-1
        """)
  }

  @Test func `verification reports a damaged base and reads the frames after it`() throws {
    var journal = CraftedJournal(
      base: ChainPoint(sequence: 5, time: JournalTime(nanoseconds: 1), checksum: 3))
    journal.append([1], kind: .base)
    journal.append([2], kind: .base)
    journal.appendBaseEnd(count: 2)
    for byte in 6...9 as ClosedRange<UInt8> { journal.append([byte]) }
    #expect(try verify(journal.bytes()) == "4 of 4 bytes, intact through 9, readable 6-9")
    var bytes = journal.bytes()
    bytes[journal.offsets[1] + 48] ^= 1
    bytes[journal.offsets[4] + 48] ^= 1
    #expect(
      withoutChecks(try verify(bytes)) == """
        a: byte 16448: the state as of transaction 5 cannot be read: the computed checksum of the \
        frame is 0x…, but 0x… is stored.
        a: byte 16640: transaction 7 cannot be read: the computed checksum of the frame is 0x…, but \
        0x… is stored.
        3 of 3 bytes, intact through 0, readable 6-6 8-9
        """)
  }

  @Test func `verification reports files that are no journals`() throws {
    #expect(
      try verify(Array("Dear diary,\n".utf8)) == """
        a: byte 0: the file starts with 44 65 61 72 20 64 69 61, but a journal with 89 44 41 59 0d \
        0a 1a 0a.
        0 of 0 bytes, intact through 0, readable 
        """)
    #expect(
      try verify(CraftedJournal(version: 3, oldestReader: 2).bytes()) == """
        a: byte 0: the journal has format 3, which needs a build that reads format 2; this build \
        reads up to format 1.
        0 of 0 bytes, intact through 0, readable 
        """)
    #expect(
      try verify([0, 0]) == """
        a: byte 0: the file contains only zeros (2 bytes) because its creation was interrupted.
        0 of 0 bytes, intact through 0, readable 
        """)
    #expect(
      try verify([]) == """
        a: byte 0: the file is empty because its creation was interrupted.
        0 of 0 bytes, intact through 0, readable 
        """)
  }

  @Test func `verification of a growing journal finds no problem`() throws {
    try TemporaryDirectory.with { directory in
      for round in 0..<FaultRow.count(40, full: 400) {
        let path = directory.path("a\(round)")
        try FileJournal(at: path).closeAndWait()
        let durability = round % 2 == 0 ? "full" : "none"
        let child = try TestProcess("append", path, durability, "1", "2", "100000")
        for _ in 0..<5 {
          for _ in 0..<4 { #expect(child.bytes(16) != nil) }
          let summary = try FileJournal.verify(at: path) { Issue.record("\($0)") }
          #expect(summary.problemCount == 0)
          let reader = try JournalReader(at: path)
          #expect(reader.report.isUneventful, "\(reader.report)")
        }
        child.end()
      }
    }
  }
}
