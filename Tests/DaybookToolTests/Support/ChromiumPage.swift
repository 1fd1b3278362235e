import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// A page in headless Chromium. Tests drive it with real keys and clicks.
enum ChromiumPage {
  static let isInstalled =
    BuiltTool.has("python3")
    && ["chromium", "chromium-browser", "google-chrome"].contains { BuiltTool.has($0) }

  static let absence: Comment = "chromium or python3 is not installed"

  /// Runs actions, and returns the values that they print.
  ///
  /// - Parameters:
  ///   - path: The path of the page.
  ///   - actions: The actions, which `Browsers/chromium.py` describes.
  ///   - scratch: A directory for the file of the actions.
  static func run(
    _ path: String, actions: [String], in scratch: TemporaryDirectory
  ) throws -> [JSONValue] {
    let text = actions.joined(separator: "\n") + "\n"
    try scratch.write(Array(text.utf8), to: "actions")
    let lines = try BuiltTool.run(
      "python3 Tests/DaybookToolTests/Browsers/chromium.py '\(path)' < $SCRATCH/actions", scratch)
    return try lines.map { line in
      do { return try JSONValue(Array(line.utf8)) } catch {
        throw Surprise(lines.joined(separator: "\n"))
      }
    }
  }
}

/// A list as lines of text: its sections with their totals, its rows, and the totals of the list.
struct ListLines: Equatable, CustomStringConvertible {
  private(set) var lines: [String] = []

  var description: String { "\n" + lines.joined(separator: "\n") }

  /// Creates the lines from the object that `show --format json` prints.
  init(shown list: JSONValue, isSectioned: Bool) throws {
    for section in try Self.elements(list["sections"]) {
      let rows = try Self.elements(section["rows"])
      if isSectioned {
        let name = try Self.cell(#require(section["name"]))
        lines.append("section \(name) \(rows.count) \(try Self.totals(section["totals"]))")
      }
      for row in rows {
        guard case .object(let members) = row else { throw Surprise("a row is no object") }
        lines.append("row " + members.map { Self.cell($0.value) }.joined(separator: " | "))
      }
    }
    let all = try list["allTotals"].map { "  ·  all: " + (try Self.totals($0)) } ?? ""
    lines.append("totals \(try Self.totals(list["totals"]))\(all)")
  }

  /// Creates the lines from the picture that the script reads from the page.
  init(page picture: JSONValue) throws {
    var rank = 0
    for line in try Self.elements(picture["lines"]) {
      guard let cells = line["cells"] else {
        let texts = try ["name", "count", "totals"].map { try Self.text(line[$0]) }
        lines.append("section " + texts.joined(separator: " "))
        continue
      }
      rank += 1
      #expect(line["rank"]?.text == "\(rank)")
      lines.append("row " + (try Self.elements(cells)).map(Self.cell).joined(separator: " | "))
    }
    // The text below the list begins with the numbers of rows and sections.
    let foot = try Self.text(picture["foot"]).split(separator: "  ·  ", maxSplits: 1)
    lines.append("totals \(foot.count == 2 ? String(foot[1]) : "")")
  }

  /// Returns a value as the text of a cell.
  private static func cell(_ value: JSONValue) -> String {
    switch value {
    case .null: "(nil)"
    case .string(let text): DisplayWidth.shown(text)
    default: DisplayWidth.shown(value.text)
    }
  }

  private static func totals(_ value: JSONValue?) throws -> String {
    guard case .object(let members)? = value else { return "" }
    return members.map { total in
      "\(total.key) \(total.value == .null ? "nil" : cell(total.value))"
    }.joined(separator: "  ·  ")
  }

  private static func text(_ value: JSONValue?) throws -> String {
    guard case .string(let text)? = value else { throw Surprise("expected a text") }
    return text
  }

  private static func elements(_ value: JSONValue?) throws -> [JSONValue] {
    guard case .array(let elements)? = value else {
      throw Surprise("expected an array, found \(value?.text ?? "nothing")")
    }
    return elements
  }
}
