import Daybook
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// The output of `log --where`, and the ages of `log --relative`.
@Suite struct `The log of matching records` {
  /// The law: a change is printed if the list before or after the transaction contains the record.
  @Test(arguments: 0..<3 as Range<UInt64>)
  func `the log prints the changes of records that the list contains`(seed: UInt64) throws {
    try TemporaryDirectory.with { scratch in
      let text = try scratch.write(
        Array(RandomClubs.text(seed: seed).joined(separator: "\n").utf8), to: "clubs.jsonl")
      let whole = scratch.path("clubs.daybook")
      _ = try PrintedTool.lines(["import", text, whole])
      let based = scratch.path("based.daybook")
      _ = try PrintedTool.lines(["import", text, based])
      _ = try Store.compact(at: based, keeping: .days(0))
      for (path, filter) in [
        (whole, "points > 3"), (whole, "club.fee > 40 OR name == nil"), (whole, "TRUEPREDICATE"),
        (based, "points > 3"),
      ] {
        let list = ["Player", "--where", filter, "--format", "csv", "--columns", "name"]
        var idsBySequence: [Int: Set<String>] = [:]
        func ids(_ sequence: Int) throws -> Set<String> {
          if let known = idsBySequence[sequence] { return known }
          let lines = try PrintedTool.lines(["show", path] + list + ["--at", "\(sequence)"])
          let ids = Set(lines.dropFirst().map { String($0.prefix { $0 != "," }) })
          idsBySequence[sequence] = ids
          return ids
        }
        let all = try PrintedTool.lines(["log", path, "--entity", "Player", "--format", "jsonl"])
        var expected: [String] = []
        for line in all {
          let sequence = try #require(Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }))
          let isBase = path == based && line == all.first
          let rows = try ids(sequence).union(isBase || sequence == 0 ? [] : ids(sequence - 1))
          // Each change starts with its operation.
          let parts = line.dropLast(2).split(separator: #"{"op":"#).map(String.init)
          let kept = parts.dropFirst().filter { part in
            rows.contains(
              String(part.split(separator: #""id":"#)[1].prefix { $0.isNumber || $0 == "-" }))
          }
          if kept.isEmpty { continue }
          expected.append(
            parts[0]
              + kept.map {
                var change = #"{"op":"# + $0
                if change.last == "," { change.removeLast() }
                return change
              }.joined(separator: ",") + "]}")
        }
        let found = ["log", path, "--entity", "Player", "--where", filter]
        #expect(
          try PrintedTool.lines(found + ["--format", "jsonl"]) == expected,
          "seed \(seed), \(filter)")
        // The text, with the newest transaction first, has the same transactions.
        let numbers = try PrintedTool.lines(found + ["--oneline"]).map { $0.prefix { $0 != " " } }
        #expect(
          numbers.reversed()
            == expected.map { $0.drop { !$0.isNumber }.prefix { $0.isNumber } })
      }
    }
  }

  @Test func `an age is at least two of its unit, or is in seconds`() throws {
    let now = try JournalTime("2026-03-10T12:00:00Z")
    func age(_ text: String) throws -> String {
      ShownTimes.ages(now: now).string(of: try JournalTime(text))
    }
    #expect(try age("2026-03-10T12:00:00Z") == "now")
    #expect(try age("2026-03-10T11:59:59.5Z") == "now")
    #expect(try age("2026-03-10T11:59:59Z") == "1 second ago")
    #expect(try age("2026-03-10T11:58:01Z") == "119 seconds ago")
    #expect(try age("2026-03-10T11:58:00Z") == "2 minutes ago")
    #expect(try age("2026-03-10T10:00:00Z") == "2 hours ago")
    #expect(try age("2026-03-08T12:00:01Z") == "47 hours ago")
    #expect(try age("2026-02-25T12:00:00Z") == "13 days ago")
    #expect(try age("2026-02-24T12:00:00Z") == "2 weeks ago")
    #expect(try age("2025-12-10T12:00:00Z") == "2 months ago")
    #expect(try age("2000-01-01T00:00:00Z") == "26 years ago")
    #expect(try age("2026-03-10T15:00:00Z") == "in 3 hours")
    #expect(ShownTimes.ages(now: .distantPast).string(of: now) == "2026-03-10T12:00:00Z")
  }
}
