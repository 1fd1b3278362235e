import DaybookCLibrary
import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// The output of the tool, run in the test's own process.
enum PrintedTool {
  /// Returns the arguments of a list, with the path of a sample as the journal.
  static func sample(_ words: [String]) -> [String] {
    [ProjectFiles.path("Journal/Samples/\(words[0])")] + words.dropFirst()
  }

  /// Returns the printed lines as JSON objects.
  static func objects(_ words: [String]) throws -> [JSONValue] {
    try lines(words).map { try JSONValue(Array($0.utf8)) }
  }

  private static let noTerminal = Terminal(columnCount: nil, usesColor: false, isPlain: false)

  /// Returns the printed lines of a command that succeeds.
  static func lines(
    _ words: [String], on terminal: Terminal = PrintedTool.noTerminal
  ) throws -> [String] {
    let (lines, status) = try printed(words, on: terminal)
    #expect(status == .done)
    return lines
  }

  /// Returns the printed lines and the exit status.
  static func printed(
    _ words: [String], on terminal: Terminal = PrintedTool.noTerminal
  ) throws -> (lines: [String], status: DaybookTool.ExitStatus) {
    try TemporaryDirectory.with { scratch in
      let descriptor = open(scratch.path("output"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      let output = Output(descriptor)
      let status = try Tool.run(words, on: terminal, to: output)
      try output.flush()
      let text = String(decoding: try scratch.bytes(of: "output"), as: UTF8.self)
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
      return (lines, status)
    }
  }
}

/// A printed list: the names of its sections, and the identifiers of the rows in each.
struct PrintedList: Equatable {
  struct Section: Equatable {
    var name: JSONValue
    var rows: [JSONValue] = []
  }

  private(set) var sections: [Section] = []

  /// Creates a list from the output of `show` at a transaction.
  init(_ words: [String], at sequence: Int) throws {
    let words = ["show"] + PrintedTool.sample(words) + ["--at", "\(sequence)", "--format", "json"]
    self = try PrintedList(try #require(PrintedTool.objects(words).first))
  }

  /// Creates a list from the object that `show` prints.
  init(_ object: JSONValue) throws {
    for section in try elements(object["sections"]) {
      let rows = try elements(section["rows"]).map { try #require($0["id"]) }
      sections.append(Section(name: try #require(section["name"]), rows: rows))
    }
  }

  /// Applies a printed difference: removes deleted and moved rows, then inserts inserted and moved
  /// rows.
  mutating func follow(_ object: JSONValue) throws {
    let (going, coming) = (object["sections"]?["deleted"], object["sections"]?["inserted"])
    let rows = try #require(object["rows"])
    let moved = try elements(rows["moved"]).map { try elements($0) }
    let updated = try elements(rows["updated"]).map { try elements($0) }
    for row in updated { try expect(row[2], at: Path(row[0])) }
    var leaving = try elements(rows["deleted"]).map { try (Path(elements($0)[0]), elements($0)[1]) }
    leaving += try moved.map { (try Path($0[0]), $0[2]) }
    for (path, id) in leaving.sorted(by: { $0.0 > $1.0 }) {
      try expect(id, at: path)
      sections[path.section].rows.remove(at: path.row)
    }
    for section in try elements(going) {
      let index = try integer(elements(section)[0])
      try #require(sections.indices.contains(index))
      #expect(sections[index] == Section(name: try elements(section)[1]))
      sections.remove(at: index)
    }
    for section in try elements(coming) {
      let index = try integer(elements(section)[0])
      try #require(index <= sections.count)
      sections.insert(Section(name: try elements(section)[1]), at: index)
    }
    var arriving = try elements(rows["inserted"]).map {
      try (Path(elements($0)[0]), elements($0)[1])
    }
    arriving += try moved.map { (try Path($0[1]), $0[2]) }
    for (path, id) in arriving.sorted(by: { $0.0 < $1.0 }) {
      try #require(sections.indices.contains(path.section))
      try #require(path.row <= sections[path.section].rows.count)
      sections[path.section].rows.insert(id, at: path.row)
    }
    for row in updated { try expect(row[2], at: Path(row[1])) }
  }

  private func expect(_ id: JSONValue, at path: Path) throws {
    try #require(sections.indices.contains(path.section))
    try #require(sections[path.section].rows.indices.contains(path.row))
    #expect(sections[path.section].rows[path.row] == id)
  }

  private struct Path: Comparable {
    var section: Int
    var row: Int

    init(_ value: JSONValue) throws {
      let numbers = try elements(value).map { try integer($0) }
      try #require(numbers.count == 2)
      (section, row) = (numbers[0], numbers[1])
    }

    static func < (one: Path, other: Path) -> Bool {
      (one.section, one.row) < (other.section, other.row)
    }
  }
}

private func elements(_ value: JSONValue?) throws -> [JSONValue] {
  guard case .array(let elements)? = value else {
    throw Surprise("expected an array, found \(value?.text ?? "nothing")")
  }
  return elements
}

private func integer(_ value: JSONValue) throws -> Int { try #require(Int(value.text)) }
