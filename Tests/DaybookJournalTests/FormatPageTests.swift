import DaybookJournal
import DaybookPlatform
import Testing
import TestSupport

/// The tests compare the page with the code field by field. A changed field must change only the
/// bytes that the page draws for it, and the checksums that cover it.
@Suite struct `The page on the format` {
  private let page: FormatPage

  init() throws { page = try FormatPage() }

  // MARK: Drawings

  @Test func `the drawing of the file has the offsets of the code`() throws {
    let places = try page.drawing(under: "The file").map { "\($0.place) \($0.name)" }
    let (headers, marks) = (JournalLayout.headerOffsets, JournalLayout.markOffsets)
    #expect(
      places == [
        "\(headers[0]) header", "\(headers[1]) header copy", "\(marks[0]) even mark",
        "\(marks[1]) odd mark", "\(JournalLayout.firstFrameOffset) frames",
      ])
    #expect(mark(generation: 2).pageOffset == marks[0])
    #expect(mark(generation: 3).pageOffset == marks[1])
  }

  @Test func `the drawing of a header has the fields that the code writes`() throws {
    let base = ChainPoint(
      sequence: 0x1112, time: JournalTime(nanoseconds: 0x2122), checksum: 0x3132)
    func header(
      high: UInt64 = 1, low: UInt64 = 2, salt: UInt64 = 3, created: Int64 = 4,
      base: ChainPoint = base, _ change: (inout FormatVersions) -> Void = { _ in }
    ) -> [UInt8] {
      var header = JournalHeader(
        identity: JournalIdentity(high: high, low: low), salt: salt,
        created: JournalTime(nanoseconds: created), base: base)
      change(&header.versions)
      return header.page()
    }
    func based(_ change: (inout ChainPoint) -> Void) -> [UInt8] {
      var changed = base
      change(&changed)
      return header(base: changed)
    }
    try hold(
      try page.drawing(under: "Header"), against: header(), total: JournalLayout.pageByteCount,
      changes: [
        "version": header { $0.version ^= .max },
        "oldest reader": header { $0.oldestReader ^= .max },
        "oldest writer": header { $0.oldestWriter ^= .max },
        "identity high": header(high: ~1), "identity low": header(low: ~2),
        "salt": header(salt: ~3), "created": header(created: ~4),
        "base sequence": based { $0.sequence = SequenceNumber(~0x1112) },
        "base time": based { $0.time = JournalTime(nanoseconds: ~0x2122) },
        "base check": based { $0.checksum ^= .max },
      ],
      constants: ["magic": JournalHeader.magic], checks: ["frozen check": 64, "page check": 4088],
      isSeed: { $0 == "salt" })
  }

  @Test func `the drawing of a mark has the fields that the code writes`() throws {
    func bytes(_ change: (inout DurableMark) -> Void = { _ in }) -> [UInt8] {
      var mark = mark(generation: 1)
      change(&mark)
      return mark.bytes(salt: 9)
    }
    try hold(
      try page.drawing(under: "Durability mark"), against: bytes(), total: DurableMark.byteCount,
      changes: [
        "generation": bytes { $0.generation ^= .max },
        "sequence": bytes { $0.end.sequence = SequenceNumber(~2) },
        "end offset": bytes { $0.end.offset ^= .max },
        "end check": bytes { $0.end.checksum ^= .max },
        "in use": bytes { $0.isInUse.toggle() },
      ], checks: ["mark check": 40])
  }

  @Test func `the drawing of the committed end has the fields that the code writes`() throws {
    func bytes(_ change: (inout CommittedEnd) -> Void = { _ in }) -> [UInt8] {
      var end = CommittedEnd(salt: 1, end: FrameEnd(sequence: 2, offset: 3, checksum: 4))
      change(&end)
      return end.bytes()
    }
    try hold(
      try page.drawing(under: "Published end"), against: bytes(), total: CommittedEnd.byteCount,
      changes: [
        "salt": bytes { $0.salt ^= .max },
        "sequence": bytes { $0.end.sequence = SequenceNumber(~2) },
        "end offset": bytes { $0.end.offset ^= .max },
        "end check": bytes { $0.end.checksum ^= .max },
      ], checks: ["check": 56])
  }

  @Test func `the drawing of a frame has the fields for every payload length`() throws {
    let drawing = try page.drawing(under: "Frame")
    for length in 1...17 { try holdFrame(drawing, payloadByteCount: length) }
  }

  private func holdFrame(_ drawing: [FormatPage.Field], payloadByteCount length: Int) throws {
    let payload = [UInt8](repeating: 0x5A, count: length)
    func frame(
      _ payload: [UInt8] = payload, _ change: (inout FrameHeader) -> Void = { _ in }
    ) -> [UInt8] {
      var header = FrameHeader(
        payloadByteCount: payload.count, kind: .transaction, sequence: 1,
        time: JournalTime(nanoseconds: 2), durable: 3, previousChecksum: 4)
      change(&header)
      var writer = FrameWriter()
      _ = writer.append(header, payload: payload.span.bytes, salt: 5)
      return writer.withBytes { bytes in
        (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      }
    }
    try hold(
      drawing, against: frame(), total: Frame.byteCount(payload: length), payload: length,
      changes: [
        "kind": frame { $0.kind = FrameKind(rawValue: ~1) }, "flags": frame { $0.flags = .max },
        "reserved": frame { $0.reserved = .max },
        "sequence": frame { $0.sequence = SequenceNumber(~1) },
        "time": frame { $0.time = JournalTime(nanoseconds: ~2) },
        "durable": frame { $0.durable = SequenceNumber(~3) },
        "previous check": frame { $0.previousChecksum ^= .max },
        "payload": frame(payload.map { ~$0 }),
      ],
      constants: ["payload length": [UInt8(length), 0, 0, 0]],
      checks: ["header check": 40, "frame check": Frame.byteCount(payload: length) - 8])
  }

  @Test func `the format page lists the kinds of frames and the derived files`()
    throws
  {
    let kinds = try page.table(under: "Frame").map { "\($0[0]) \($0[1])" }
    #expect(
      kinds == [
        "\(FrameKind.transaction.rawValue) a transaction",
        "\(FrameKind.base.rawValue) a piece of the base",
        "\(FrameKind.baseEnd.rawValue) the end of the base",
        "\(FrameKind.sharedBaseEnd.rawValue) the end of the base of a shared log",
        "128 to 255 from a newer version; a reader skips it",
        "any other from a newer version; a reader stops at it",
      ])
    for kind in 1...255 as ClosedRange<UInt8> {
      #expect(FrameKind(rawValue: kind).isSkippable == (kind >= 128))
    }
    #expect(Frame.payloadByteCountMax == 1 << 30)
    #expect(JournalHeader.baseSequenceMax < SequenceNumber(UInt64(1) << 63))

    let place = try JournalLocation("banks.daybook", on: SystemDisk())
    let names = [
      place.endPath, place.tornPath(after: 57, attempt: 0),
      "banks.daybook" + DerivedFiles.checkpointNames[0],
      "banks.daybook" + DerivedFiles.cachePrefix + "…",
      place.newPath(),
    ]
    #expect(
      try page.table(under: "Files beside the journal").map { $0[0] }
        == names.map { "`\(FilePaths.split($0).name)`" })
    #expect(
      FilePaths.split(place.tornPath(after: 57, attempt: 1)).name == "banks.daybook-torn-58.1")
  }

  @Test func `the checksums on the format page are those that the code computes`() throws {
    for row in try page.table(under: "The checksum") {
      let text = row[0] == "none" ? "" : row[0].filter { $0 != "`" }
      let seed = try #require(UInt64(row[1]))
      let checksum = XXH64.checksum(Array(text.utf8).span.bytes, seed: seed)
      #expect("`\(Hexadecimal.digits(checksum))`" == row[2], "\(row[0])")
    }
  }

  // MARK: The worked example

  @Test func `the worked example on the format page has the bytes of the sample`() throws {
    let sample = try ProjectFiles.bytes("Journal/Samples/three-transactions.daybook")
    let fields = try page.example().flatMap { $0 }
    for field in fields {
      let range = field.offset..<field.offset + field.bytes.count
      #expect(Array(sample[range]) == field.bytes, "\(field.name) at \(field.offset)")
    }
    let shown = fields.reduce(into: Set<Int>()) {
      $0.formUnion($1.offset..<$1.offset + $1.bytes.count)
    }
    let all = Set(0..<4096).union(8192..<8192 + 48).union(16384..<16384 + 64 + 72)
    #expect(shown == all, "the header, a mark and two frames, without a gap")
  }

  @Test func `the worked example on the format page has the drawn fields`() throws {
    let example = try page.example()
    #expect(example.count == 4)
    for (block, heading) in zip(example, ["Header", "Durability mark", "Frame", "Frame"]) {
      let start = try #require(block.first?.offset)
      let payload = try #require(block.first { $0.name == "payload" || heading != "Frame" })
      let (n, p) = (payload.bytes.count, (8 - payload.bytes.count % 8) % 8)
      let drawn = try page.drawing(under: heading).map {
        "\($0.name) \(try $0.range(payload: n, padding: p))"
      }
      #expect(
        drawn
          == block.map { field in
            let place = field.offset - start
            return "\(field.name) \(place..<place + field.bytes.count)"
          })
      for field in block where field.bytes.count <= 8 { try holdValue(field) }
    }
  }

  /// Checks that a value that starts with a number is the number of the bytes.
  private func holdValue(_ field: FormatPage.ExampleField) throws {
    let word = String(field.value.prefix { $0 != ":" && $0 != " " })
    let number = field.bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    switch field.name {
    case "magic", "padding": break
    case "payload": #expect(field.value == "\"\(String(decoding: field.bytes, as: UTF8.self))\"")
    case "base time": #expect(Int64(bitPattern: number) == .min && word == "-2^63")
    case "created", "time":
      let time = JournalTime(nanoseconds: Int64(bitPattern: number))
      #expect(field.value == "\(time.nanoseconds): \(time)")
    default:
      let isHexadecimal = word.hasPrefix("0x")
      let value = isHexadecimal ? UInt64(word.dropFirst(2), radix: 16) : UInt64(word)
      #expect(value == number, "\(field.name) at \(field.offset) is \(word)")
    }
  }

  // MARK: The law

  /// Compares a drawing with bytes, and with the same bytes after a change of one field.
  ///
  /// The drawing has each byte once. A changed field changes all of its bytes and only the
  /// checksums that cover it.
  private func hold(
    _ drawing: [FormatPage.Field], against bytes: [UInt8], total: Int, payload: Int = 0,
    changes: [String: [UInt8]], constants: [String: [UInt8]] = [:], checks: [String: Int],
    isSeed: (String) -> Bool = { $0 == "salt" }
  ) throws {
    let padding = (8 - payload % 8) % 8
    var end = 0
    var unseen = Set(changes.keys).union(checks.keys).union(constants.keys)
    for field in drawing {
      let range = try field.range(payload: payload, padding: padding)
      #expect(range.lowerBound == end, "\(field.name) begins where the field before it ends")
      end = range.upperBound
      unseen.remove(field.name)
      if let changed = changes[field.name], !range.isEmpty {
        var expected = Set(range)
        for (checksum, place) in checks where place > range.lowerBound || isSeed(field.name) {
          let isUnseeded = checksum == "frozen check" && place < range.lowerBound
          if !isUnseeded { expected.formUnion(place..<place + 8) }
        }
        let found = Set(bytes.indices.filter { bytes[$0] != changed[$0] })
        #expect(
          found.isSubset(of: expected) && found.isSuperset(of: range)
            && checks.values.allSatisfy {
              expected.contains($0) == !found.isDisjoint(with: $0..<$0 + 8)
            },
          "changing \(field.name) changes \(found.sorted())")
      } else if let constant = constants[field.name] {
        #expect(Array(bytes[range]) == constant, "\(field.name)")
      } else if let place = checks[field.name] {
        #expect(range == place..<place + 8, "\(field.name)")
      } else {
        #expect(
          ["reserved", "zeros", "padding"].contains(field.name), "\(field.name) is no known field")
        #expect(bytes[range].allSatisfy { $0 == 0 }, "\(field.name)")
      }
    }
    #expect(end == total && bytes.count == total)
    #expect(unseen.isEmpty, "fields that the page does not draw: \(unseen.sorted())")
  }

  private func mark(generation: UInt64) -> DurableMark {
    DurableMark(generation: generation, end: FrameEnd(sequence: 2, offset: 3, checksum: 4))
  }
}

@Suite struct `The page on recovery` {
  @Test func `the decision table on the recovery page is that of the code`() throws {
    let page = try ProjectFiles.lines("Journal/RECOVERY.md")
    let start = try #require(page.firstIndex { $0.hasPrefix("## The decision") })
    let end = try #require(page[start...].firstIndex { $0.hasPrefix("## The order") })
    let received = FormatPage.tables(in: Array(page[start..<end])).map { $0.prefix(3) }

    let source = try ProjectFiles.lines("Sources/DaybookJournal/Recovery/RecoveryDecision.swift")
      .filter { $0.hasPrefix("/// |") }.map { String($0.dropFirst(4)) }
    let decided = FormatPage.tables(in: source).map { $0.prefix(3) }

    #expect(decided.map { Int($0[0]) } == Array(1...10))
    #expect(received == decided)
  }

  @Test func `the numbers on the recovery page are those of the code`() {
    #expect(RecoveryDecision.interruptedByteCountMax == 1 << 20)
    #expect(JournalLayout.firstFrameOffset == 16384)
    #expect(Durability.intervalMaxNanoseconds == 1_000_000_000)
    #expect(Durability.unsyncedByteCountMax == 16 << 20)
  }
}
