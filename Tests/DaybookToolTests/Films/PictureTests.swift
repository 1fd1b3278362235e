import Daybook
import DaybookJournal
import DaybookResults
import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// The law of pictures: without its deleted rows a picture is the new list. Without its inserted
/// and moved rows it is the old list without the moved rows. The marks are the difference.
@Suite struct `Pictures of a list` {
  struct Case: CustomTestStringConvertible {
    var journal: String
    var entity: String
    var sort: [String] = []
    var section: String?
    var window = ResultWindow()
    var filter: String?
    var testDescription: String { "\(journal) \(sort) \(section ?? "") \(window)" }

    func request() throws -> DynamicRequest {
      var request = DynamicRequest(
        entity: entity, sortedBy: try sort.map { try ListArguments.sortKey($0) },
        limit: window.limit, offset: window.offset)
      request.sectioning = try section.map { try ListArguments.sectioning($0) }
      request.filter = try filter.map { try Filter($0) }
      return request
    }
  }

  static let cases = [
    Case(journal: "reorder.jsonl", entity: "Chore", sort: ["room", "index"], section: "room"),
    Case(journal: "reorder.jsonl", entity: "Chore", sort: ["room:desc"], section: "room"),
    Case(journal: "reorder.jsonl", entity: "Chore", sort: ["index:desc"]),
    Case(
      journal: "reorder.jsonl", entity: "Chore", sort: ["room", "index"], section: "room",
      window: ResultWindow(offset: 1, limit: 3)),
    Case(journal: "items.jsonl", entity: "Item", sort: ["name"], section: "name:letter"),
    Case(journal: "games.jsonl", entity: "Game", sort: ["name"], filter: "id != 4"),
    Case(
      journal: "failed-banks.jsonl", entity: "FailedBankInfo", sort: ["details.closeDate:desc"],
      section: "state"),
    Case(journal: "food.jsonl", entity: "Food", sort: ["createdAt"], section: "createdAt:day"),
    Case(journal: "food.jsonl", entity: "Food", window: ResultWindow(offset: 100, limit: 9)),
  ]

  @Test(arguments: cases) func `the marks of a picture are the difference`(list: Case) throws {
    let journal = try OpenJournal(ProjectFiles.path("Journal/Samples/\(list.journal)"))
    #expect(try check(journal, list) > 0)
  }

  /// Plays forty random transactions over a dozen rows, for many seeds.
  @Test(arguments: 1...FaultRow.count(8, full: 80))
  func `the marks of a picture are the difference of random transactions`(
    seed: Int
  ) throws {
    try TemporaryDirectory.with { scratch in
      let text = RandomText(seed: UInt64(seed)).lines(transactionCount: 40, rowCount: 12)
      let path = try scratch.write(Array(text.joined(separator: "\n").utf8), to: "rows.jsonl")
      let journal = try OpenJournal(path)
      let window = ResultWindow(offset: seed % 3, limit: 5)
      for section in [nil, "room", "place:range=2:desc"] {
        for sort in [[], ["place"], ["room:desc", "place"]] {
          for window in [ResultWindow(), window] {
            let list = Case(
              journal: "seed \(seed)", entity: "Row", sort: sort, section: section,
              window: window)
            #expect(try check(journal, list) > 0)
          }
        }
      }
    }
  }

