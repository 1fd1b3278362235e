import DaybookJournal
import DaybookSimulation
import TestSupport

extension Sample {
  /// Every sample of the folder, in the order of the table in its README.
  static func all() throws -> [Sample] {
    try whole() + notJournals() + newer() + damaged() + torn()
  }

  // MARK: Written by the journal itself

  /// The worked example of `FORMAT.md`: three transactions, then an orderly close.
  static func threeTransactions(closes: Bool = true) throws -> Sample {
    let disk = SimulatedDisk()
    let clock = TestClock()
    let journal = try FileJournal(at: "j", options: FixedJournal.options(on: disk, clock: clock))
    for payload in SampleMaker.payloads {
      clock.advance(milliseconds: 1500)
      try journal.mustAppend(payload)
    }
    if closes { try journal.closeAndWait() }
    let bytes = disk.contents(of: "j") ?? []
    return Sample(
      name: closes ? "three-transactions" : "not-closed", bytes: bytes.inWholePages())
  }

  private static func empty() throws -> Sample {
    let disk = SimulatedDisk()
    try FileJournal(at: "j", options: FixedJournal.options(on: disk)).closeAndWait()
    return Sample(name: "empty", bytes: disk.contents(of: "j") ?? [])
  }

  /// The state as of transaction 2 in two pieces, and transaction 3.
  private static func compacted() throws -> Sample {
    let disk = SimulatedDisk()
    disk.setContents(try threeTransactions().bytes, at: "j")
    let journal = try FileJournal(at: "j", options: FixedJournal.options(on: disk))
    try journal.compact(
      through: 2, state: [Array("the state".utf8), Array("as of transaction 2".utf8)])
    return Sample(name: "compacted", bytes: (disk.contents(of: "j") ?? []).inWholePages())
  }

  /// The state as of transaction 2, as the base of a shared log, and transaction 3 with its bytes
  /// in the worked example.
  private static func sharedBase() -> SampleMaker {
    let three = SampleMaker.journal()
    var log = SampleMaker.journal(of: Array(SampleMaker.payloads[..<2]))
    var maker = SampleMaker(log.header, base: log.chain.point)
    maker.append(Array("the state".utf8), kind: .base, sequence: 0)
    maker.append(Array("as of transaction 2".utf8), kind: .base, sequence: 0)
    maker.endSharedBase(frameCount: 2)
    maker.append(SampleMaker.payloads[2])
    log.append(SampleMaker.payloads[2])
    precondition(maker.chain == log.chain && maker.chain == three.chain)
    maker.mark()
    return maker
  }

  // MARK: Whole

  private static func whole() throws -> [Sample] {
    let three = try threeTransactions().bytes

    var skippable = SampleMaker.journal(of: Array(SampleMaker.payloads[..<2]))
    skippable.append(Array("for newer readers".utf8), kind: FrameKind(rawValue: 0x81))
    skippable.append(SampleMaker.payloads[2])
    skippable.mark()

    var ahead = SampleMaker()
    ahead.append(SampleMaker.payloads[0])
    let day: Int64 = 86_400_000_000_000
    ahead.append(
      SampleMaker.payloads[1],
      time: JournalTime(nanoseconds: SampleMaker.firstTime.nanoseconds + 400 * day))
    ahead.mark()

    var backwards = SampleMaker()
    backwards.append(SampleMaker.payloads[0])
    backwards.append(
      SampleMaker.payloads[1],
      time: JournalTime(nanoseconds: SampleMaker.firstTime.nanoseconds - day))
    backwards.mark()

    var unsound = SampleMaker.journal(of: Array(SampleMaker.payloads[..<2]))
    unsound.breakHeaderCheck()
    unsound.append(SampleMaker.payloads[2])
    unsound.mark()

    let other = SampleMaker.freshHeader(
      identity: JournalIdentity(high: 7, low: 7), salt: FixedJournal.salt + 7)
    return [
      try threeTransactions(), try empty(), try threeTransactions(closes: false), try compacted(),
      Sample(name: "shared-base", bytes: sharedBase().file()),
      Sample(name: "skippable-frame", bytes: skippable.file()),
      Sample(name: "header-copy-damaged", bytes: three.flipped(at: 20)),
      Sample(name: "header-copy-of-another-journal", bytes: three.with(other.page(), at: 4096)),
      Sample(name: "damaged-mark", bytes: three.flipped(at: 8192 + 8)),
      Sample(name: "frame-header-check-wrong", bytes: unsound.file()),
      Sample(name: "times-ahead", bytes: ahead.file()),
      Sample(name: "times-backwards", bytes: backwards.file()),
    ]
  }

  // MARK: Not journals

  private static func notJournals() throws -> [Sample] {
    let three = try threeTransactions().bytes
    let other = SampleMaker.freshHeader(
      identity: JournalIdentity(high: 7, low: 7), salt: FixedJournal.salt + 7)
    let otherMark = DurableMark(generation: 3, end: FramePosition(before: other).end)
    let nothing = [UInt8](repeating: 0, count: 4096)
    let end = CommittedEnd(
      salt: FixedJournal.salt, end: FrameEnd(sequence: 3, offset: 16608, checksum: 0x1234))
    return [
      Sample(name: "creation-interrupted", bytes: nothing),
      Sample(name: "emptied", bytes: nothing, companion: ("-end", end.bytes())),
      Sample(name: "not-a-journal", bytes: Array("Dear daybook, today nothing happened.\n".utf8)),
      Sample(name: "text-journal", bytes: Array("{\"daybook\":1}\n".utf8)),
      Sample(name: "too-short", bytes: Array(three[..<12000])),
      Sample(name: "headers-damaged", bytes: three.flipped(at: 20).flipped(at: 4096 + 20)),
      Sample(
        name: "headers-disagree",
        bytes: three.with(other.page(), at: 4096)
          .with(otherMark.bytes(salt: other.salt), at: 12288)),
    ]
  }

