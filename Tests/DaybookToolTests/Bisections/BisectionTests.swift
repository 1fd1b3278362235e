import TestSupport
import Testing

@testable import DaybookTool

/// The law: if a condition changes once, the binary search finds the same moment as a scan of all
/// moments. It checks at most ⌈log₂(n + 1)⌉ + 1 of them.
@Suite struct `Searching a journal by halves` {
  private static func checkCountMax(_ count: Int) -> Int {
    var power = 0
    while 1 << power < count + 1 { power += 1 }
    return power + 1
  }

  @Test(arguments: 0...64) func `a binary search finds every start in few checks`(count: Int) {
    for earliest: UInt64 in [1, 41] {
      let latest = earliest + UInt64(count) - 1
      for beginning in earliest...latest + 1 {
        var looks: [UInt64] = []
        let search = Bisection(from: earliest, through: latest) { moment in
          looks.append(moment)
          return moment >= beginning
        }
        #expect(search.first == (beginning <= latest ? beginning : nil))
        #expect(search.checkCount == looks.count)
        #expect(looks.allSatisfy { (earliest...latest).contains($0) })
        #expect(Set(looks).count == looks.count, "a moment is looked at twice")
        #expect(looks.count <= `Searching a journal by halves`.checkCountMax(count))
      }
    }
  }

  /// Tests every condition over up to ten moments.
  @Test func `a binary search finds a start of a condition that changes often`() {
    for count in 1...10 {
      for bits in 0..<1 << count {
        func isSo(_ moment: UInt64) -> Bool { bits >> (moment - 1) & 1 == 1 }
        let search = Bisection(from: 1, through: UInt64(count), isSo)
        guard let first = search.first else {
          #expect(!isSo(UInt64(count)))
          continue
        }
        #expect(isSo(first))
        #expect(first == 1 || !isSo(first - 1))
      }
    }
  }

  @Test func `a binary search checks the maximum number`() {
    let search = Bisection(from: .max - 2, through: .max) { $0 == .max }
    #expect(search.first == .max)
  }

  @Test func `bisect finds each transaction of 64 in at most 8 states`() throws {
    try TemporaryDirectory.with { scratch in
      var lines: [String] = []
      for number in 1...64 {
        lines.append(
          #"{"tx":\#(number),"time":"2026-01-01T00:00:00Z","changes":"#
            + #"[{"op":"insert","entity":"Row","id":\#(number),"set":{}}]}"#)
      }
      let text = try scratch.write(Array(lines.joined(separator: "\n").utf8), to: "rows.jsonl")
      for number in 1...64 {
        let found = try #require(
          PrintedTool.objects([
            "bisect", text, "Row", "--where", "id == \(number)", "--format", "jsonl",
          ]).first)
        #expect(found["tx"]?.text == "\(number)")
        let looks = try #require(found["states"].flatMap { Int($0.text) })
        #expect(looks <= 8)
      }
    }
  }

  /// Compares the result with the lists at all moments.
  @Test(arguments: [
    ["games.jsonl", "Game", "--where", "id == 3 AND name BEGINSWITH 'Discs'"],
    ["games.jsonl", "Game", "--where", "name == 'Missile Command'"],
    ["games.jsonl", "Game", "--where", "id == 5"],
    ["reorder.jsonl", "Chore", "--where", "room == 'Cellar'"],
    ["reorder.jsonl", "Chore", "--where", "room == 'Attic'"],
    ["failed-banks.jsonl", "FailedBankInfo", "--where", "details.closeDate > '2012-01-01'"],
  ]) func `bisect agrees with the lists shown after each transaction`(words: [String]) throws {
    let found = try #require(
      PrintedTool.objects(["bisect"] + PrintedTool.sample(words) + ["--format", "jsonl"]).first)
    let last = try #require(
      PrintedTool.objects(["show"] + PrintedTool.sample(words) + ["--format", "json"]).first?["at"]
        .flatMap { Int($0.text) })
    let shown = try (0...last).map { try PrintedList(words, at: $0) }
    let matches = shown.map { !$0.sections.allSatisfy(\.rows.isEmpty) }
    // The result is the moment after the last one without a matching row.
    let before = try #require(matches.lastIndex(of: false))
    #expect(found["tx"]?.text == (before == last ? "null" : "\(before + 1)"))
  }
}
