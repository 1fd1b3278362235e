import DaybookStore

/// An error in a pattern.
package struct PatternProblem: Error, Hashable {
  /// The column of the error, from 1, in Unicode scalars of the pattern.
  package var column: Int
  package var sentence: String

  package init(column: Int, _ sentence: String) {
    self.column = column
    self.sentence = sentence
  }
}

/// The syntax tree of a pattern.
indirect enum MatchNode {
  /// The largest number of instructions of a pattern after its repetitions are expanded. Each
  /// scalar of a string can take time in proportion to this number.
  static let instructionCountMax = 2_000
  /// The largest nesting depth of groups.
  static let nestingMax = 100

  case scalar(Unicode.Scalar)
  case anyButNewline
  case one(ScalarClass)
  case start
  case end
  case sequence([MatchNode])
  case alternatives([MatchNode])
  case repeated(MatchNode, least: Int, most: Int?)
}

/// A parser for the pattern of `MATCHES`, by recursive descent.
struct MatchPatternParser {
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0

  init(_ pattern: String) {
    scalars = Array(NormalizedText.text(of: pattern).unicodeScalars)
  }

  private func problem(_ sentence: String, at index: Int) -> PatternProblem {
    PatternProblem(column: index + 1, sentence)
  }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    index += 1
    return true
  }

  /// Reads the whole pattern.
  mutating func pattern() throws(PatternProblem) -> MatchNode {
    let node = try alternatives()
    guard next == nil else { throw problem("')' has no matching '('.", at: index) }
    return node
  }

  /// Reads sequences that are separated by `|`.
  private mutating func alternatives() throws(PatternProblem) -> MatchNode {
    var nodes = [try sequence()]
    while consume("|") { nodes.append(try sequence()) }
    return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
  }

  /// Reads the parts of a sequence, each with its repetition.
  private mutating func sequence() throws(PatternProblem) -> MatchNode {
    var nodes: [MatchNode] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let start = index
      let node = try atom()
      nodes.append(try repetition(of: node, from: start))
    }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  // MARK: Repetitions

  /// Reads the repetition after a part, and returns the repeated part; the part itself if there is
  /// no repetition.
  private mutating func repetition(
    of node: MatchNode, from start: Int
  ) throws(PatternProblem) -> MatchNode {
    let sign = index
    guard let (least, most) = try bounds() else { return node }
    switch node {
    case .start, .end: throw problem("'^' and '$' cannot be repeated.", at: sign)
    default: break
    }
    _ = consume("?")
    if next == "+" {
      throw problem("possessive repetitions are not supported.", at: index)
    }
    let again = index
    if try bounds() != nil { throw problem("a repetition cannot be repeated.", at: again) }
    return .repeated(node, least: least, most: most)
  }

  /// Reads `*`, `+`, `?` or the bounds in braces; returns nil if none of them is next.
  private mutating func bounds() throws(PatternProblem) -> (least: Int, most: Int?)? {
    if consume("*") { return (0, nil) }
    if consume("+") { return (1, nil) }
    if consume("?") { return (0, 1) }
    let start = index
    guard consume("{") else { return nil }
    let least = number()
    var most = least
    if consume(",") { most = next == "}" ? nil : number() }
    let isOpen = most == nil && scalars[index - 1] == ","
    guard let least, isOpen || most != nil, consume("}") else {
      throw problem("expected {n}, {n,} or {n,m}; write a literal '{' as \\{.", at: start)
    }
    if let most, most < least {
      throw problem(
        "the repetition has a minimum of \(least), above its maximum of \(most).", at: start)
    }
    guard max(least, most ?? 0) <= MatchNode.instructionCountMax else {
      throw problem(
        "a repetition count can be at most \(MatchNode.instructionCountMax).", at: start)
    }
    return (least, most)
  }

  private mutating func number() -> Int? {
    var number: Int?
    while let scalar = next, ("0"..."9").contains(scalar) {
      number = min((number ?? 0) * 10 + Int(scalar.value - 48), 1 << 40)
      index += 1
    }
    return number
  }

  // MARK: Atoms

  /// Reads one part: a scalar, a class, an anchor, or a group.
  private mutating func atom() throws(PatternProblem) -> MatchNode {
    let start = index
    guard let scalar = next else { return .sequence([]) }
    index += 1
    switch scalar {
    case ".": return .anyButNewline
    case "^": return .start
    case "$": return .end
    case "[": return .one(try scalarClass(from: start))
    case "(": return try group(from: start)
    case "\\": return try escaped(from: start)
    case "*", "+", "?", "{":
      throw problem(
        "nothing precedes '\(scalar)' that it can repeat; write a literal '\(scalar)' as \\\(scalar).",
        at: start)
    case "]", "}":
      throw problem(
        "'\(scalar)' has no matching '\(scalar == "]" ? "[" : "{")'; "
          + "write a literal '\(scalar)' as \\\(scalar).", at: start)
    default: return .scalar(scalar)
    }
  }

  /// Reads a group after its opening parenthesis.
  private mutating func group(from start: Int) throws(PatternProblem) -> MatchNode {
    if consume("?"), !consume(":") {
      throw problem("of the groups that start with '(?', only (?:…) is supported.", at: start)
    }
    depth += 1
    guard depth <= MatchNode.nestingMax else {
      throw problem(
        "groups are nested too deeply; the limit is \(MatchNode.nestingMax) levels.", at: start)
    }
    let node = try alternatives()
    depth -= 1
    guard consume(")") else { throw problem("'(' is not closed.", at: start) }
    return node
  }

  /// Reads a class or a scalar after a backslash.
  private mutating func escaped(from start: Int) throws(PatternProblem) -> MatchNode {
    if let kind = kind() {
      var scalars = ScalarClass()
      scalars.kinds = [kind.kind]
      scalars.isNegated = kind.isNegated
      return .one(scalars)
    }
    return .scalar(try escapedScalar(from: start))
  }

  /// Reads the kind of scalars that the letter after a backslash means; returns nil for other
  /// letters.
  private mutating func kind() -> (kind: ScalarClass.Kind, isNegated: Bool)? {
    let kind: (ScalarClass.Kind, Bool)
    switch next {
    case "d": kind = (.digit, false)
    case "D": kind = (.digit, true)
    case "w": kind = (.word, false)
    case "W": kind = (.word, true)
    case "s": kind = (.space, false)
    case "S": kind = (.space, true)
    default: return nil
    }
    index += 1
    return kind
  }

  /// Reads the scalar that an escape means.
  private mutating func escapedScalar(from start: Int) throws(PatternProblem) -> Unicode.Scalar {
    guard let scalar = next else {
      throw problem("the pattern ends after '\\'; write a literal '\\' as \\\\.", at: start)
    }
    index += 1
    switch scalar {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "u":
      if let scalar = codePoint() { return scalar }
      throw problem("expected \\u{…} with one to eight hexadecimal digits.", at: start)
    case "a"..."z", "A"..."Z", "0"..."9": throw problem("\\\(scalar) is not supported.", at: start)
    default: return scalar
    }
  }

  private mutating func codePoint() -> Unicode.Scalar? {
    guard consume("{") else { return nil }
    var value: UInt32 = 0
    var count = 0
    while let scalar = next, let digit = Character(scalar).hexDigitValue, scalar.isASCII, count < 8
    {
      value = value << 4 | UInt32(digit)
      count += 1
      index += 1
    }
    return consume("}") && count > 0 ? Unicode.Scalar(value) : nil
  }

  // MARK: Brackets

  /// Reads a class of scalars after its opening bracket.
  private mutating func scalarClass(from start: Int) throws(PatternProblem) -> ScalarClass {
    var scalars = ScalarClass()
    scalars.isNegated = consume("^")
    guard next != "]" else {
      throw problem("the brackets are empty; write a literal ']' as \\].", at: start)
    }
    while !consume("]") {
      let memberIndex = index
      guard let first = next else { throw problem("'[' is not closed.", at: start) }
      index += 1
      if first == "\\", let (kind, isNegated) = kind() {
        if isNegated { scalars.otherThanKinds.append(kind) } else { scalars.kinds.append(kind) }
        continue
      }
      let low = try member(first, at: memberIndex)
      guard next == "-", index + 1 < self.scalars.count, self.scalars[index + 1] != "]" else {
        scalars.ranges.append(low.value...low.value)
        continue
      }
      index += 1
      let highIndex = index
      guard let last = next else { throw problem("'[' is not closed.", at: start) }
      index += 1
      let high = try member(last, at: highIndex)
      guard low <= high else {
        throw problem("the range \(low)-\(high) starts after its end.", at: memberIndex)
      }
      scalars.ranges.append(low.value...high.value)
    }
    return scalars
  }

  /// Returns a scalar in brackets, which may be escaped.
  private mutating func member(
    _ scalar: Unicode.Scalar, at start: Int
  ) throws(PatternProblem) -> Unicode.Scalar {
    if scalar == "\\" { return try escapedScalar(from: start) }
    if scalar == "[" || scalar == "&" && next == "&" {
      throw problem("in brackets, write a literal '\(scalar)' as \\\(scalar).", at: start)
    }
    return scalar
  }
}
