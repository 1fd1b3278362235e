import DaybookStore

/// A parser for the text of a filter, by recursive descent. `Filter.init(_:arguments:)` creates a
/// parser for each text.
///
/// ```
/// filter      = and { OR and }
/// and         = condition { AND condition }
/// condition   = NOT condition | "(" filter ")" | TRUEPREDICATE | FALSEPREDICATE | comparison
/// comparison  = [ ANY | ALL | NONE ] operand relation [ "[" c, d or cd "]" ] operand
/// operand     = path | value | list
/// path        = ( name | %K ) { "." name } [ ".@count" ] | total
/// total       = "@count" | "@sum" "." name { "." name }, and so on, in conditions on groups
/// list        = "{" [ value { "," value } ] "}" | "(" [ value { "," value } ] ")"
/// value       = string | number | true | false | nil | %@
/// name        = word | "#" word | "#" string | "`" text "`"
/// ```
struct FilterParser {
  /// The largest nesting depth of parentheses and `NOT`.
  static let nestingMax = 100

  private var lexer: FilterLexer
  private let arguments: [AttributeValue]
  private var argumentCount = 0
  private var token = FilterToken.end
  private var position = FilterPosition()
  private var depth = 0

  init(_ source: String, arguments: [AttributeValue]) {
    lexer = FilterLexer(source)
    self.arguments = arguments
  }

  /// Reads the whole text.
  mutating func filter() throws(FilterError) -> Filter {
    try advance()
    let filter = try disjunction()
    guard token == .end else { throw expected("AND, OR or the end") }
    guard argumentCount == arguments.count else {
      throw FilterError(
        .argumentsLeft(count: arguments.count, used: argumentCount),
        at: FilterPosition(lexer.source))
    }
    return filter
  }

  /// Reads the next token.
  private mutating func advance() throws(FilterError) { (token, position) = try lexer.next() }

  /// Returns the error for a token that the syntax does not allow here.
  private func expected(_ what: String) -> FilterError {
    FilterError(.expected(what, found: token.phrase), at: position)
  }

  /// The keyword that the next token means; nil if the next token is not a keyword.
  private var keyword: FilterKeyword? {
    if case .word(let word) = token { FilterKeyword(word: word) } else { nil }
  }

  /// Moves past a symbol, or past a keyword with the same meaning. If the next token is neither of
  /// them, returns false and does not move.
  private mutating func consume(
    _ symbol: String? = nil, or keyword: FilterKeyword? = nil
  ) throws(FilterError) -> Bool {
    guard
      symbol.map({ token == .symbol($0) }) ?? false
        || keyword != nil && keyword == self.keyword
    else { return false }
    try advance()
    return true
  }

  // MARK: Conditions

  /// Reads conditions that are joined by OR.
  private mutating func disjunction() throws(FilterError) -> Filter {
    var parts = [try conjunction()]
    while try consume("||", or: .or) { parts.append(try conjunction()) }
    return .any(of: parts)
  }

  /// Reads conditions that are joined by AND.
  private mutating func conjunction() throws(FilterError) -> Filter {
    var parts = [try condition()]
    while try consume("&&", or: .and) { parts.append(try condition()) }
    return .all(of: parts)
  }

  /// Reads a condition: a negation, a filter in parentheses, a constant condition, or a comparison.
  private mutating func condition() throws(FilterError) -> Filter {
    let start = position
    if try consume("!", or: .not) {
      try descend(start)
      let filter = try condition()
      depth -= 1
      return !filter
    }
    if try consume("(") {
      try descend(start)
      let filter = try disjunction()
      depth -= 1
      guard try consume(")") else { throw expected("AND, OR or ')'") }
      return filter
    }
    if try consume(or: .truePredicate) { return .always }
    if try consume(or: .falsePredicate) { return .never }
    return try comparison()
  }

  /// Increases the nesting depth. Throws an error if it exceeds the limit, because each level needs
  /// stack memory.
  private mutating func descend(_ position: FilterPosition) throws(FilterError) {
    depth += 1
    guard depth <= FilterParser.nestingMax else {
      throw FilterError(.nesting(max: FilterParser.nestingMax), at: position)
    }
  }

  // MARK: Comparisons

  /// Reads a comparison.
  private mutating func comparison() throws(FilterError) -> Filter {
    let quantifier = keyword?.quantifier
    if quantifier != nil { try advance() }
    let left = try operand(
      quantifier == nil ? "a condition" : "a path after \(quantifier?.rawValue ?? "")")
    let relationPosition = position
    let relation = try relation(after: left)
    let options = try relation.takesOptions ? options() : []
    let takesList = relation == .isIn || relation == .between
    let right = try operand(
      takesList ? "a list or a path" : "a value or a path", isListInParentheses: takesList)
    var comparison = FilterComparison(
      left, relation: relation, right: right, options: options, quantifier: quantifier)
    comparison.position = relationPosition
    return Filter(comparison)
  }

  /// Reads the operator of a comparison, after its left operand.
  private mutating func relation(
    after left: FilterOperand
  ) throws(FilterError) -> FilterRelation {
    let relation: FilterRelation? =
      switch token {
      case .symbol("=="), .symbol("="): .equal
      case .symbol("!="), .symbol("<>"): .notEqual
      case .symbol("<"): .less
      case .symbol("<="): .lessOrEqual
      case .symbol(">"): .greater
      case .symbol(">="): .greaterOrEqual
      default: keyword?.relation
      }
    guard let relation else { throw noOperator(after: left) }
    try advance()
    return relation
  }

