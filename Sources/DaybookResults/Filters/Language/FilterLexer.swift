/// A lexer, which splits the text of a filter into tokens. The parser reads one token at a time.
struct FilterLexer {
  let source: String
  private let scalars: [Unicode.Scalar]
  private var index = 0

  init(_ source: String) {
    self.source = source
    scalars = Array(source.unicodeScalars)
  }

  /// Returns the position of the scalar at an index of the text.
  func filterPosition(_ index: Int) -> FilterPosition { FilterPosition(source, column: index + 1) }

  private func scalar(_ index: Int) -> Unicode.Scalar? {
    index < scalars.count ? scalars[index] : nil
  }

  /// Reads the next token, and returns it with the position of its start.
  mutating func next() throws(FilterError) -> (token: FilterToken, position: FilterPosition) {
    while let scalar = scalar(index), scalar.properties.isWhitespace { index += 1 }
    let start = filterPosition(index)
    guard let first = scalar(index) else { return (.end, start) }
    switch first {
    case "\"", "'": return (.string(try string(first)), start)
    case "0"..."9": return (.number(number()), start)
    case "-" where scalar(index + 1).map { ("0"..."9").contains($0) } ?? false:
      return (.number(number()), start)
    case "#": return (.name(try name()), start)
    case "`": return (.name(try quotedName("`", at: "between backquotes")), start)
    case "@", "%": return (.symbol(try marked()), start)
    case _ where FilterLexer.beginsName(first): return (.word(word()), start)
    default: return (.symbol(symbol(first)), start)
    }
  }

  /// The names that can follow an `@`: the number of values of an attribute, and the totals of a
  /// group of records.
  private static let totals: Set<String> = ["count", "sum", "avg", "min", "max", "distinct"]

  static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDStart
  }

  static func continuesName(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isXIDContinue }

  /// Returns whether a string has the form of a name or keyword.
  static func isWord(_ candidate: String) -> Bool {
    guard let first = candidate.unicodeScalars.first, beginsName(first) else { return false }
    return candidate.unicodeScalars.dropFirst().allSatisfy { continuesName($0) }
  }

  private func slice(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[range])
    return String(view)
  }

  private mutating func word() -> String {
    let start = index
    index += 1
    while let scalar = scalar(index), FilterLexer.continuesName(scalar) { index += 1 }
    return slice(start..<index)
  }

  /// Reads `#name`, or `#"any name"` for a name that does not have the form of a word.
  private mutating func name() throws(FilterError) -> String {
    index += 1
    if let first = scalar(index) {
      if first == "\"" || first == "'" { return try quotedName(first, at: "after '#'") }
      if FilterLexer.beginsName(first) { return word() }
    }
    throw FilterError(
      .expected("a name after '#'", found: found(at: index)), at: filterPosition(index))
  }

  /// Reads a name in quotation marks or backquotes. An empty name is an error, whose message
  /// contains the position of the expected name.
  private mutating func quotedName(
    _ quote: Unicode.Scalar, at position: String
  ) throws(FilterError) -> String {
    let start = index
    let name = try string(quote)
    guard !name.isEmpty else {
      throw FilterError(
        .expected("a name \(position)", found: "an empty one"), at: filterPosition(start))
    }
    return name
  }

  /// Returns the scalar at an index as text for an error message.
  private func found(at index: Int) -> String {
    guard let scalar = scalar(index) else { return FilterError.end }
    if scalar.properties.isWhitespace || scalar.value < 0x20 {
      return "U+" + FilterLexer.hexadecimal(scalar)
    }
    return "'\(scalar)'"
  }

  static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Reads up to the first scalar that cannot be part of a number. The parser then checks that the
  /// result is a number.
  private mutating func number() -> String {
    let start = index
    index += 1
    while let scalar = scalar(index) {
      let isSign = scalar == "-" || scalar == "+"
      let isInside = scalar == "." || FilterLexer.continuesName(scalar)
      guard isInside || isSign && (scalars[index - 1] == "e" || scalars[index - 1] == "E") else {
        break
      }
      index += 1
    }
    return slice(start..<index)
  }

  /// Reads `@count`, the name of another total as `@sum`, `%@` or `%K`.
  private mutating func marked() throws(FilterError) -> String {
    let start = index
    let mark = scalars[index]
    index += 1
    if mark == "%", let next = scalar(index), next == "@" || next == "K" {
      index += 1
      return "%\(next)"
    }
    if mark == "@", let next = scalar(index), FilterLexer.beginsName(next) {
      let name = word().lowercased()
      if FilterLexer.totals.contains(name) { return "@\(name)" }
    }
    throw FilterError(
      .expected(
        mark == "%" ? "%@ or %K" : "@count", found: "'\(slice(start..<max(index, start + 1)))'"),
      at: filterPosition(start))
  }

  private mutating func symbol(_ first: Unicode.Scalar) -> String {
    let pairs: Set<String> = ["==", "!=", "<>", "<=", ">=", "&&", "||"]
    if index + 1 < scalars.count {
      let pair = slice(index..<index + 2)
      if pairs.contains(pair) {
        index += 2
        return pair
      }
    }
    index += 1
    return String(first)
  }

  private mutating func string(_ quote: Unicode.Scalar) throws(FilterError) -> String {
    let start = index
    index += 1
    var contents = String.UnicodeScalarView()
    while let scalar = scalar(index) {
      index += 1
      if scalar == quote { return String(contents) }
      contents.append(scalar == "\\" ? try escape() : scalar)
    }
    throw FilterError(.unterminatedString("\(quote)"), at: filterPosition(start))
  }

  private mutating func escape() throws(FilterError) -> Unicode.Scalar {
    let start = index
    guard let scalar = scalar(index) else {
      throw FilterError(.escape("the end"), at: filterPosition(start))
    }
    index += 1
    switch scalar {
    case "\\", "\"", "'": return scalar
    case "n": return "\n"
    case "t": return "\t"
    case "u":
      if let scalar = codePoint() { return scalar }
    default: break
    }
    throw FilterError(.escape(found(at: start)), at: filterPosition(start - 1))
  }

  /// Reads the scalar between the braces of `\u{…}`.
  private mutating func codePoint() -> Unicode.Scalar? {
    guard scalar(index) == "{" else { return nil }
    index += 1
    let start = index
    while let scalar = scalar(index), scalar.properties.isASCIIHexDigit { index += 1 }
    guard scalar(index) == "}", (1...8).contains(index - start),
      let number = UInt32(slice(start..<index), radix: 16)
    else { return nil }
    index += 1
    return Unicode.Scalar(number)
  }
}

