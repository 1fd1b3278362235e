/// The name that somebody meant who wrote another.
@_spi(Tools) public enum NearestName {
  /// The first of the names that differ least; nil if all differ in more than a third of what was
  /// written, or in more than three places.
  public static func nearest(to name: String, among names: [String]) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    let most = min(3, max(1, wanted.count / 3))
    var best: (name: String, distance: Int)?
    for candidate in names {
      let scalars = Array(candidate.lowercased().unicodeScalars)
      guard abs(scalars.count - wanted.count) <= most else { continue }
      let distance = distance(from: wanted, to: scalars)
      if distance <= most, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// How many scalars are added, removed, replaced, or exchanged with their neighbour.
  ///
  /// - Complexity: O(*n* · *m*)
  package static func distance(from one: [Unicode.Scalar], to other: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for place in one.indices {
      var row = [place + 1]
      for otherPlace in other.indices {
        let isSame = one[place] == other[otherPlace]
        var least = min(
          last[otherPlace + 1] + 1, row[otherPlace] + 1, last[otherPlace] + (isSame ? 0 : 1))
        if place > 0, otherPlace > 0, one[place] == other[otherPlace - 1],
          one[place - 1] == other[otherPlace]
        {
          least = min(least, beforeLast[otherPlace - 1] + 1)
        }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[other.count]
  }
}

/// The names that there are, as they are said to whoever has written another.
@_spi(Tools) public enum KnownNames {
  /// So many are named, and the rest is counted.
  private static let namedCountMax = 8

  /// `name, place and id`, or `a, b, c, d, e, f, g, h and 12 more`.
  public static func phrase(_ names: [String]) -> String {
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
