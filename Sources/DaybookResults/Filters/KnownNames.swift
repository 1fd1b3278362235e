/// The names that there are, as they are said to whoever has written another.
package enum KnownNames {
  /// So many are named, and the rest is counted.
  private static let namedCountMax = 8

  /// `name, place and id`, or `a, b, c, d, e, f, g, h and 12 more`.
  package static func phrase(_ names: [String]) -> String {
    var words = names.prefix(namedCountMax).map(quoted)
    if names.count > namedCountMax { words.append("\(names.count - namedCountMax) more") }
    guard words.count > 1, let last = words.popLast() else { return words.first ?? "" }
    return words.joined(separator: ", ") + " and " + last
  }

  /// A name as it is, in quotation marks if it would not be seen where it ends.
  static func quoted(_ name: String) -> String {
    name.isEmpty || name.contains(where: \.isWhitespace) ? "'\(name)'" : name
  }
}
