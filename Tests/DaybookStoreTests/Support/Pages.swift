import Testing

/// A page of the project's documentation.
enum DocumentationPage {
  /// The lines of the first block of a kind behind a line.
  static func block(
    _ fence: String, in lines: [String], behind text: String, from heading: String
  ) throws -> [String] {
    let first = try #require(lines.firstIndex(of: heading))
    let line = try #require(lines[first...].firstIndex(of: text))
    let start = try #require(lines[line...].firstIndex(of: fence)) + 1
    return Array(lines[start...].prefix { $0 != "```" })
  }
}
