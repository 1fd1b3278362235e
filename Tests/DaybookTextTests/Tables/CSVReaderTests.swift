import DaybookJournal
import DaybookSimulation
import Testing

@testable import DaybookText

@Suite struct `Parsing CSV` {
  private func reader(_ text: String) throws(TextJournalError) -> CSVReader {
    var left = ArraySlice(Array(text.utf8))
    let pieces = TextPieces(
      source: { (memory) throws(DiskError) in
        let count = min(memory.count, left.count)
        memory.copyBytes(from: left.prefix(count))
        left = left.dropFirst(count)
        return count
      }, damage: { nil })
    return try CSVReader(pieces, path: "t.csv")
  }

  private func rows(_ text: String) throws -> [[String?]] {
    var reader = try reader(text)
    var rows: [[String?]] = []
    while let cells = try reader.next() {
      rows.append(cells.map { $0.isMissing ? nil : $0.contents })
    }
    return rows
  }

  private func error(_ text: String) -> String {
    do {
      _ = try rows(text)
      return "none"
    } catch { return "\(error)" }
  }

  @Test func `quoted cells contain commas, line ends and quotation marks`() throws {
    #expect(try rows("a,\"b,c\",\"d\"\"e\"\n") == [["a", "b,c", "d\"e"]])
    #expect(try rows("\"x\r\ny\nz\"\r\nb") == [["x\r\ny\nz"], ["b"]])
  }

  @Test func `an empty cell has no value, and an empty quoted cell is the empty text`() throws {
    #expect(try rows("a,,\"\"\n,\n") == [["a", nil, ""], [nil, nil]])
    #expect(try rows("a,") == [["a", nil]])
    #expect(try rows("\n") == [[nil]])
    #expect(try rows("") == [])
  }

  @Test func `a byte order mark is not a part of the first cell`() throws {
    #expect(try rows("\u{FEFF}a,b\n") == [["a", "b"]])
    #expect(try rows("\u{FEFF}\"a\"\n") == [["a"]])
  }

  @Test func `each mistake has its place and its sentence`() {
    #expect(error("a\n\"b") == "t.csv:2:1: the quotation mark is not closed.")
    #expect(
      error("é,\"b\"c")
        == "t.csv:1:6: expected a comma or the end of the line after the closing quotation mark.")
    #expect(error("a,b\"") == "t.csv:1:4: a cell with a quotation mark must be in quotation marks.")
    #expect(error("a\0") == "t.csv:1:2: a cell with a zero byte must be in quotation marks.")
    #expect(
      error("a\rb")
        == "t.csv:1:2: a carriage return without a line feed must be in quotation marks.")
  }

  @Test(arguments: 0..<50) func `cells that are quoted and parsed again are equal`(seed: UInt64)
    throws
  {
    var random = SplitMix64(seed: seed)
    let parts = ["a", ",", "\"", "\n", "\r\n", "\r", "é", "", " ", "\0", "7"]
    let table: [[String?]] = (0..<20).map { _ in
      (0..<3).map { _ in
        random.next() % 5 == 0
          ? nil : (0..<Int(random.next() % 4)).map { _ in parts[Int(random.next() % 11)] }.joined()
      }
    }
    let text = table.map { row in
      row.map { $0.map { "\"\($0.replacing("\"", with: "\"\""))\"" } ?? "" }.joined(separator: ",")
    }.joined(separator: random.next() % 2 == 0 ? "\n" : "\r\n")
    #expect(try rows(text) == table)
  }
}
