import Daybook
import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// The transactions that set the values of rows, also of values that are read through references.
@Suite struct `The origins of values` {
  @Test(arguments: 1...8 as ClosedRange<UInt64>, ["Player", "Club"])
  func `the origin of a value is the last transaction before which the value was different`(
    seed: UInt64, entity: String
  ) throws {
    let names = [
      "Player": "name,points,club,friends,club.name,club.fee,club.city.name",
      "Club": "name,fee,city,city.name,players,players.@count",
    ]
    try TemporaryDirectory.with { scratch in
      let path = try scratch.write(
        Array(RandomClubs.text(seed: seed).joined(separator: "\n").utf8), to: "clubs.jsonl")
      let journal = try OpenJournal(path)
      let request = DynamicRequest(entity: entity)
      let columns = try ListColumns(names[entity], of: request, in: journal.store.snapshot)
      var origins = try ValueOrigins(columns, in: journal.store)
      var cells: [RecordIdentifier: [String?]] = [:]
      var expected: [RecordIdentifier: [UInt64]] = [:]
      for sequence in 1...40 as ClosedRange<UInt64> {
        let objects = try journal.store.snapshot(at: SequenceNumber(sequence)).fetch(request)
        let rows = try columns.rows(of: objects, in: 0..<objects.count)
        let ids = Set(rows.map(\.id))
        for id in cells.keys where !ids.contains(id) { cells[id] = nil }
        try origins.advance(through: SequenceNumber(sequence))
        for row in rows {
          let new = RecordedRows.cells(row)
          let old = cells[row.id]
          expected[row.id] = new.indices.map { column in
            old.map { $0[column] == new[column] } == true
              ? expected[row.id]?[column] ?? 0 : sequence
          }
          cells[row.id] = new
          #expect(origins.sequences(of: row.id) == expected[row.id], "\(sequence) \(row.id)")
        }
      }
    }
  }
}