  /// Checks the picture after each transaction, and returns the number of pictures.
  private func check(_ journal: OpenJournal, _ list: Case) throws -> Int {
    let request = try list.request()
    let replay = try journal.store.replay(request)
    var count = 0
    while let step = try replay.next() {
      let (transaction, difference) = (step.transaction, step.difference)
      let picture = Picture(difference, isSectioned: request.sectioning != nil)
      let read = try ReadPicture(picture)
      let comment = Comment("\(list.testDescription) after \(transaction.sequence ?? .zero)")
      #expect(read.marked(.inserted) == ids(difference.inserted.map(\.id)), comment)
      #expect(read.marked(.deleted) == ids(difference.deleted.map(\.id)), comment)
      #expect(read.marked(.moved) == ids(difference.moved.map(\.id)), comment)
      #expect(read.marked(.updated) == ids(difference.updated.map(\.id)), comment)
      #expect(
        read.sections.filter { $0.mark != .deleted }.map { section in
          section.rows.filter { $0.mark != .deleted }.map(\.id)
        } == sections(difference.after, []), comment)
      #expect(
        read.sections.filter { $0.mark != .inserted }.map { section in
          section.rows.filter { $0.mark != .inserted && $0.mark != .moved }.map(\.id)
        } == sections(difference.before, Set(difference.moved.map(\.id))), comment)
      if request.sectioning != nil {
        #expect(
          read.sections.filter { $0.mark == .inserted }.count == difference.insertedSections.count)
        #expect(
          read.sections.filter { $0.mark == .deleted }.count == difference.deletedSections.count)
      }
      try checkCuts(picture, comment)
      count += 1
    }
    return count
  }

  private func ids(_ ids: [RecordIdentifier]) -> Set<RecordIdentifier> { Set(ids) }

  /// Returns the rows of each section of a list, without some of them.
  private func sections(
    _ list: ListObjects, _ others: Set<RecordIdentifier>
  ) -> [[RecordIdentifier]] {
    list.sections.map { section in
      section.objects.identifiers.filter { !others.contains($0) }
    }
  }

  /// Checks that a cut fits its height, shows a change, and counts the hidden rows.
  private func checkCuts(_ picture: Picture, _ comment: Comment) throws {
    var lines: [Picture.Line] = []
    picture.forEachLine { lines.append($0) }
    func rowCount(_ lines: ArraySlice<Picture.Line>) -> Int {
      lines.count { if case .row = $0 { true } else { false } }
    }
    for lineCountMax in [1, 2, 3, 5, 8, 13, 500] {
      let cut = PictureCut(picture, lineCountMax: lineCountMax)
      try #require(cut.shown.upperBound <= lines.count, comment)
      let extra = (cut.section == nil ? 0 : 1) + (cut.sentence == nil ? 0 : 1)
      #expect(cut.shown.count + extra <= max(lineCountMax, 3), comment)
      #expect(rowCount(lines[..<cut.shown.lowerBound]) == cut.rowCountAbove, comment)
      #expect(rowCount(lines[cut.shown.upperBound...]) == cut.rowCountBelow, comment)
      let hasChanges = lines.contains { $0.isChanged }
      let showsChanges = lines[cut.shown].contains { $0.isChanged }
      #expect(showsChanges == hasChanges, comment)
      if lines.count <= lineCountMax { #expect(cut.shown == lines.indices, comment) }
      let first = lines[cut.shown].first
      if case .row? = first, cut.shown.lowerBound > 0 {
        let above = lines[..<cut.shown.lowerBound].last { line in
          if case .section = line { true } else { false }
        }
        #expect(cut.section == above, comment)
      } else {
        #expect(cut.section == nil, comment)
      }
    }
  }

  // MARK: Screens

  @Test(arguments: [7, 8, 10, 24, 60], [20, 33, 80]) func `pictures fit the screen`(
    rowCount: Int, columnCount: Int
  ) throws {
    let terminal = Terminal(
      columnCount: columnCount, rowCount: rowCount, usesColor: false, isPlain: false)
    let lines = try PrintedTool.lines(
      ["replay"]
        + PrintedTool.sample([
          "failed-banks.jsonl", "FailedBankInfo", "--sort", "name", "--section-by", "state",
          "--columns", "name,city,details.closeDate", "--as", "snapshots", "--format", "text",
          "--delay", "0",
        ]), on: terminal)
    let clearing = "\u{1B}[H\u{1B}[2J"
    let screens = lines.split { $0.hasPrefix(clearing) }
    #expect(lines.count { $0.hasPrefix(clearing) } == 4)
    #expect(screens.count == 4)
    for screen in screens {
      // The screen also needs a line for the cursor, and the heading line contains the clear
      // sequence.
      #expect(screen.count + 2 <= rowCount, "\(screen)")
      for line in screen {
        #expect(DisplayWidth.columns(line) <= columnCount, "\(line)")
        #expect(!line.contains("\u{1B}"))
      }
    }
  }

  @Test func `colored output distinguishes inserted and deleted rows`() throws {
    let terminal = Terminal(columnCount: 80, rowCount: 24, usesColor: true, isPlain: false)
    let words =
      ["replay"]
      + PrintedTool.sample([
        "reorder.jsonl", "Chore", "--sort", "room,index", "--section-by", "room", "--from", "2",
        "--to", "2", "--as", "snapshots", "--format", "text", "--columns", "name",
      ])
    let lines = try PrintedTool.lines(words, on: terminal)
    // Without a pause nothing is cleared.
    #expect(
      lines.joined(separator: "\n").replacing("\u{1B}", with: "^") == """
        ^[1mtx 2  2026-01-01T00:01:00Z  Chore: 6 rows in 3 sections^[0m
        1 section deleted, 1 section inserted, 1 row deleted, 1 row inserted, 2 rows moved, 1 row \
        updated
        ^[1m  id  name^[0m

        ^[32m+ Attic (1)^[0m
        ^[36m>  6  Fix the lamp^[0m

        ^[1m  Garden (2)^[0m
        ^[36m>  3  Rake the leaves^[0m
           1  Mow the lawn
        ^[31m-  2  Water the beans^[0m

        ^[1m  Kitchen (3)^[0m
        ^[33m~  4  Wash the pans^[0m
           5  Clean the oven
        ^[32m+  7  Feed the cat^[0m

        ^[31m- Porch (0)^[0m
        """)
  }
}

