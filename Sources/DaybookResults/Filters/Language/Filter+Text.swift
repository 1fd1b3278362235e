import DaybookStore

extension Filter {
  /// Reads a filter in the format language of `NSPredicate`.
  ///
  /// ```swift
  /// let closed = try Filter(#"state == "CA" AND NOT name CONTAINS[cd] "cafe""#)
  /// let large = try Filter("%K > %@ AND tags.@count > 0", "details.amount", 1_000_000)
  /// ```
  ///
  /// | syntax                            | meaning                                              |
  /// | --------------------------------- | ---------------------------------------------------- |
  /// | `== = != <> < <= > >=`            | comparisons                                          |
  /// | `BEGINSWITH ENDSWITH CONTAINS`    | tests of strings, by Unicode scalars                 |
  /// | `LIKE`                            | a whole string: `?` is one scalar, `*` any number    |
  /// | `MATCHES`                         | a whole string, by a regular expression              |
  /// | `MATCHESWORDS`                    | words that start with all words of the search        |
  /// | `[c]`, `[d]`, `[cd]`              | after these, `==`, `!=`, `IN`: ignore case, marks    |
  /// | `IN {a, b}`, `BETWEEN {a, b}`     | one of these; from the first through the second      |
  /// | `ANY ALL NONE`, `.@count`         | arrays, and references to many records               |
  /// | `NOT AND OR`, `! && \|\|`         | `NOT` binds first, `OR` last                         |
  /// | `TRUEPREDICATE`, `FALSEPREDICATE` | always, never                                        |
  /// | `"x" 'x' -0.5 true no nil NULL`   | values                                               |
  /// | `details.closeDate`, `id`         | attributes                                           |
  /// | `#"Close Date"`, `#in`            | attributes with other names; also in backquotes      |
  ///
  /// A string that is compared with a date is read as ISO 8601. Without an offset it is in UTC, and
  /// without a time it means midnight. A string that is compared with a UUID, data, a URL, a
  /// decimal or a reference is read as in a text journal. Numbers of different types are compared
  /// by value. NaN is the greatest number and equal to itself.
  ///
  /// A name that contains spaces or signs is written in backquotes, and an attribute with the name
  /// of a keyword after a `#`. A text in quotation marks is always a string. In backquotes, the
  /// escapes are those of strings. A name that contains a backquote is written as `#"a`b"`.
  ///
  /// A comparison of two constants is refused when a request is executed, because it does not
  /// depend on the record.
  ///
  /// Regular expressions consist of `. [a-z] [^a-z] \d \w \s \D \W \S \n \t \r \u{…} ( ) (?: ) |`,
  /// the repetitions `* + ? {n} {n,} {n,m}`, `^` and `$`, and a backslash before a literal
  /// character. All other syntax is refused, so every pattern takes linear time in the length of
  /// the string.
  ///
  /// - Parameters:
  ///   - source: The text. Keywords may be in upper or lower case.
  ///   - arguments: The arguments, in the order of the text: a value or a list of values for each
  ///     `%@`, and a path for each `%K`.
  /// - Throws: ``FilterError`` with the column of the problem.
  public init(_ source: String, _ arguments: any AttributeRepresentable...) throws(FilterError) {
    try self.init(source, arguments: arguments.map { $0.attributeValue })
  }

  /// Reads a filter in the format language of `NSPredicate`, with arguments of any type.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - arguments: The arguments for `%@` and `%K`, in the order of the text.
  /// - Throws: ``FilterError`` with the column of the problem.
  public init(_ source: String, arguments: [AttributeValue]) throws(FilterError) {
    var parser = FilterParser(source, arguments: arguments)
    self = try parser.filter()
  }
}

extension Filter: CustomStringConvertible {
  /// The filter as text. Reading the text returns an equal filter.
  ///
  /// A condition that is evaluated on records has no text. The description contains a note in angle
  /// brackets instead, and cannot be read as a filter.
  public var description: String {
    switch tree {
    case .constant(let constant): constant ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): comparison.description
    case .evaluated(let predicate): predicate.description
    case .not(let filter):
      switch filter.tree {
      case .all, .any: "NOT (\(filter))"
      case .constant, .comparison, .not, .evaluated: "NOT \(filter)"
      }
    case .all(let parts):
      parts.map { part in
        if case .any = part.tree { "(\(part))" } else { part.description }
      }.joined(separator: " AND ")
    case .any(let parts): parts.map(\.description).joined(separator: " OR ")
    }
  }
}

extension FilterComparison: CustomStringConvertible {
  package var description: String {
    let quantifier = quantifier.map { "\($0.rawValue) " } ?? ""
    return "\(quantifier)\(left) \(relation.rawValue)\(options) \(right)"
  }
}

extension TextOptions: CustomStringConvertible {
  /// The options as text: `[c]`, `[d]`, `[cd]`, or an empty string.
  public var description: String {
    if isEmpty { return "" }
    return "[\(contains(.ignoringCase) ? "c" : "")\(contains(.ignoringDiacritics) ? "d" : "")]"
  }
}

extension FilterOperand: CustomStringConvertible {
  package var description: String {
    switch content {
    case .constant(let constant): constant.description
    case .path(let names): FilterOperand.text(of: names)
    case .count(let names): FilterOperand.text(of: names) + ".@count"
    }
  }

  /// Returns the text of the names of a sort key or a section.
  static func text(ofKey names: [String]) -> String {
    names.count > 1 && names.last == "@count"
      ? text(of: names.dropLast()) + ".@count" : text(of: names)
  }

  static func text(of names: [String]) -> String {
    names.map { name in
      guard FilterLexer.isWord(name) else { return quoted(name) }
      return FilterKeyword(word: name) == nil ? name : "#\(name)"
    }.joined(separator: ".")
  }

  /// Returns a name in backquotes. A name that contains a backquote is returned as `#"a`b"`.
  static func quoted(_ name: String) -> String {
    name.unicodeScalars.contains("`")
      ? "#" + FilterConstant.quoted(name) : FilterConstant.quoted(name, with: "`")
  }
}
