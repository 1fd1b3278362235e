/// A page of the project's documentation.
package enum DocumentationPage {
  /// The error of a line that is missing in a page.
  package struct Missing: Error {
    let line: String
  }

  /// Returns the lines of the first block with a fence after a line.
  package static func block(
    _ fence: String, in lines: [String], following text: String, from heading: String
  ) throws -> [String] {
    func find(_ line: String, in lines: ArraySlice<String>) throws -> Int {
      guard let index = lines.firstIndex(of: line) else { throw Missing(line: line) }
      return index
    }
    let first = try find(heading, in: lines[...])
    let line = try find(text, in: lines[first...])
    let start = try find(fence, in: lines[line...]) + 1
    return Array(lines[start...].prefix { $0 != "```" })
  }

  /// Returns the lines of each block with a fence that names a language, in the order of the page.
  package static func blocks(_ fence: String, in lines: [String]) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in lines {
      if let whole = block, line == "```" {
        blocks.append(whole)
        block = nil
      } else if block != nil {
        block?.append(line)
      } else if line == fence {
        block = []
      }
    }
    return blocks
  }

  /// Returns the lines of a source file between the comments `The … begins.` and `The … ends.`,
  /// without their common indentation and without `private`, which a page does not show.
  package static func part(_ name: String, of source: [String]) throws -> [String] {
    func find(_ verb: String) throws -> Int {
      let line = "// The \(name) \(verb)"
      guard
        let index = source.firstIndex(where: {
          $0.hasSuffix("\(line).") || $0.hasSuffix("\(line)s.")
        })
      else { throw Missing(line: line) }
      return index
    }
    let (start, end) = (try find("begin"), try find("end"))
    let indent = source[start].prefix { $0 == " " }.count
    return source[(start + 1)..<end].map { line in
      let line = line.dropFirst(min(indent, line.prefix { $0 == " " }.count))
      return String(line.hasPrefix("private ") ? line.dropFirst(8) : line)
    }
  }
}