/// A picture with the identifiers of its rows, in sections.
private struct ReadPicture {
  struct Row: Hashable {
    var mark: Mark
    var id: RecordIdentifier
  }

  struct Section: Hashable {
    var mark: Mark
    var rows: [Row] = []
  }

  private(set) var sections: [Section] = []

  init(_ picture: Picture) throws {
    picture.forEachLine { line in
      switch line {
      case .gap: break
      case .section(let mark, _): sections.append(Section(mark: mark))
      case .row(let mark, let place):
        let list =
          mark == .deleted ? picture.difference.before : picture.difference.after
        let row = Row(mark: mark, id: list[place].id)
        // A list without section keys has one section, without a line for its name.
        if sections.isEmpty { sections.append(Section(mark: .none)) }
        sections[sections.count - 1].rows.append(row)
      }
    }
    if sections.isEmpty, picture.difference.after.sections.count == 1 {
      sections.append(Section(mark: .none))
    }
  }

  func marked(_ mark: Mark) -> Set<RecordIdentifier> {
    Set(sections.flatMap(\.rows).filter { $0.mark == mark }.map(\.id))
  }
}

/// Text journals with random transactions.
private struct RandomText {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  private mutating func number(below limit: Int) -> Int {
    // The generator of Knuth's MMIX.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }

  func lines(transactionCount: Int, rowCount: Int) -> [String] {
    var random = self
    var live: Set<Int> = []
    return (1...transactionCount).map { number in
      var changes: [String] = []
      let chance = 1 + random.number(below: 4)
      for row in 0..<rowCount where random.number(below: 5) < chance {
        let head = #""entity":"Row","id":\#(row)"#
        let values =
          #""set":{"room":"\#(["A", "B", "C"][random.number(below: 3)])","#
          + #""place":\#(random.number(below: 6))}"#
        if !live.contains(row) {
          live.insert(row)
          changes.append(#"{"op":"insert",\#(head),\#(values)}"#)
        } else if random.number(below: 3) == 0 {
          live.remove(row)
          changes.append(#"{"op":"delete",\#(head)}"#)
        } else {
          changes.append(#"{"op":"update",\#(head),\#(values)}"#)
        }
      }
      return
        #"{"tx":\#(number),"time":"2026-01-01T00:00:00Z","changes":[\#(changes.joined(separator: ","))]}"#
    }
  }
}
