import DaybookStore
import DaybookTesting
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookTool

/// The law of reports: at every transaction, the page shows the list that `show --at` prints.
@Suite(.enabled(if: ChromiumPage.isInstalled, ChromiumPage.absence))
struct `Pages of reports` {
  /// Lists of the samples, with all kinds of changes.
  static let lists: [[String]] = [
    ["games.jsonl", "Game", "--sort", "name"],
    ["Records/every-type.daybook", "EveryType"],
    ["Records/companies.daybook", "Company", "--sort", "seat.country:desc"],
    [
      "reorder.jsonl", "Chore", "--sort", "room,index", "--section-by", "room", "--total",
      "count,sum:index",
    ],
    ["items.jsonl", "Item", "--sort", "name", "--section-by", "name:letter"],
    ["food.jsonl", "Food", "--where", "type == \"breastmilk\"", "--sort", "createdAt:desc"],
    [
      "failed-banks.jsonl", "FailedBankInfo", "--sort", "details.closeDate:desc", "--section-by",
      "state", "--columns", "name,city,details.closeDate,details.zip",
    ],
    [
      "failed-banks.jsonl", "FailedBankInfo", "--sort", "name", "--limit", "20", "--offset", "3",
      "--total", "count,max:name",
    ],
  ]

  @Test(arguments: lists)
  func `a page shows at every transaction what show prints`(words: [String]) throws {
    try Self.expectLaw(PrintedTool.sample(words))
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a page of a random journal shows at every transaction what show prints`(
    seed: UInt64
  ) throws {
    try TemporaryDirectory.with { scratch in
      let path = try scratch.write(
        Array(RandomClubs.text(seed: seed).joined(separator: "\n").utf8), to: "clubs.jsonl")
      try Self.expectLaw([path] + RandomClubs.options[Int(seed) - 1])
    }
  }

  /// Compares the page with the output of `show`: forward with keys, backward with clicks, and at
  /// random moments by the address.
  static func expectLaw(_ words: [String]) throws {
    let isSectioned = words.contains("--section-by")
    let last = try #require(
      PrintedTool.objects(["show"] + words + ["--format", "json"]).first?["at"]?.text)
    let count = try #require(Int(last))
    let expected = try (0...count).map { sequence in
      try ListLines(
        shown: #require(
          PrintedTool.objects(
            ["show"] + words + ["--at", "\(sequence)", "--format", "json"]
          ).first),
        isSectioned: isSectioned)
    }
    try TemporaryDirectory.with { scratch in
      let quoted = words.map { ShellText.quoted($0) }.joined(separator: " ")
      #expect(try BuiltTool.run("daybook report \(quoted) -o $SCRATCH/film.html", scratch) == [])
      // The moments of the page: the start, and each transaction that changed the list.
      let steps = try ReportData(scratch.bytes(of: "film.html")).steps
      let moments = [0] + steps
      var actions = ["open #tx=0", "picture"]
      for _ in steps { actions += ["key ArrowRight", "picture"] }
      for _ in steps { actions += ["click #back", "picture"] }
      var random = SplitMix64(seed: 7)
      let jumps = (0...count).shuffled(using: &random)
      for sequence in jumps { actions.append("law #tx=\(sequence)") }
      actions.append("problems")
      let seen = try ChromiumPage.run(
        scratch.path("film.html"), actions: actions, in: scratch)
      let sequences = moments + moments.dropLast().reversed() + jumps
      try #require(seen.count == sequences.count + 1)
      for (sequence, picture) in zip(sequences, seen) {
        let lines = try ListLines(page: picture)
        #expect(lines == expected[sequence], "transaction \(sequence)")
      }
      #expect(seen.last?.text == "[]")
    }
  }
}
