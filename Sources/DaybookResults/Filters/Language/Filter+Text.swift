import DaybookStore

extension Filter {
  /// Reads a filter in the format language of `NSPredicate`.
  ///
  /// ```swift
  /// let closed = try Filter(#"state == "CA" AND NOT name CONTAINS[cd] "cafe""#)
  /// let large = try Filter("%K > %@ AND tags.@count > 0", "details.amount", 1_000_000)
  /// ```
  ///
  /// | written                           | is                                                   |
  /// | --------------------------------- | ---------------------------------------------------- |
  /// | `== = != <> < <= > >=`            | comparisons                                          |
  /// | `BEGINSWITH ENDSWITH CONTAINS`    | tests of texts, by Unicode scalars                   |
  /// | `LIKE`                            | a whole text: `?` is any scalar, `*` any run of them |
  /// | `MATCHES`                         | a whole text, by a regular expression                |
  /// | `[c]`, `[d]`, `[cd]`              | behind these, `==`, `!=`, `IN`: no case, no marks    |
  /// | `IN {a, b}`, `BETWEEN {a, b}`     | one of these; from one through the other             |
  /// | `ANY ALL NONE`, `.@count`         | arrays, and references to many records               |
  /// | `NOT AND OR`, `! && \|\|`         | `NOT` binds first, `OR` last                         |
  /// | `TRUEPREDICATE`, `FALSEPREDICATE` | always, never                                        |
  /// | `"x" 'x' -0.5 true no nil NULL`   | values                                               |
  /// | `details.closeDate`, `id`, `#in`  | attributes; `#"any name"` is one too                 |
  ///
  /// A text beside a date is ISO 8601, in UTC if it has no offset, and a date alone is its
  /// midnight; a text beside a UUID, data, a URL, a decimal or a reference is read as a text
  /// journal has it. Numbers compare by value, whatever their types, with NaN last and equal to
  /// itself.
  ///
  /// Regular expressions have `. [a-z] [^a-z] \d \w \s \D \W \S \n \t \r \u{…} ( ) (?: ) |`, the
  /// repetitions `* + ? {n} {n,} {n,m}`, `^` and `$`, and a backslash before what stands for
  /// itself. Nothing else is: no pattern takes more than linear time in the length of the text.
  ///
  /// - Parameters:
  ///   - text: The text. Keywords and operators stand in any case; an attribute that is called like
  ///     one has a `#` before it.
  ///   - arguments: What stands for `%@`, a value or a list of values, and for `%K`, a path, in the
  ///     order in which they are asked for.
  /// - Throws: ``FilterError``, which says at which column what was expected.
  public init(_ text: String, _ arguments: any AttributeRepresentable...) throws(FilterError) {
    try self.init(text, arguments: arguments.map { $0.attributeValue })
  }

  /// Reads a filter in the format language of `NSPredicate`, with arguments of any type.
  ///
  /// - Throws: ``FilterError``, which says at which column what was expected.
  public init(_ text: String, arguments: [AttributeValue]) throws(FilterError) {
    var parser = FilterParser(text, arguments: arguments)
    self = try parser.filter()
  }
}

extension Filter: CustomStringConvertible {
  /// The filter as text, which reads back as an equal one.
  ///
  /// A condition that is evaluated on records has no text: what stands for it, in angle brackets, is
  /// for people, and is not read back.
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
  /// `[c]`, `[d]`, `[cd]`, or nothing.
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

  static func text(of names: [String]) -> String {
    names.map { name in
      guard FilterLexer.isWord(name) else { return "#" + FilterConstant.quoted(name) }
      return FilterKeyword(word: name) == nil ? name : "#\(name)"
    }.joined(separator: ".")
  }
}