/// A token of the text of a filter.
enum FilterToken: Equatable {
  /// A name or a keyword, as written.
  case word(String)
  /// A name after `#` or in backquotes, which is never a keyword.
  case name(String)
  case string(String)
  /// The digits of a number.
  case number(String)
  /// An operator or a bracket; also `@count`, `%@` and `%K`.
  case symbol(String)
  case end

  /// The token as text for an error message.
  var phrase: String {
    switch self {
    case .word(let contents), .symbol(let contents): "'\(contents)'"
    case .name(let contents):
      FilterLexer.isWord(contents) ? "'#\(contents)'" : FilterOperand.text(of: [contents])
    case .string(let contents): FilterToken.phrase(contents)
    case .number(let contents): contents
    case .end: FilterError.end
    }
  }

  /// Returns a string in quotation marks, shortened if it is long.
  static func phrase(_ contents: String) -> String {
    let scalars = contents.unicodeScalars
    guard scalars.count > 40 else { return FilterConstant.quoted(contents) }
    return FilterConstant.quoted(String(scalars.prefix(39)) + "…")
  }
}

/// The keywords of the language, which may be written in any case.
enum FilterKeyword: String, CaseIterable {
  case and, or, not, any, all, none
  case beginsWith = "beginswith"
  case endsWith = "endswith"
  case contains, like, matches
  case matchesWords = "matcheswords"
  case isIn = "in"
  case between
  case truePredicate = "truepredicate"
  case falsePredicate = "falsepredicate"
  case `true`, yes
  case `false`, no
  case `nil`, null

  /// Creates the keyword of a word, in any case; nil if the word is not a keyword.
  init?(word: String) {
    guard word.utf8.count <= 14, word.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(rawValue: word.lowercased())
  }

  /// The relation that the keyword means; nil for other keywords.
  var relation: FilterRelation? {
    switch self {
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .contains: .contains
    case .like: .like
    case .matches: .matches
    case .matchesWords: .matchesWords
    case .isIn: .isIn
    case .between: .between
    default: nil
    }
  }

  var quantifier: FilterQuantifier? {
    switch self {
    case .any: .any
    case .all: .all
    case .none: FilterQuantifier.none
    default: nil
    }
  }

  /// The constant that the keyword means; nil for other keywords.
  var constant: FilterConstant? {
    switch self {
    case .true, .yes: FilterConstant(.bool(true))
    case .false, .no: FilterConstant(.bool(false))
    case .nil, .null: .null
    default: nil
    }
  }
}