  /// Returns the error for a token that is not an operator. If a word follows an attribute, the two
  /// may be one name with a space.
  private mutating func noOperator(after left: FilterOperand) -> FilterError {
    guard case .path(let names) = left.content, var name = names.last, FilterLexer.isWord(name),
      case .word = token, keyword == nil
    else { return expected("an operator") }
    let (found, start) = (token.phrase, position)
    while case .word(let word) = token, keyword == nil {
      name += " \(word)"
      // An error in the rest of the text is not the first one.
      guard (try? advance()) != nil else { break }
    }
    return FilterError(.spaceInName(name, found: found), at: start)
  }

  /// Reads the options in brackets after an operator; returns no options if there are no brackets.
  private mutating func options() throws(FilterError) -> TextOptions {
    guard try consume("[") else { return [] }
    let options: TextOptions
    switch token {
    case .word("c"), .word("C"): options = .ignoringCase
    case .word("d"), .word("D"): options = .ignoringDiacritics
    case .word(let word) where word.lowercased() == "cd" || word.lowercased() == "dc":
      options = [.ignoringCase, .ignoringDiacritics]
    default: throw expected("c, d or cd")
    }
    try advance()
    guard try consume("]") else { throw expected("']'") }
    return options
  }

  // MARK: Operands

  /// Reads an operand: a list, a constant, or a path.
  ///
  /// - Parameter isListInParentheses: A Boolean value that indicates whether a list may also be in
  ///   parentheses, as after `IN`.
  private mutating func operand(
    _ what: String, isListInParentheses: Bool = false
  ) throws(FilterError) -> FilterOperand {
    let start = position
    if token == .symbol("{") || isListInParentheses && token == .symbol("(") {
      return FilterOperand(.constant(try list()), position: start)
    }
    if let constant = try constant() { return FilterOperand(.constant(constant), position: start) }
    switch token {
    case .word where keyword == nil, .name, .symbol("%K"): return try path(start)
    case .symbol(let mark) where mark.hasPrefix("@"): return try path(start)
    default: throw expected(what)
    }
  }

  /// Reads a path, and records for each name its column in the text, for error messages.
  private mutating func path(_ start: FilterPosition) throws(FilterError) -> FilterOperand {
    var start = start
    let isArgument = token == .symbol("%K")
    var names = try names()
    if isArgument, names.count > 1, names.last == "@count" {
      return FilterOperand(.count(names.dropLast()), position: start)
    }
    start.nameColumns = names.map { _ in start.column ?? 1 }
    while try consume(".") {
      if try consume("@count") { return FilterOperand(.count(names), position: start) }
      if case .symbol(let mark) = token, mark.hasPrefix("@") {
        throw FilterError(.expected("@count", found: "'\(mark)'"), at: position)
      }
      switch token {
      case .word(let name), .name(let name): names.append(name)
      default: throw expected("a name or @count after '.'")
      }
      start.nameColumns.append(position.column ?? 1)
      try advance()
    }
    return FilterOperand(.path(names), position: start)
  }

  /// Reads the first name of a path. For a `%K`, reads all names of its argument, which is a path
  /// such as `details.amount`.
  private mutating func names() throws(FilterError) -> [String] {
    let names: [String]
    switch token {
    case .word(let name), .name(let name): names = [name]
    case .symbol(let mark) where mark.hasPrefix("@"): names = [mark]
    default:
      guard case .string(let joined) = try argument() else {
        throw FilterError(.argumentNotKeyPath(argumentCount), at: position)
      }
      names = joined.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
      guard !names.contains("") else {
        throw FilterError(.argumentNotKeyPath(argumentCount), at: position)
      }
    }
    try advance()
    return names
  }

  /// Reads a list of constants in braces or parentheses.
  private mutating func list() throws(FilterError) -> FilterConstant {
    let end = token == .symbol("{") ? "}" : ")"
    try advance()
    var values: [AttributeValue] = []
    if try consume(end) { return FilterConstant(.array([])) }
    while true {
      let start = position
      guard let constant = try constant() else { throw expected("a value") }
      guard !constant.isList else {
        throw FilterError(.expected("a value", found: "a list"), at: start)
      }
      values.append(constant.value)
      if try consume(end) { return FilterConstant(.array(values)) }
      guard try consume(",") else { throw expected("',' or '\(end)'") }
    }
  }

  /// Reads a constant; returns nil if the next token is not a constant.
  private mutating func constant() throws(FilterError) -> FilterConstant? {
    let constant: FilterConstant
    switch token {
    case .string(let string): constant = FilterConstant(.string(string))
    case .number(let literal):
      do {
        constant = try FilterConstant(number: literal)
      } catch { throw FilterError(.number(literal, problem: error.sentence), at: position) }
    case .symbol("%@"):
      let value = try argument()
      if case .array(let values) = value,
        values.contains(where: { if case .array = $0 { true } else { false } })
      {
        throw FilterError(.argumentNotConstant(argumentCount), at: position)
      }
      constant = FilterConstant(value)
    default:
      guard let named = keyword?.constant else { return nil }
      constant = named
    }
    try advance()
    return constant
  }

  /// Returns the next argument, for a `%@` or `%K`.
  private mutating func argument() throws(FilterError) -> AttributeValue {
    argumentCount += 1
    guard argumentCount <= arguments.count else {
      throw FilterError(.argumentMissing(argumentCount), at: position)
    }
    return arguments[argumentCount - 1]
  }
}
