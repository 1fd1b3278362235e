import DaybookCLibrary
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// Random versions of one table.
private struct RandomTable {
  private var random: SplitMix64
  private var columns = ["a", "b", "c"]
  /// The rows in the order in which their identifiers appeared.
  private var rows: [(id: Int, cells: [String: String])] = []
  private var nextID = 1

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  /// Changes some rows, and sometimes adds a column.
  mutating func change() {
    // A record that one version deletes and inserts would keep its place, so it is not inserted.
    let earlier = Set(rows.map(\.id))
    if below(4) == 0, columns.count < 6, !rows.isEmpty {
      let name = "new \(columns.count)"
      columns.append(name)
      rows[below(rows.count)].cells[name] = cell(name)
    }
    for _ in 0..<1 + below(5) {
      switch below(5) {
      // A version without rows is not imported, so the table keeps a row.
      case 0 where rows.count > 1: rows.remove(at: below(rows.count))
      case 1, 2:
        // Sometimes an identifier returns that an earlier version had.
        let id = nextID > 1 && below(3) == 0 ? 1 + below(nextID - 1) : nextID
        guard !earlier.contains(id), !rows.contains(where: { $0.id == id }) else { continue }
        nextID = max(nextID, id + 1)
        var cells: [String: String] = [:]
        for name in columns where below(4) > 0 { cells[name] = cell(name) }
        rows.append((id, cells))
      case 3 where !rows.isEmpty: rows[below(rows.count)].cells[columns[below(columns.count)]] = nil
      default:
        guard !rows.isEmpty else { continue }
        let name = columns[below(columns.count)]
        rows[below(rows.count)].cells[name] = cell(name)
      }
    }
  }

  /// Returns a random cell in the form of an export.
  private mutating func cell(_ name: String) -> String {
    switch name {
    case "a": return "\(below(100) - 50)"
    case "b":
      return below(4) == 0
        ? ["NaN", "Infinity", "-Infinity"][below(3)] : "\(Double(below(100)) / 8)"
    default:
      let texts = [
        "x", "\"\"", "\"a,b\"", "\"say \"\"hi\"\"\"", "\"two\nlines\"", "\"\r\n\"", "é", " ",
      ]
      return texts[below(texts.count)]
    }
  }

  var csv: String {
    let lines = rows.map { row in
      (["\(row.id)"] + columns.map { row.cells[$0] ?? "" }).joined(separator: ",")
    }
    return ([(["id"] + columns).joined(separator: ",")] + lines).joined(separator: "\n") + "\n"
  }
}

@Suite struct `Versions of a table` {
  @Test(arguments: 0..<20) func `the state after each version exports as that version`(
    seed: UInt64
  ) throws {
    var table = RandomTable(seed: seed)
    try TemporaryDirectory.with { scratch in
      let journal = scratch.path("t.daybook")
      var versions: [String] = []
      for _ in 0..<8 {
        table.change()
        if table.csv == versions.last || table.csv.split(separator: "\n").count < 2 { continue }
        versions.append(table.csv)
        let file = try scratch.write(Array(table.csv.utf8), to: "t.csv")
        let append = versions.count == 1 ? [] : ["--append", "--yes"]
        let words = ["import", file, journal, "--id", "id", "--entity", "T"]
        _ = try PrintedTool.lines(words + append)
      }
      for (index, version) in versions.enumerated() {
        let printed = try PrintedTool.lines(
          ["export", journal, "--format", "csv", "--at", "\(index + 1)"])
        #expect(printed.joined(separator: "\n") + "\n" == version, "version \(index + 1)")
      }
    }
  }

  @Test(.enabled(if: BuiltTool.has("git"), "git is not installed"))
  func `the script creates the sample from the git history of a table`() throws {
    try TemporaryDirectory.with { scratch in
      let printed = try BuiltTool.run(
        "Tests/DaybookToolTests/Shells/history-of-a-table.bash $SCRATCH/history", scratch)
      #expect(printed.last == "history.daybook: transaction 8: 0 inserted, 1 updated, 1 deleted")
      let made = try scratch.bytes(of: "history/books.jsonl")
      if getenv("DAYBOOK_REWRITE_SAMPLES") != nil {
        try ProjectFiles.write(made, to: "Journal/Samples/books.jsonl")
      }
      #expect(made == (try ProjectFiles.bytes("Journal/Samples/books.jsonl")))
    }
  }

  @Test func `strings of SQL statements are read as they were`() throws {
    let values = ["it's", "''", "a;b", "line\nbreak", "\\'", "x'--", "\"q\"", ""]
    try TemporaryDirectory.with { scratch in
      let rows = values.enumerated().map {
        "\($0.offset),\"\($0.element.replacing("\"", with: "\"\""))\""
      }
      let csv = try scratch.write(
        Array((["id,v"] + rows).joined(separator: "\n").utf8), to: "t.csv")
      let journal = scratch.path("t.daybook")
      _ = try PrintedTool.lines(["import", csv, journal])
      let sql = try PrintedTool.lines(["export", journal, "--format", "sql"])
        .joined(separator: "\n")
      #expect(literals(sql) == values)
    }
  }

  @Test func `a zero byte in a name does not end an SQL statement`() throws {
    try TemporaryDirectory.with { scratch in
      let json = try scratch.write(Array(#"[{"id":1,"a\u0000b":2,"a␀b":3}]"#.utf8), to: "t.json")
      let journal = scratch.path("t.daybook")
      _ = try PrintedTool.lines(["import", json, journal])
      let sql = try PrintedTool.lines(["export", journal, "--format", "sql"])
      #expect(sql.allSatisfy { !$0.utf8.contains(0) })
      #expect(sql.contains(#"  "a␀b" INTEGER,"#) && sql.contains(#"  "a␀b_2" INTEGER"#))
    }
  }

  /// Returns the string literals of SQL statements, read by the rules of SQL: a literal ends at a
  /// quotation mark that no second one follows.
  private func literals(_ sql: String) -> [String] {
    var literals: [String] = []
    var text = sql.unicodeScalars[...]
    while let start = text.firstIndex(of: "'") {
      text = text[text.index(after: start)...]
      var literal = ""
      while let end = text.firstIndex(of: "'") {
        literal += String(text[..<end])
        text = text[text.index(after: end)...]
        guard text.first == "'" else { break }
        literal += "'"
        text = text.dropFirst()
      }
      literals.append(literal)
    }
    return literals
  }

  @Test(.enabled(if: BuiltTool.has("sqlite3"), "sqlite3 is not installed"))
  func `sqlite3 reads the exported statements`() throws {
    try TemporaryDirectory.with { scratch in
      let printed = try BuiltTool.run(
        "printf 'id,v,n\\n1,\"it\\047s\",1.5\\n2,,\\n' > $SCRATCH/t.csv; "
          + "daybook import $SCRATCH/t.csv $SCRATCH/t.daybook > $SCRATCH/out; "
          + "(daybook export $SCRATCH/t.daybook --format sql; echo 'SELECT * FROM t;') | sqlite3",
        scratch)
      #expect(printed == ["1|it's|1.5", "2||"])
    }
  }
}
