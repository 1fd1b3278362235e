/// The reason that a filter cannot be read, or cannot be applied to an entity.
///
/// Programs switch on ``reason``. People read ``description``, or ``caret``, which shows the
/// position in the filter. The wording of the description may change.
public struct FilterError: Error, Hashable, Sendable {
  /// The reasons, with the facts of each.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The text does not continue as expected.
    case expected(String, found: String)
    /// A string in quotation marks, or a name in backquotes, has no end.
    case unterminatedString(String)
    /// A word follows an attribute where an operator should follow. Together they may be a name
    /// with spaces, which needs backquotes.
    case spaceInName(String, found: String)
    /// A `\` in a string is not followed by a valid escape.
    case escape(String)
    /// A number cannot be read.
    case number(String, problem: String)
    /// Parentheses and `NOT` are nested too deeply.
    case nesting(max: Int)
    /// A `%@` or `%K` has no argument. The value is the number of the argument.
    case argumentMissing(Int)
    /// There are more arguments than `%@` and `%K` in the text.
    case argumentsLeft(count: Int, used: Int)
    /// The argument for a `%K` is not a string of names. The value is the number of the argument.
    case argumentNotKeyPath(Int)
    /// The argument for a `%@` cannot be a constant. The value is the number of the argument.
    case argumentNotConstant(Int)
    /// The entity has no attribute of this name. `known` contains `id` and the names of the
    /// entity's attributes. `nearest` is the most similar of them, or nil if none is similar.
    case noAttribute(String, entity: String, nearest: String?, known: [String])
    /// The filter uses a property of a record type of a different entity.
    case otherEntity(String, root: String, entity: String)
    /// The path continues after an attribute that is not a reference.
    case noReference(String, entity: String, type: String)
    /// The entity of a reference does not exist.
    case noEntity(String)
    /// An attribute has several values, and the comparison has no quantifier.
    case quantifierMissing(String)
    /// A quantifier or `@count` is applied to a single value.
    case notCollection(String, operation: String)
    /// A path contains two attributes of several values each.
    case nestedCollections(String, String)
    /// The two sides of a comparison are of kinds that cannot be compared.
    case mismatch(left: String, right: String)
    /// Both sides of a comparison are constants. If one of them is a string with the name of an
    /// attribute, `attribute` is that attribute as the filter language writes it.
    case constants(left: String, right: String, attribute: String?)
    /// A string cannot be read as a value of the type of the compared attribute.
    case unreadable(String, type: String, problem: String)
    /// An operation for strings is applied to a value that is not a string.
    case notString(String, operation: String)
    /// A list is the operand of a relation that needs a single value. Or a single value is the
    /// operand of `IN` or `BETWEEN`, which need a list.
    case list(expected: String, found: String)
    /// A pattern cannot be read.
    case pattern(String, column: Int, problem: String)
    /// A pattern is not a constant.
    case patternNotConstant(String)
    /// The filter evaluates a Swift predicate on a record type that the store was not opened with
    /// for the entity.
    case unknownType(String, entity: String)
  }

  /// The reason that the filter cannot be used.
  public let reason: Reason
  /// The text of the filter; nil if it was not read from a text.
  public let text: String?
  /// The column of the problem in the text, from 1, in Unicode scalars.
  public let column: Int?

  package init(_ reason: Reason, at position: FilterPosition = FilterPosition()) {
    self.reason = reason
    text = position.source
    column = position.column
  }

  /// The line of the text that contains the problem, and below it a caret that points at the
  /// problem.
  ///
  /// ```
  /// state = "CA" AND amonut > 5
  ///                  ^
  /// ```
  public var caret: String? {
    guard let text, let column else { return nil }
    let scalars = Array(text.unicodeScalars)
    let index = min(column - 1, scalars.count)
    let start = scalars[..<index].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let end = scalars[index...].firstIndex(of: "\n") ?? scalars.count
    var line = String.UnicodeScalarView()
    line.append(contentsOf: scalars[start..<end])
    var spaces = String.UnicodeScalarView()
    for scalar in scalars[start..<index] {
      // A scalar without width needs no space in the line below.
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: break
      default: spaces.append(scalar == "\t" ? "\t" : " ")
      }
    }
    return "\(String(line))\n\(String(spaces))^"
  }
}

extension FilterError: CustomStringConvertible {
  /// The column of the problem, followed by ``sentence``.
  public var description: String {
    "filter\(column.map { ", column \($0)" } ?? ""): \(sentence)"
  }

  /// The value of ``Reason/expected(_:found:)`` that means the end of the filter.
  static let end = "the end"

