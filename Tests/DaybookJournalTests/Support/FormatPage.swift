import Testing
import TestSupport

/// The drawings and tables of `Journal/FORMAT.md`, parsed for comparison with the code.
struct FormatPage {
  /// One row of a drawing: the position of a field, in terms of the payload's length *n* and
  /// padding *p*.
  struct Field {
    let name: String
    let place: String
    let size: String

    /// The bytes of the field.
    func range(payload: Int = 0, padding: Int = 0) throws -> Range<Int> {
      func value(_ text: String) throws -> Int {
        try text.split(separator: "+").map {
          $0 == "n" ? payload : $0 == "p" ? padding : try #require(Int($0))
        }.reduce(0, +)
      }
      let start = try value(place)
      return start..<start + (try value(size))
    }
  }

  /// One row of the worked example.
  struct ExampleField {
    let offset: Int
    let bytes: [UInt8]
    let name: String
    let value: String
  }

  /// The page's text, by its headings.
  private let sections: [String: [String]]

  init() throws {
    var sections: [String: [String]] = [:]
    var heading = ""
    for line in try ProjectFiles.lines("Journal/FORMAT.md") {
      if line.hasPrefix("#") { heading = String(line.drop { $0 == "#" || $0 == " " }) }
      sections[heading, default: []].append(line)
    }
    self.sections = sections
  }

  func lines(under heading: String) throws -> [String] { try #require(sections[heading]) }

  /// The drawing under a heading: its rows with an offset and a size.
  func drawing(under heading: String) throws -> [Field] {
    let blocks = try blocks(under: heading)
    let drawing = try #require(blocks.first { $0.first?.hasPrefix("offset") == true })
    return try drawing.dropFirst().map { line in
      let columns = FormatPage.columns(line)
      try #require(columns.count >= 3, "\(line)")
      return Field(name: columns[2], place: columns[0], size: columns[1])
    }
  }

  /// The worked example, in the order of the page: a list for each structure.
  func example() throws -> [[ExampleField]] {
    try blocks(under: "A worked example").map { block in
      try block.map { line in
        let columns = FormatPage.columns(line)
        try #require(columns.count >= 3, "\(line)")
        return ExampleField(
          offset: try #require(Int(columns[0])), bytes: try FormatPage.bytes(columns[1]),
          name: columns[2], value: columns.count > 3 ? columns[3] : "")
      }
    }
  }

  /// The rows of a table under a heading, without its first two.
  func table(under heading: String) throws -> [[String]] {
    FormatPage.tables(in: try lines(under: heading))
  }

  /// The rows of the tables in some lines, each a list of its cells, without the headings.
  static func tables(in lines: [String]) -> [[String]] {
    lines.filter { $0.hasPrefix("|") }.map { line in
      line.dropFirst().dropLast().split(separator: "|").map { cell in
        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
    }.filter { row in !row.allSatisfy { $0.hasPrefix("--") } }.dropFirst().map { $0 }
  }

  private func blocks(under heading: String) throws -> [[String]] {
    var blocks: [[String]] = []
    var isInside = false
    for line in try lines(under: heading) {
      if line.hasPrefix("```") {
        isInside.toggle()
        if isInside { blocks.append([]) }
      } else if isInside {
        blocks[blocks.count - 1].append(line)
      }
    }
    return blocks
  }

  /// Splits a line at runs of two or more spaces.
  private static func columns(_ line: String) -> [String] {
    var columns = [""]
    var spaces = 0
    for character in line.drop(while: { $0 == " " }) {
      if character == " " {
        spaces += 1
        continue
      }
      if spaces > 1 { columns.append("") }
      if spaces == 1 { columns[columns.count - 1].append(" ") }
      spaces = 0
      columns[columns.count - 1].append(character)
    }
    return columns
  }

  /// `89 44 41`, or `00 x 3992`.
  private static func bytes(_ text: String) throws -> [UInt8] {
    let words = text.split(separator: " ")
    if words.count == 3, words[1] == "x" {
      let byte = try #require(UInt8(words[0], radix: 16))
      return [UInt8](repeating: byte, count: try #require(Int(words[2])))
    }
    return try words.map { try #require(UInt8($0, radix: 16)) }
  }
}
