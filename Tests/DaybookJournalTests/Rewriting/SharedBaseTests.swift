import DaybookSimulation
import TestSupport
import Testing

@testable import DaybookJournal

/// Files that start with the base of a shared log.
@Suite struct `The base of a shared log` {
  /// A journal in one file with all transactions, and a second file that starts with a base.
  private struct Pair {
    let payloads: [[UInt8]]
    let base: SequenceNumber
    let state: [[UInt8]]
    let group: FrameGroup
    let whole: [UInt8]
    /// The offset of the first transaction after the base, in the file with all transactions.
    let restOffset: Int
    let beginning: JournalBeginning

    init(seed: UInt64) throws {
      var random = SplitMix64(seed: seed)
      payloads = ReferenceJournal.payloads(seed: seed, count: 3 + Int(random.next() % 30))
      base = SequenceNumber(1 + random.next() % UInt64(payloads.count))
      state = ReferenceJournal.payloads(
        seed: random.next(), count: 1 + Int(random.next() % min(base.rawValue, 4)))
      let disk = SimulatedDisk()
      let journal = try FileJournal(at: "a", options: .simulated(disk, seed: seed))
      for payload in payloads {
        (journal.clock as? TestClock)?.advance(milliseconds: Int64(random.next() % 1000))
        try journal.mustAppend(payload)
      }
      var frames = try journal.sharedBase(after: base)
      var number = SequenceNumber.zero
      for piece in state {
        frames.append(piece.span.bytes, of: number)
        if number < base { number = number.next }
      }
      group = frames.finish(nonce: 7)
      restOffset = Int(try #require(try journal.position(after: base)).endOffset)
      beginning = try JournalBeginning(group)
      try journal.closeAndWait()
      whole = try #require(disk.contents(of: "a"))
    }

    /// The file that starts with the base.
    var file: [UInt8] { beginning.bytes + whole[restOffset...] }

    func disk() -> SimulatedDisk {
      let disk = SimulatedDisk()
      disk.setContents(whole, at: "whole")
      disk.setContents(file, at: "based")
      return disk
    }
  }

  /// The law: after the base, both files have the same transactions, heads and later frames.
  @Test(arguments: 0..<UInt64(FaultRow.count(20, full: 500, least: 5)))
  func `a file with the base continues like the file with all transactions`(
    seed: UInt64
  ) throws {
    let pair = try Pair(seed: seed)
    let disk = pair.disk()
    let whole = try FileJournal(at: "whole", options: .simulated(disk))
    let based = try FileJournal(at: "based", options: .simulated(disk))
    #expect(based.head == whole.head && based.identity == whole.identity)
    #expect(based.header.base == (try whole.position(after: pair.base))?.chain.point)
    #expect(try based.base().map { $0.copy() } == pair.state)
    for first in pair.base.next.rawValue...whole.head.sequence.rawValue + 1 {
      let first = SequenceNumber(first)
      #expect(try based.payloads(from: first) == whole.payloads(from: first))
    }
    for sequence in pair.base.rawValue...whole.head.sequence.rawValue {
      let sequence = SequenceNumber(sequence)
      #expect(
        try based.position(after: sequence)?.chain == whole.position(after: sequence)?.chain)
    }
    for journal in [whole, based] {
      try journal.mustAppend([1, 2, 3])
      try journal.closeAndWait()
    }
    let contents = try #require(disk.contents(of: "based"))
    let shift = pair.restOffset - pair.beginning.bytes.count
    let end = Int(try JournalReader(at: "based", on: disk).report.endOffset)
    #expect(
      Array(contents[pair.beginning.bytes.count..<end])
        == Array(try #require(disk.contents(of: "whole"))[pair.restOffset..<end + shift]))
    let summary = try FileJournal.verify(at: "based", options: .simulated(disk)) {
      Issue.record("\($0)")
    }
    #expect(summary.intactThrough == based.head.sequence)
  }

  @Test(arguments: 0..<UInt64(10))
  func `a follower continues from the whole file in the file with the base`(seed: UInt64) throws {
    let pair = try Pair(seed: seed)
    let disk = pair.disk()
    let whole = try FileJournal(at: "whole", options: .simulated(disk))
    let base = pair.base.rawValue
    for last in 0...whole.head.sequence.rawValue {
      let point = try #require(try whole.position(after: SequenceNumber(last))).chain.point
      let follower = try FileFollower(at: "based", after: last == 0 ? nil : point, on: disk)
      var found: [UInt64] = []
      while let event = try follower.next() {
        switch event {
        case .transaction(let transaction): found.append(transaction.sequence.rawValue)
        case .reset(let point, let pieces):
          #expect(point.sequence == pair.base && point.checksum == pair.group.checksum)
          #expect(pieces.map { $0.copy() } == pair.state)
          found.append(0)
        }
      }
      let first = max(last, base) + 1
      let rest = Array(first..<whole.head.sequence.rawValue + 1)
      #expect(found == (last < base ? [0] : []) + rest, "after \(last)")
      // The follower compares the last bytes that it has read when it looks for more.
      #expect(try follower.next() == nil)
    }
  }

