import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookSimulation
import DaybookText
import TestSupport
import Testing

/// Problems of imported records, which an import does not validate.
@Suite struct `Checking records` {
  private func check(
    _ lines: [String]
  ) throws -> (check: StateCheck, problems: [String]) {
    try TemporaryDirectory.with { directory in
      let text = try directory.write(Array(lines.joined(separator: "\n").utf8), to: "t.jsonl")
      _ = try TextJournal.import(.file(text), to: directory.path("j"))
      let store = try Store(reading: directory.path("j"), types: [], options: JournalOptions())
      var problems: [String] = []
      let check = StateCheck(store.snapshot.frozen) { problems.append("\($0)") }
      return (check, problems)
    }
  }

  private func insert(_ entity: String, _ id: Int, _ set: String) -> String {
    #"{"op":"insert","entity":"\#(entity)","id":\#(id),"set":{\#(set)}}"#
  }

  private func transaction(_ number: Int, _ changes: [String]) -> String {
    #"{"tx":\#(number),"time":"2020-01-01T00:00:00Z","changes":[\#(changes.joined(separator: ","))]}"#
  }

  @Test func `a check counts references and dangling references`() throws {
    let (check, problems) = try check([
      #"{"daybook":1,"entities":{"A":{"id":"int","attributes":{"b":"ref:B","bs":"refs:B"}},"#
        + #""B":{"id":"int","attributes":{}}}}"#,
      transaction(
        1,
        [
          insert("B", 1, ""), insert("B", 2, ""), insert("A", 1, #""b":1,"bs":[1,2,3]"#),
          insert("A", 2, #""b":9"#), insert("A", 3, #""bs":[]"#),
        ]),
      transaction(2, [#"{"op":"delete","entity":"B","id":2}"#]),
    ])
    #expect(problems == [])
    #expect(check.recordCount == 4)
    #expect(check.referenceCount == 5)
    // A 1 has dangling references to 2 and 3, and A 2 has one to 9.
    #expect(check.danglingCount == 3)
  }

  @Test func `a check counts references whose records do not refer back`() throws {
    let (check, problems) = try check([
      #"{"daybook":1,"entities":{"A":{"id":"int","attributes":{"#
        + #""b":{"type":"ref:B","inverse":"a"},"bs":{"type":"refs:B","inverse":"as"}}},"#
        + #""B":{"id":"int","attributes":{"a":"ref:A","as":{"type":"refs:A","inverse":"bs"}}}}}"#,
      transaction(
        1,
        [
          insert("B", 1, #""a":1,"as":[1]"#), insert("B", 2, #""a":1,"as":[1,2]"#),
          insert("A", 1, #""b":1,"bs":[1,2,9]"#), insert("A", 2, #""b":2,"bs":[1]"#),
        ]),
    ])
    #expect(problems == [])
    #expect(check.danglingCount == 1)
    // B 2 refers to A 1, which refers to B 1. A 2 refers to B 2, which refers to A 1. In the
    // arrays, A 2 contains B 1 and B 2 contains A 2, and neither is contained in return.
    #expect(check.disagreementCount == 4)
  }

  @Test func `a check names each pair of records with equal unique values`() throws {
    let (check, problems) = try check([
      #"{"daybook":1,"entities":{"A":{"id":"int","attributes":{"x":"string","y":"int"},"#
        + #""unique":[["x"],["y","x"]]}}}"#,
      transaction(
        1,
        [
          insert("A", 1, #""x":"one","y":1"#), insert("A", 2, #""x":"two","y":1"#),
          insert("A", 3, #""x":"one","y":2"#), insert("A", 4, #""x":"one","y":1"#),
          insert("A", 5, #""y":1"#), insert("A", 6, #""y":1"#),
          // The same string in another normal form.
          insert("A", 7, #""x":"\u00e9""#), insert("A", 8, #""x":"e\u0301""#),
        ]),
    ])
    #expect(
      problems == [
        "A 3 has the same x as A 1", "A 4 has the same x as A 1", "A 8 has the same x as A 7",
        "A 4 has the same y and x as A 1",
      ])
    #expect(check.problemCount == 4)
  }

  @Test func `a check names each record without a required value`() throws {
    // An import refuses such records, so the test makes the schema stricter afterwards.
    struct Loose: Record {
      var id = 0
      var name: String?
      static let schema = RecordSchema<Loose>("A").attribute("name", at: \.name)
    }
    let journal = MemoryJournal()
    let store = try Store.inMemory(types: [Loose.self], journal: journal)
    let context = store.makeContext()
    try context.insert(Loose(id: 1, name: "one"))
    try context.insert(Loose(id: 2, name: nil))
    try context.saveAndWait()
    try store.define([
      EntityDefinition(
        "A", identifiedBy: .int,
        attributes: [AttributeDefinition("name", type: .scalar(.string), isRequired: true)])
    ])
    var problems: [String] = []
    _ = StateCheck(store.snapshot.frozen) { problems.append("\($0)") }
    #expect(problems == ["A 2 has no name, which is required"])
  }

  @Test func `a check names each record with a dangling required reference`() throws {
    let (check, problems) = try check([
      #"{"daybook":1,"entities":{"A":{"id":"int","attributes":{"b":"ref:B!","c":"ref:B","#
        + #""bs":"refs:B!"}},"B":{"id":"string","attributes":{}}}}"#,
      transaction(
        1,
        [
          #"{"op":"insert","entity":"B","id":"one","set":{}}"#,
          insert("A", 1, #""b":"one","c":"two","bs":["two"]"#),
          insert("A", 2, #""b":"two","c":"one","bs":[]"#),
          insert("A", 3, #""b":"one","bs":["one"]"#),
        ]),
      transaction(2, [#"{"op":"update","entity":"A","id":3,"set":{"b":"three"}}"#]),
    ])
    #expect(
      problems == [
        "b of A 2 refers to B two, which does not exist",
        "b of A 3 refers to B three, which does not exist",
      ])
    // The count includes the optional reference and the array of A 1.
    #expect(check.danglingCount == 4)
  }

  /// Compares the check with a brute-force count over random records.
  @Test func `a check finds the duplicates that comparing all pairs finds`() throws {
    for seed in 0..<30 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
      let records = (1...12).map { ($0, x: below(5), y: below(3)) }
      let (_, problems) = try check([
        #"{"daybook":1,"entities":{"A":{"id":"int","attributes":{"x":"int","y":"int"},"#
          + #""unique":[["x","y"]]}}}"#,
        transaction(
          1,
          records.map { id, x, y in
            insert("A", id, (x == 0 ? "" : "\"x\":\(x),") + "\"y\":\(y)")
          }),
      ])
      var expected: [String] = []
      for (index, (id, x, y)) in records.enumerated() where x != 0 {
        if let (first, _, _) = records[..<index].first(where: { $0.x == x && $0.y == y }) {
          expected.append("A \(id) has the same x and y as A \(first)")
        }
      }
      // Ordered by the first record with the values, then by creation.
      expected.sort { one, other in
        func key(_ text: String) -> [Int] {
          let words = text.split(separator: " ")
          return [Int(words.last ?? "") ?? 0, Int(words[1]) ?? 0]
        }
        return key(one).lexicographicallyPrecedes(key(other))
      }
      #expect(problems == expected, "seed \(seed)")
    }
  }
}
