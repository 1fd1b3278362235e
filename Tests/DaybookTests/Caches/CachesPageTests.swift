import Daybook
import DaybookJournal
import DaybookResults
import DaybookStore
import TestSupport
import Testing

/// `Journal/CACHES.md` says what the code writes and reads.
@Suite struct `The page on caches` {
  private static let file = CacheFile(
    moment: JournalMoment(
      identity: JournalIdentity(high: 0x0102_0304_0506_0708, low: 0x1112_1314_1516_1718),
      salt: 0x5A17, sequence: 3, checksum: 0xC4EC),
    definition: "cache \"banks\"\nlist 2\n",
    entries: ListEntries(
      rows: RankEntries([
        RankEntry(0x4669_7273_7400_0000, value: 1), RankEntry(0x5365_636F_6E64_0000, value: 0),
      ]),
      sections: RankEntries([
        RankEntry(0x4341_0000_0000_0000, value: 1), RankEntry(0x5458_0000_0000_0000, value: 1),
      ])))

  @Test func `the page's example cache is what the code writes`() throws {
    let page = try ProjectFiles.lines("Journal/CACHES.md")
    let heading = "## A worked example"
    let lines = HexDump.lines(of: Self.file.bytes)
    #expect(
      try DocumentationPage.block("```", in: page, following: heading, from: heading) == lines,
      "\(lines.joined(separator: "\n"))")
  }

  @Test func `the page's drawing has the offsets of the code`() throws {
    let page = try ProjectFiles.lines("Journal/CACHES.md")
    let drawing = try DocumentationPage.block(
      "```", in: page, following: "## The file", from: "## The file")
    let bytes = Self.file.bytes
    let values: [String: UInt64] = [
      "definition size": 21, "salt": 0x5A17, "sequence": 3, "transaction checksum": 0xC4EC,
      "row count": 2, "section count": 2, "version": 1,
    ]
    var found = 0
    for line in drawing.dropFirst() {
      let name = line.dropFirst(14).prefix { $0 != ":" }.split(separator: "  ").first.map(
        String.init)
      guard let name, let value = values[name] else { continue }
      let columns = line.split(separator: " ")
      let (offset, size) = (try #require(Int(columns[0])), try #require(Int(columns[1])))
      let number = bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      #expect(number == value, "\(name)")
      found += 1
    }
    #expect(found == values.count)
  }

  @Test func `a written cache file is read again`() throws {
    let read = CacheFile.read(
      Self.file.bytes, definition: Self.file.definition, of: Self.file.moment)
    #expect(read == .success(Self.file))
  }

  @Test func `the page's definition lines are those of a list`() throws {
    let place = CachePlace()
    try place.fill()
    _ = try place.origin(
      ListRequest(
        filter: \Game.name != "PR",
        sortedBy: [.descending(\Game.club, at: \.name, comparator: .natural)],
        sectionedBy: .by(\Game.name, each: .prefix(2))))
    let file = try #require(place.file())
    let text = String(decoding: file[80..<80 + Int(file[12]) + Int(file[13]) << 8], as: UTF8.self)
    let lines = text.split(separator: "\n").map { $0.replacing(/[0-9a-f]{16}/, with: "…") }
    #expect(
      lines == [
        #"cache "games""#, "list 2", "text …", "entity Game", #"where name != "PR""#,
        "sort club.name:desc:natural", "sections name:prefix=2", "layout Game …", "layout Club …",
      ])
  }
}