  @Test(arguments: 0..<UInt64(10))
  func `a backup and a compaction of a file with the base work`(seed: UInt64) throws {
    let pair = try Pair(seed: seed)
    let disk = pair.disk()
    let based = try FileJournal(at: "based", options: .simulated(disk))
    try based.backup(to: "copy")
    let copy = try FileJournal(at: "copy", options: .simulated(disk))
    #expect(copy.report.isUneventful && copy.head == based.head)
    #expect(try copy.payloads(from: pair.base.next) == based.payloads(from: pair.base.next))
    try copy.mustAppend([9])
    let head = copy.head
    try copy.compact(through: head.sequence, state: [[7]])
    let compacted = try FileJournal(at: "copy", options: .simulated(disk))
    #expect(compacted.header.base == head)
    #expect(try compacted.base().map { $0.copy() } == [[7]])

    // A base of a base: the journal drops more of its history.
    if based.head.sequence == pair.base {
      #expect(
        sentence { _ = try based.sharedBase(after: pair.base) }.hasPrefix(
          "based: history up to transaction \(pair.base) was dropped"))
      return
    }
    var frames = try based.sharedBase(after: based.head.sequence)
    frames.append(([5] as [UInt8]).span.bytes, of: 1)
    let group = frames.finish(nonce: 1)
    let second = try JournalBeginning(group)
    #expect(
      second.header.base == based.head && second.end.chain.point.checksum == based.head.checksum)
  }

  @Test func `each inverted bit of the base is reported`() throws {
    let pair = try Pair(seed: 3)
    let start = Int(JournalLayout.firstFrameOffset)
    for offset in start..<pair.beginning.bytes.count {
      let disk = SimulatedDisk()
      disk.setContents(pair.file.flipped(at: offset, xor: UInt8(1 << (offset % 8))), at: "based")
      let problem = sentence { _ = try FileJournal(at: "based", options: .simulated(disk)) }
      var problems: [String] = []
      _ = try FileJournal.verify(at: "based", options: .simulated(disk)) {
        problems.append("\($0)")
      }
      // A wrong header check alone is no damage, because the frame check covers the frame.
      if problem.isEmpty || problems.isEmpty { Issue.record("byte \(offset): \(problem)") }
      var group = pair.group
      group.bytes[offset - start + JournalLayout.pageByteCount] ^= UInt8(1 << (offset % 8))
      #expect(throws: PulledFrames.Defect.self) { _ = try JournalBeginning(group) }
    }
  }

  /// The numbers of base frames increase, or all are 0. Only the latter can precede a plain end.
  @Test func `base frames in a wrong order are reported`() throws {
    for (numbers, isShared, sentence) in [
      ([0, 0], false, nil), ([0, 0], true, nil), ([0, 1, 3], true, nil), ([2], true, nil),
      ([2, 1], true, "expected transaction 3, found 1"),
      ([1, 1], true, "expected transaction 2, found 1"),
      ([1, 0], true, "expected transaction 2, found 0"),
      ([4], true, "expected transaction 0, found 4"),
      ([], true, "a frame of kind 4 is not allowed there"),
      ([1], false, "a frame of kind 3 is not allowed there"),
    ] as [([SequenceNumber], Bool, String?)] {
      let point = ChainPoint(sequence: 3, time: SampleMaker.firstTime, checksum: 0xAB)
      var maker = SampleMaker(SampleMaker.journal().header, base: point)
      for number in numbers { maker.append([1], kind: .base, sequence: number) }
      if isShared {
        maker.endSharedBase(frameCount: UInt64(numbers.count))
      } else {
        maker.append(
          withUnsafeBytes(of: UInt64(numbers.count).littleEndian) { [UInt8]($0) }, kind: .baseEnd,
          sequence: 0)
      }
      let end = FramePosition(chain: maker.chain, endOffset: UInt64(maker.endOffset)).end
      let file = JournalCreation.beginning(maker.header, markedEnd: end) + maker.frames
      let disk = SimulatedDisk()
      disk.setContents(file.inWholePages(), at: "j")
      var problems: [String] = []
      _ = try FileJournal.verify(at: "j", options: .simulated(disk)) { problems.append("\($0)") }
      if let sentence {
        #expect(problems.contains { $0.contains(sentence) }, "\(numbers): \(problems)")
      } else {
        #expect(problems == [], "\(numbers)")
      }
    }
  }

  @Test func `a base that continues differently from its header is reported`() throws {
    let three = SampleMaker.journal()
    let point = ChainPoint(sequence: 2, time: SampleMaker.firstTime, checksum: 0xAB)
    var other = SampleMaker(three.header, base: point)
    other.append([1], kind: .base, sequence: 0)
    other.endSharedBase(frameCount: 1)
    var bytes = other.frames
    bytes.put([0xCD], at: bytes.count - Frame.checksumByteCount)
    var file = JournalCreation.beginning(
      other.header, markedEnd: FramePosition(before: other.header).end)
    file += bytes
    let disk = SimulatedDisk()
    disk.setContents(file.inWholePages(), at: "j")
    var problems: [String] = []
    _ = try FileJournal.verify(at: "j", options: .simulated(disk)) { problems.append("\($0)") }
    #expect(
      problems.contains {
        $0.contains(
          "the computed checksum of the frame is 0x00000000000000ab, but 0x00000000000000cd is stored"
        )
      }, "\(problems)")
    #expect(
      sentence { _ = try FileJournal(at: "j", options: .simulated(disk)) }.hasPrefix(
        "j: byte 16448: transactions up to 2 were saved, but from here on"))
    var beginning = FrameGroup(
      first: 0, next: 3, previousChecksum: 0, checksum: 0xCD, bytes: other.header.page() + bytes,
      nonce: 1)
    #expect(throws: PulledFrames.Defect.invalid("its first group contains an invalid base")) {
      _ = try JournalBeginning(beginning)
    }
    beginning.checksum = 0xAB
    #expect(throws: PulledFrames.Defect.invalid("its first group contains an invalid base")) {
      _ = try JournalBeginning(beginning)
    }
  }
}