  // MARK: Newer

  private static func newer() throws -> [Sample] {
    func journal(_ versions: FormatVersions) -> [UInt8] {
      var header = SampleMaker.freshHeader()
      header.versions = versions
      // The stored check covers the versions, and the first frame refers to it.
      guard case .good(let read) = JournalHeader.read(ByteView(header.page())) else {
        return SampleMaker(header).file()
      }
      var maker = SampleMaker(read)
      for payload in SampleMaker.payloads { maker.append(payload) }
      maker.mark()
      return maker.file()
    }
    var kind = SampleMaker.journal(of: Array(SampleMaker.payloads[..<2]))
    kind.append(SampleMaker.payloads[2], kind: FrameKind(rawValue: 5))
    var flags = SampleMaker.journal(of: Array(SampleMaker.payloads[..<2]))
    flags.append(SampleMaker.payloads[2], flags: 1)
    return [
      Sample(
        name: "newer-version",
        bytes: journal(FormatVersions(version: 2, oldestReader: 2, oldestWriter: 2))),
      Sample(
        name: "newer-writer",
        bytes: journal(FormatVersions(version: 2, oldestReader: 1, oldestWriter: 2))),
      Sample(name: "newer-frame", bytes: kind.file()),
      Sample(name: "newer-flags", bytes: flags.file()),
    ]
  }

  // MARK: Damaged

  private static func damaged() throws -> [Sample] {
    let three = try threeTransactions().bytes
    let frames = SampleMaker.journal().offsets
    let five = (1...5).map { Array("transaction \($0)".utf8) }
    var marked = SampleMaker.journal(of: five)
    marked.mark()
    let unmarked = SampleMaker.journal(of: five)

    var otherThird = SampleMaker.journal(of: Array(SampleMaker.payloads[..<2]))
    otherThird.append(Array("another third".utf8))
    otherThird.marks = SampleMaker.marked().marks

    return [
      Sample(name: "mark-disagrees", bytes: otherThird.file()),
      Sample(name: "damaged-middle", bytes: three.flipped(at: frames[1] + 50)),
      Sample(name: "damaged-frame-header", bytes: three.flipped(at: frames[1] + 8)),
      Sample(
        name: "damaged-twice",
        bytes: marked.file()
          .flipped(at: marked.offsets[1] + 50).flipped(at: marked.offsets[3] + 50)),
      Sample(
        name: "damaged-without-marks",
        bytes: unmarked.file().flipped(at: unmarked.offsets[1] + 50)),
      Sample(
        name: "zeroed-middle",
        bytes: three.with([UInt8](repeating: 0, count: frames[2] - frames[1]), at: frames[1])),
      Sample(name: "damaged-base", bytes: try compacted().bytes.flipped(at: 16384 + 50)),
      Sample(
        name: "damaged-shared-base",
        bytes: sharedBase().file().flipped(at: sharedBase().offsets[3] - 1)),
      Sample(name: "truncated", bytes: Array(three[..<(frames[2] + 40)])),
      Sample(name: "truncated-and-zeroed", bytes: three.zeroed(from: frames[2])),
      Sample(name: "marks-damaged", bytes: three.flipped(at: 8192).flipped(at: 12288)),
      Sample(
        name: "zeroed-behind-one-mark",
        bytes: SampleMaker().file().with([UInt8](repeating: 0, count: 4096), at: 12288)),
    ]
  }

  // MARK: Torn

  private static func torn() throws -> [Sample] {
    var two = SampleMaker.journal(of: Array(SampleMaker.payloads[..<2]))
    two.mark()
    var whole = two
    whole.append(SampleMaker.payloads[2])
    let third = whole.offsets[2]

    // Two transactions of one write: the second reached the disk, and the first did not.
    var group = two
    group.append(SampleMaker.payloads[2])
    group.append(Array("and the fourth".utf8), durable: 2)

    // A payload that is itself a later frame of this journal.
    var inner = SampleMaker.journal(of: (1...9).map { [UInt8($0)] })
    inner.mark()
    let lastFrame = Array(inner.frames[(inner.offsets[8] - 16384)...])
    var around = two
    around.append(lastFrame + Array("and more".utf8))

    return [
      Sample(name: "torn-tail", bytes: whole.file().zeroed(from: third + 56).inWholePages()),
      Sample(
        name: "torn-group",
        bytes: group.file()
          .with([UInt8](repeating: 0, count: group.offsets[3] - third), at: third)),
      Sample(
        name: "torn-garbage",
        bytes: two.file().with([0xDE, 0xAD, 0xBE, 0xEF, 0, 0, 0, 1], at: third)),
      Sample(
        name: "torn-around-a-frame", bytes: around.file().flipped(at: around.endOffset - 1)),
    ]
  }
}

extension SampleMaker {
  fileprivate static func marked() -> SampleMaker {
    var maker = journal()
    maker.mark()
    return maker
  }
}
