import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

@Suite("Frames in a row") struct FrameBytesTests {
  private let header = SampleMaker.freshHeader()

  @Test func `frames with payloads of every size are read as written`() throws {
    var generator = SplitMix64(seed: 200)
    let payloads = (1...200).map { size in
      (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
    var maker = SampleMaker(header)
    for payload in payloads { maker.append(payload) }

    var reader = FrameReader(MappedImage(maker.file()), header: header)
    for (index, payload) in payloads.enumerated() {
      try #require(try reader.advance())
      #expect(reader.header.sequence.rawValue == UInt64(index + 1))
      #expect(reader.header.durable.rawValue == UInt64(index))
      #expect(reader.header.payloadByteCount == payload.count)
      #expect(reader.headerOffset == UInt64(maker.offsets[index]))
      #expect(reader.payload.copy() == payload)
    }
    #expect(reader.offset == UInt64(maker.endOffset))
    #expect(reader.chain == maker.chain)
    #expect(try !reader.advance())
  }

  @Test func `each frame starts at a multiple of eight and has the computed size`() {
    var maker = SampleMaker(header)
    for size in 1...200 {
      maker.append([UInt8](repeating: 1, count: size))
      let byteCount = maker.endOffset - (maker.offsets.last ?? 0)
      #expect(byteCount == Frame.byteCount(payload: size))
      #expect(maker.endOffset % 8 == 0 && (0..<8).contains(byteCount - 56 - size))
    }
  }

  @Test func `a flipped bit in a frame ends the reading before it`() throws {
    var maker = SampleMaker(header)
    for size in [3, 8, 21] { maker.append([UInt8](repeating: 7, count: size)) }
    let file = maker.file()
    for offset in maker.offsets[1]..<maker.offsets[2] {
      for bit in 0..<8 as Range<UInt8> {
        var reader = FrameReader(
          MappedImage(file.flipped(at: offset, xor: 1 << bit)), header: header)
        while try reader.advance() {}
        #expect(reader.chain.sequence == 1, "bit \(bit) of byte \(offset)")
      }
    }
  }

  @Test func `frames of another salt are not read`() throws {
    var other = SampleMaker(SampleMaker.freshHeader(salt: FixedJournal.salt + 1))
    other.append([1])
    var reader = FrameReader(MappedImage(other.file()), header: header)
    #expect(try !reader.advance())
  }

  @Test func `an emptied frame writer writes the same bytes again`() {
    var writer = FrameWriter()
    var found: [[UInt8]] = []
    for _ in 0..<2 {
      for size in [5000, 1, 70] {
        let payload = [UInt8](repeating: 9, count: size)
        let header = FrameHeader(
          payloadByteCount: size, kind: .transaction, sequence: 1, time: .distantPast,
          durable: 0, previousChecksum: 0)
        _ = writer.append(header, payload: payload.span.bytes, salt: 1)
      }
      found.append(
        writer.withBytes { bytes in
          (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        })
      writer.removeAll()
    }
    #expect(found[0] == found[1])
  }
}

@Suite("Frames that an honest writer never writes") struct DegenerateFrameBytesTests {
  /// Opens a journal, appends, closes, and opens it again.
  private func use(_ bytes: [UInt8]) throws -> (found: RecoveryReport, then: RecoveryReport) {
    let disk = SimulatedDisk()
    disk.setContents(bytes, at: "j")
    let journal = try FileJournal(at: "j", options: FixedJournal.options(on: disk))
    try journal.closeAndWait()
    let again = try FileJournal(at: "j", options: FixedJournal.options(on: disk))
    try again.mustAppend([1])
    try again.closeAndWait()
    let then = try FileJournal(at: "j", options: FixedJournal.options(on: disk)).report
    return (journal.report, then)
  }

  @Test func `a skippable frame at the end is skipped and appends follow it`() throws {
    for isMarked in [false, true] {
      var maker = SampleMaker.journal()
      if isMarked { maker.mark() }
      maker.append([1, 2, 3], kind: FrameKind(rawValue: 0x80))
      let (found, then) = try use(maker.file())
      #expect(found.outcome == .clean && found.rewrittenByteCount > 0)
      #expect(then.outcome == .clean && then.isUneventful && then.lastTransaction == 4)
    }
  }

  @Test func `a skippable frame before the first transaction is skipped`() throws {
    var maker = SampleMaker()
    maker.append([1, 2, 3], kind: FrameKind(rawValue: 0xFF))
    let (found, then) = try use(maker.file())
    #expect(found.outcome == .clean && found.lastTransaction == .zero)
    #expect(then.isUneventful && then.lastTransaction == 1)
  }

  @Test func `a mark after a broken skippable frame proves damage`() throws {
    var maker = SampleMaker.journal()
    let offset = maker.endOffset
    maker.append([1, 2, 3], kind: FrameKind(rawValue: 0x80))
    maker.mark()
    let verdict = try RecoveryDecision.decide(
      MappedImage(maker.file().flipped(at: offset)), hasDerivedFiles: false)
    guard case .damaged(let journal, let damage) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(damage.highestSynced == 3 && journal.intact.sequence == 2)
  }

  @Test func `the largest numbers in a file do not stop the process`() throws {
    var base = SampleMaker.freshHeader()
    base.base = ChainPoint(sequence: SequenceNumber(.max), time: .distantPast, checksum: 0)
    #expect(JournalHeader.read(ByteView(base.page())) == .bad(.checksum))

    var later = SampleMaker.journal()
    let third = later.offsets[2]
    later.append([1], sequence: SequenceNumber(.max), durable: SequenceNumber(.max - 1))
    later.append([1], sequence: 0)
    let summary = try Sample(name: "j", bytes: later.file().flipped(at: third)).verify()
    #expect(summary.intactThrough == 2)

    var marked = SampleMaker.journal()
    marked.mark()
    marked.marks[0].generation = .max - 1
    marked.marks[1].generation = .max
    #expect(try use(marked.file()).then.lastTransaction == 4)
  }

  @Test func `a mark before the base counts as unreadable`() throws {
    let base = ChainPoint(sequence: 2, time: SampleMaker.firstTime, checksum: 5)
    var maker = SampleMaker(
      JournalHeader(
        identity: FixedJournal.identity, salt: FixedJournal.salt, created: SampleMaker.firstTime,
        base: base))
    maker.append([1], kind: .base, sequence: 0)
    maker.append([1, 0, 0, 0, 0, 0, 0, 0], kind: .baseEnd, sequence: 0)
    maker.append([1])
    maker.mark()
    maker.marks[0].end.sequence = 1
    maker.marks[0].end.offset = .max
    let (found, then) = try use(maker.file())
    #expect(found.badMarkOffsets == [maker.marks[0].pageOffset])
    #expect(then.isUneventful && then.lastTransaction == 4)
  }

  @Test func `a base with a wrong number of frames is named with both numbers`() throws {
    let base = ChainPoint(sequence: 2, time: SampleMaker.firstTime, checksum: 5)
    let header = JournalHeader(
      identity: FixedJournal.identity, salt: FixedJournal.salt, created: SampleMaker.firstTime,
      base: base)
    var maker = SampleMaker(header)
    maker.append([1], kind: .base, sequence: 0)
    maker.append([2, 0, 0, 0, 0, 0, 0, 0], kind: .baseEnd, sequence: 0)
    var reader = FrameReader(MappedImage(maker.file()), header: header)
    while try reader.advance() {}
    #expect(reader.defect == .baseCount(recorded: 2, found: 1))

    let disk = SimulatedDisk()
    disk.setContents(maker.file(), at: "j")
    var problems: [String] = []
    _ = try FileJournal.verify(at: "j", options: .simulated(disk)) { problems.append("\($0)") }
    #expect(
      problems.contains {
        $0.contains("the end of the base records 2 frames, but 1 are before it")
      },
      "\(problems)")
  }
}

extension Sample {
  fileprivate func verify() throws -> VerificationSummary {
    try FileJournal.verify(at: journalName, options: .simulated(disk())) { _ in }
  }
}
