import Daybook
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// The ranks of charts, which are computed from differences alone.
@Suite struct `Ranks of rows over time` {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the ranks are those of the list after each transaction`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try TemporaryDirectory.with { scratch in
      var lines: [String] = []
      var living: Set<Int> = []
      for transaction in 1...60 {
        var changes: [String] = []
        for id in Set(
          (0..<Int.random(in: 1...4, using: &random)).map { _ in
            Int.random(in: 1...12, using: &random)
          }
        ).sorted() {
          let set = #""set":{"n":\#(Int.random(in: 0...9, using: &random))}"#
          if living.insert(id).inserted {
            changes.append(#"{"op":"insert","entity":"E","id":\#(id),\#(set)}"#)
          } else if Bool.random(using: &random) {
            changes.append(#"{"op":"update","entity":"E","id":\#(id),\#(set)}"#)
          } else {
            living.remove(id)
            changes.append(#"{"op":"delete","entity":"E","id":\#(id)}"#)
          }
        }
        lines.append(
          #"{"tx":\#(transaction),"time":"2026-01-01T00:00:00Z","changes":[\#(changes.joined(separator: ","))]}"#
        )
      }
      try scratch.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "history.jsonl")
      let journal = try OpenJournal(scratch.path("history.jsonl"))
      var request = DynamicRequest(entity: "E")
      request.sortKeys = [SortKey(path: ["n"])]
      request.filter = try Filter("n > 2")
      request.sectioning = Bool.random(using: &random) ? Sectioning(path: ["n"]) : nil
      if Bool.random(using: &random) { (request.offset, request.limit) = (1, 5) }
      let ids = (1...12).map { RecordIdentifier.int(Int64($0)) }
      var curves = RankCurves(ids)
      let replay = try journal.store.replay(request)
      while let step = try replay.next() {
        curves.apply(step.difference, after: 1)
        let list = step.difference.after.identifiers
        #expect(curves.ranks == ids.map { id in list.firstIndex(of: id) })
      }
    }
  }
}
