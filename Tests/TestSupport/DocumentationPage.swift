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
}
