/// Why a filter cannot be read, or cannot be asked of an entity.
///
/// A program reads ``reason``; a person reads ``description``, whose wording may change, or the
/// filter itself with ``caret`` below it.
public struct FilterError: Error, Hashable, Sendable {
  /// What stood in the way.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// Something else was expected at a place of the text.
    case expected(String, found: String)
    /// A text in quotation marks does not end.
    case openText(String)
    /// A text in quotation marks has a `\` before what is no escape.
    case escape(String)
    /// A number cannot be read.
    case number(String, problem: String)
    /// Parentheses and `NOT` stand in each other deeper than can be read.
    case nesting(max: Int)
    /// There is no argument for a `%@` or `%K`.
    case argumentMissing(Int)
    /// There are more arguments than `%@` and `%K`.
    case argumentsLeft(count: Int, used: Int)
    /// The argument for a `%K` is no text with names.
    case argumentNoNames(Int)
    /// The argument for a `%@` is of a kind that no constant is.
    case argumentNoConstant(Int)
    /// An entity has no attribute of this name, but those known.
    case noAttribute(String, entity: String, nearest: String?, known: [String])
    /// A property is one of another entity's records.
    case otherEntity(String, root: String, entity: String)
    /// An attribute leads nowhere, and names follow.
    case noReference(String, entity: String, type: String)
    /// A reference leads to an entity that there is not.
    case noEntity(String)
    /// An attribute holds several values, and it is not said how many of them are meant.
    case several(String)
    /// One value stands where several are asked for.
    case notSeveral(String, asked: String)
    /// A way leads through two attributes of several values each.
    case severalTwice(String, String)
    /// Two sides of a comparison are of kinds that are not compared.
    case mismatch(left: String, right: String)
    /// A text beside an attribute cannot be read as a value of its type.
    case unreadable(String, type: String, problem: String)
    /// What is asked of texts is asked of something else.
    case noText(String, asked: String)
    /// A list stands beside a relation that takes none, or none beside one that takes a list.
    case list(expected: String, found: String)
    /// A pattern cannot be read.
    case pattern(String, column: Int, problem: String)
    /// A pattern is no constant.
    case patternNoConstant(String)
    /// A predicate is evaluated on records of a type that the store does not have for the entity.
    case unknownType(String, entity: String)
  }

  /// What stood in the way.
  public let reason: Reason
  /// The text of the filter, if it was read from one.
  public let text: String?
  /// Where in the text the trouble begins: from 1, in Unicode scalars.
  public let column: Int?

  package init(_ reason: Reason, at place: FilterPlace = FilterPlace()) {
    self.reason = reason
    text = place.text
    column = place.column
  }

  /// The line of the text in which the trouble is, and below it a caret at the trouble.
  ///
  /// ```
  /// state = "CA" AND amonut > 5
  ///                  ^
  /// ```
  public var caret: String? {
    guard let text, let column else { return nil }
    let scalars = Array(text.unicodeScalars)
    let place = min(column - 1, scalars.count)
    let begin = scalars[..<place].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let end = scalars[place...].firstIndex(of: "\n") ?? scalars.count
    var line = String.UnicodeScalarView()
    line.append(contentsOf: scalars[begin..<end])
    var spaces = String.UnicodeScalarView()
    for scalar in scalars[begin..<place] {
      // What takes no room of its own has none below it either.
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: break
      default: spaces.append(scalar == "\t" ? "\t" : " ")
      }
    }
    return "\(String(line))\n\(String(spaces))^"
  }
}

extension FilterError: CustomStringConvertible {
  /// Where it is, and what was expected there.
  public var description: String {
    "filter\(column.map { ", column \($0)" } ?? ""): \(sentence)"
  }

  /// What was expected, and what was found.
  public var sentence: String {
    switch reason {
    case .expected(let expected, let found):
      return "\(expected) was expected, and \(found) stands there."
    case .openText(let quote): return "a text that begins with \(quote) ends with \(quote)."
    case .escape(let found):
      return #"an escape is \\, \", \', \n, \t or \u{…}, and \#(found) stands there."#
    case .number(let text, let problem): return "\(text) is no number: \(problem)"
    case .nesting(let max):
      return "parentheses and NOT may stand in each other \(max) deep, and this is deeper."
    case .argumentMissing(let number): return "there is no argument \(number)."
    case .argumentsLeft(let count, let used):
      return "there are \(count) arguments, and the text asks for \(used)."
    case .argumentNoNames(let number):
      return "%K takes a text with names, as details.closeDate, and argument \(number) is none."
    case .argumentNoConstant(let number):
      return "%@ takes a value, nil, or a list of values, and argument \(number) is none."
    case .noAttribute(let name, let entity, let nearest, let known):
      let hint =
        nearest.map { " '\($0)' is the nearest." }
        ?? (known.isEmpty ? "" : " It has \(KnownNames.phrase(known)).")
      return "\(entity) has no attribute '\(name)'.\(hint)"
    case .otherEntity(let path, let root, let entity):
      return "\(path) is asked of \(root), and the rows are of \(entity)."
    case .noReference(let name, let entity, let type):
      return "\(name) of \(entity) (\(type)) leads to no record, and names follow it."
    case .noEntity(let entity): return "there is no entity \(entity)."
    case .several(let path):
      return "\(path) has several values: ANY, ALL or NONE stands before it, or .@count behind it."
    case .notSeveral(let path, let asked):
      return "\(asked) is asked of several values, and \(path) has one."
    case .severalTwice(let first, let second):
      return "one name of a path may have several values, and \(first) and \(second) both have."
    case .mismatch(let left, let right): return "\(left) is not compared with \(right)."
    case .unreadable(let text, let type, let problem): return "\(text) is no \(type): \(problem)"
    case .noText(let operand, let asked): return "\(asked) is for texts, and \(operand) is none."
    case .list(let expected, let found):
      return "\(expected) was expected, and \(found) stands there."
    case .pattern(let pattern, let column, let problem):
      return "the pattern \(pattern), column \(column): \(problem)"
    case .patternNoConstant(let operand): return "a pattern is a constant, and \(operand) is none."
    case .unknownType(let type, let entity):
      return "a predicate is evaluated on \(type), and the store has no such type for \(entity)."
    }
  }
}

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