  /// The problem in one sentence, without the column.
  public var sentence: String {
    switch reason {
    case .expected(let expected, FilterError.end):
      return "the filter ends where \(expected) should follow."
    case .expected(let expected, let found): return "expected \(expected), found \(found)."
    case .unterminatedString(let quote):
      return "the \(quote == "`" ? "name" : "string") that starts here is not closed; "
        + "add \(quote) at its end."
    case .spaceInName(let name, let found):
      return "expected an operator, found \(found). If \(name) is one name, write it in "
        + "backquotes: \(FilterOperand.quoted(name))."
    case .escape(let found):
      return #"expected an escape (\\, \", \', \n, \t or \u{…}), found \#(found)."#
    case .number(let literal, let problem): return "\(literal) is not a valid number: \(problem)"
    case .nesting(let max):
      return "parentheses and NOT are nested too deeply; the limit is \(max) levels."
    case .argumentMissing(let number):
      return "the filter uses argument \(number), which was not passed."
    case .argumentsLeft(let count, let used):
      let passed = count == 1 ? "1 argument was" : "\(count) arguments were"
      return "\(passed) passed, but the filter uses \(used == 0 ? "none" : "only \(used)")."
    case .argumentNotKeyPath(let number):
      return
        "%K needs a string with a key path, such as details.closeDate; argument \(number) is not one."
    case .argumentNotConstant(let number):
      return "%@ needs a value, nil or a list of values; argument \(number) is not one of these."
    case .noAttribute(let name, let entity, let nearest, let known):
      let missing = "\(entity) has no attribute '\(name)'"
      if let nearest { return "\(missing); did you mean \(KnownNames.attribute(nearest))?" }
      return known.isEmpty
        ? "\(missing)." : "\(missing). It has \(KnownNames.phrase(ofAttributes: known))."
    case .otherEntity(let path, let root, let entity):
      return "\(path) is a property of \(root), but the rows are of \(entity)."
    case .noReference(let name, let entity, let type):
      return "\(name) of \(entity) is of type \(type); a name can only follow a reference."
    case .noEntity(let entity): return "no entity '\(entity)'."
    case .quantifierMissing(let path):
      return "\(path) has several values; write ANY, ALL or NONE before it, or .@count after it."
    case .notCollection(let path, let operation):
      return "\(operation) needs an attribute with several values; \(path) is a single value."
    case .nestedCollections(let first, let second):
      return "only one name of a path can have several values; \(first) and \(second) both have."
    case .mismatch(let left, let right): return "cannot compare \(left) with \(right)."
    case .constants(let left, let right, let attribute):
      let both = "\(left) and \(right) are both constants"
      guard let attribute else { return "\(both); a comparison needs an attribute." }
      return "\(both), because a text in quotation marks is a string. For the attribute, write "
        + "\(attribute)\(attribute.contains("`") ? " in backquotes." : ".")"
    case .unreadable(let literal, let type, let problem):
      return "\(literal) is not a valid \(type) value: \(problem)"
    case .notString(let operand, let operation):
      return "\(operation) compares strings; \(operand) is not a string."
    case .list(let expected, let found): return "expected \(expected), found \(found)."
    case .pattern(let pattern, let column, let problem):
      return "the pattern \(pattern), column \(column): \(problem)"
    case .patternNotConstant(let operand):
      return "a pattern must be a constant; \(operand) is not one."
    case .unknownType(let type, let entity):
      return
        "a predicate is evaluated on \(type), but the store was not opened with it for \(entity)."
    }
  }
}

/// A search for the known name that is most similar to an unknown name, for error messages.
@_spi(Tools) public enum NearestName {
  /// Returns the name that is most similar to a given name; nil if no name is similar. A similar
  /// name needs at most as many edits as a third of the given name's scalars. One edit is always
  /// allowed, and more than three are never allowed. Of two names with as many edits, the one with
  /// the same letters is more similar: people exchange letters more frequently than they replace
  /// them.
  public static func nearest(to name: String, among names: [String]) -> String? {
    let target = Array(name.lowercased().unicodeScalars)
    let most = min(3, max(1, target.count / 3))
    var best: (name: String, distance: Int, hasSameLetters: Bool)?
    for candidate in names {
      let scalars = Array(candidate.lowercased().unicodeScalars)
      guard abs(scalars.count - target.count) <= most else { continue }
      let distance = distance(from: target, to: scalars)
      let hasSameLetters = scalars.sorted() == target.sorted()
      guard distance <= most else { continue }
      if let best, distance > best.distance { continue }
      if let best, distance == best.distance, best.hasSameLetters || !hasSameLetters { continue }
      best = (candidate, distance, hasSameLetters)
    }
    return best?.name
  }

  /// Returns the number of edits between two names: scalars that are added, removed, replaced, or
  /// exchanged with their neighbor.
  ///
  /// - Complexity: O(*n* · *m*)
  package static func distance(from one: [Unicode.Scalar], to other: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for index in one.indices {
      var row = [index + 1]
      for otherIndex in other.indices {
        let isSame = one[index] == other[otherIndex]
        var least = min(
          last[otherIndex + 1] + 1, row[otherIndex] + 1, last[otherIndex] + (isSame ? 0 : 1))
        if index > 0, otherIndex > 0, one[index] == other[otherIndex - 1],
          one[index - 1] == other[otherIndex]
        {
          least = min(least, beforeLast[otherIndex - 1] + 1)
        }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[other.count]
  }
}

/// The formatting of known names for a message about an unknown name.
@_spi(Tools) public enum KnownNames {
  /// The largest number of names in a phrase; further names are only counted.
  private static let namedCountMax = 8

  /// Returns the names as a phrase: `name, place and id`, or `a, b, c, d, e, f, g, h and 12 more`.
  public static func phrase(_ names: [String]) -> String {
    phrase(names) { name in
      name.isEmpty || name.contains(where: \.isWhitespace) ? "'\(name)'" : name
    }
  }

  /// Returns the names of attributes as a phrase, in the syntax of the filter language.
  static func phrase(ofAttributes names: [String]) -> String {
    phrase(names) { FilterOperand.text(of: [$0]) }
  }

  private static func phrase(_ names: [String], writing: (String) -> String) -> String {
    var words = names.prefix(namedCountMax).map(writing)
    if names.count > namedCountMax { words.append("\(names.count - namedCountMax) more") }
    guard words.count > 1, let last = words.popLast() else { return words.first ?? "" }
    return words.joined(separator: ", ") + " and " + last
  }

  /// Returns the name of an attribute in quotation marks. If the filter language writes the name
  /// differently, returns that text instead.
  static func attribute(_ name: String) -> String {
    let quoted = FilterOperand.text(of: [name])
    return quoted == name ? "'\(name)'" : quoted
  }
}
