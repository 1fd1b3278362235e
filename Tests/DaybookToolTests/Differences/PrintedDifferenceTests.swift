import TestSupport
import Testing

/// The law: a list that applies the printed differences of `replay` and `diff` equals the list that
/// `show` prints.
@Suite struct `Printed differences` {
  /// A list of a sample journal, and the number of the journal's transactions.
  struct Case: CustomTestStringConvertible {
    var words: [String]
    var last: Int
    var testDescription: String { words.joined(separator: " ") }
  }

  static let cases = [
    Case(words: ["items.jsonl", "Item", "--sort", "name", "--section-by", "name:letter"], last: 4),
    Case(words: ["items.jsonl", "Item", "--where", "id > 3", "--sort", "name:desc"], last: 4),
    Case(
      words: ["reorder.jsonl", "Chore", "--sort", "room,index", "--section-by", "room"], last: 6),
    Case(
      words: [
        "reorder.jsonl", "Chore", "--sort", "room:desc,index", "--section-by", "room", "--offset",
        "1", "--limit", "4",
      ], last: 6),
    Case(words: ["reorder.jsonl", "Chore", "--sort", "index:desc", "--limit", "2"], last: 6),
    Case(
      words: ["games.jsonl", "Game", "--sort", "name", "--section-by", "name:letter"], last: 10),
    Case(words: ["Records/companies.daybook", "Company", "--sort", "seat.country:desc"], last: 2),
  ]

  @Test(arguments: cases) func `diff prints the difference between any two moments`(list: Case)
    throws
  {
    let shown = try (0...list.last).map { try PrintedList(list.words, at: $0) }
    for (from, to) in pairs(through: list.last) {
      let printed = try PrintedTool.objects(
        ["diff"] + PrintedTool.sample(list.words) + [
          "--from", "\(from)", "--to", "\(to)", "--format", "json",
        ])
      #expect(printed.count == 1)
      for object in printed {
        #expect(object["from"]?.text == "\(from)")
        #expect(object["to"]?.text == "\(to)")
        var followed = shown[from]
        try followed.follow(object)
        #expect(followed == shown[to], "from \(from) to \(to)")
      }
    }
  }

  @Test(arguments: cases) func `replay prints the differences between any two moments`(
    list: Case
  ) throws {
    let shown = try (0...list.last).map { try PrintedList(list.words, at: $0) }
    for (before, last) in pairs(through: list.last, isIncluded: <) {
      var followed = shown[before]
      var received: Set<Int> = []
      let words =
        ["replay"] + PrintedTool.sample(list.words) + [
          "--from", "\(before + 1)", "--to", "\(last)",
        ]
      for object in try PrintedTool.objects(words + ["--as", "differences", "--format", "jsonl"]) {
        let number = try #require(object["tx"].flatMap { Int($0.text) })
        try followed.follow(object)
        #expect(followed == shown[number], "transaction \(number), from \(before + 1)")
        received.insert(number)
      }
      // A transaction that was not printed did not change the list.
      for number in before + 1...last where !received.contains(number) {
        #expect(shown[number] == shown[number - 1], "transaction \(number)")
      }
      #expect(followed == shown[last])
      let snapshots = try PrintedTool.objects(words + ["--as", "snapshots"])
      #expect(snapshots.map { $0["at"]?.text } == received.sorted().map { "\($0)" })
      #expect(try snapshots.map { try PrintedList($0) } == received.sorted().map { shown[$0] })
    }
  }

  private func pairs(
    through last: Int, isIncluded: (Int, Int) -> Bool = { _, _ in true }
  ) -> [(Int, Int)] {
    FaultRow.some((0...last).flatMap { from in (0...last).map { (from, $0) } }.filter(isIncluded))
  }
}
