/// The pattern of `MATCHES`: a regular expression that must match the whole string.
///
/// | syntax                      | matches                                                  |
/// | --------------------------- | -------------------------------------------------------- |
/// | `a`, `\.`, `\n \t \r \u{…}` | that scalar; `\` before any ASCII but letters and digits |
/// | `.`                         | any scalar but a newline (U+000A)                        |
/// | `[a-z_]`, `[^a-z]`          | one of these scalars; any scalar but these               |
/// | `\d \w \s`, `\D \W \S`      | a digit, a part of a word, white space; all others       |
/// | `(…)`, `(?:…)`, `\|`        | groups, alternatives                                     |
/// | `* + ? {n} {n,} {n,m}`      | repetition; a `?` after it changes nothing               |
/// | `^`, `$`                    | the start and the end of the string                      |
///
/// All other syntax is refused, for two reasons. Back references and look-around may take more than
/// linear time. Engines of regular expressions interpret other constructs differently.
///
/// The pattern is compiled to a program by Thompson's construction. The evaluation reads the string
/// once, and keeps the set of all states of the program that are possible after each scalar. So the
/// time is at most the product of the lengths of the string and the program. The length of the
/// program is limited.
package struct MatchPattern: Sendable {
  /// An instruction of the program. The index of an instruction is a *state* of the evaluation.
  enum Instruction: Sendable {
    case scalar(UInt32)
    case anyButNewline
    case one(ScalarClass)
    /// Continues at both instructions.
    case fork(Int, Int)
    case go(Int)
    case start
    case end
    case accept
  }

  let program: [Instruction]

  /// Reads a pattern.
  package init(_ pattern: String, options: TextOptions) throws(PatternProblem) {
    var parser = MatchPatternParser(pattern)
    let node = try parser.pattern()
    var writer = Writer(options: options)
    try writer.append(node)
    program = writer.program + [.accept]
  }

  /// Returns whether a string matches as a whole. The caller has already folded the string by the
  /// options of the pattern.
  ///
  /// - Complexity: O(*n* · *m*) for a string of *n* scalars and a program of *m* instructions
  func matches(_ string: RawSpan) -> Bool {
    var (current, next) = (StateSet(program.count), StateSet(program.count))
    var stack: [Int] = []
    var offset = 0
    follow(0, into: &current, stack: &stack, isBegin: true, isEnd: string.byteCount == 0)
    while offset < string.byteCount {
      if current.states.isEmpty { return false }
      let (scalar, end) = string.scalar(at: offset)
      next.removeAll()
      for state in current.states {
        let isTaken =
          switch program[state] {
          case .scalar(let expected): expected == scalar
          case .anyButNewline: scalar != 10
          case .one(let scalars): scalars.contains(scalar)
          case .fork, .go, .start, .end, .accept: false
          }
        guard isTaken else { continue }
        follow(
          state + 1, into: &next, stack: &stack, isBegin: false, isEnd: end == string.byteCount)
      }
      swap(&current, &next)
      offset = end
    }
    return current.contains(program.count - 1)
  }

  /// Adds a state, and all states that the program reaches from it without reading a scalar.
  private func follow(
    _ state: Int, into set: inout StateSet, stack: inout [Int], isBegin: Bool, isEnd: Bool
  ) {
    stack.append(state)
    while let state = stack.popLast() {
      guard set.insert(state) else { continue }
      switch program[state] {
      case .fork(let one, let other):
        stack.append(other)
        stack.append(one)
      case .go(let target): stack.append(target)
      case .start: if isBegin { stack.append(state + 1) }
      case .end: if isEnd { stack.append(state + 1) }
      case .scalar, .anyButNewline, .one, .accept: break
      }
    }
  }

  /// A set of states. Removing all states takes constant time: it only increases the generation.
  private struct StateSet {
    private(set) var states: [Int] = []
    private var generations: [Int]
    private var generation = 1

    init(_ count: Int) { generations = Array(repeating: 0, count: count) }

    mutating func insert(_ state: Int) -> Bool {
      guard generations[state] != generation else { return false }
      generations[state] = generation
      states.append(state)
      return true
    }

    func contains(_ state: Int) -> Bool { generations[state] == generation }

    mutating func removeAll() {
      states.removeAll(keepingCapacity: true)
      generation += 1
    }
  }
}

extension MatchPattern {
  /// A writer for the program of a pattern.
  private struct Writer {
    let options: TextOptions
    var program: [Instruction] = []
    /// The number of parts of the pattern that were written, including parts without an
    /// instruction. The count limits the time for patterns such as repeated empty groups.
    private var stepCount = 0

    init(options: TextOptions) { self.options = options }

    /// Writes the instructions for a part of the pattern.
    mutating func append(_ node: MatchNode) throws(PatternProblem) {
      stepCount += 1
      guard max(stepCount, program.count) <= MatchNode.instructionCountMax else {
        throw PatternProblem(
          column: 1,
          "it has more than \(MatchNode.instructionCountMax) steps, counted with its repetitions "
            + "expanded.")
      }
      switch node {
      case .scalar(let scalar):
        let bytes = FoldedText.bytes(of: String(scalar), options: options)
        program += String(decoding: bytes, as: UTF8.self).unicodeScalars.map { .scalar($0.value) }
      case .anyButNewline: program.append(.anyButNewline)
      case .one(let scalars):
        program.append(.one(options.isEmpty ? scalars : scalars.folded(options)))
      case .start: program.append(.start)
      case .end: program.append(.end)
      case .sequence(let nodes): for node in nodes { try append(node) }
      case .alternatives(let nodes): try appendAlternatives(nodes)
      case .repeated(let node, let least, let most):
        for _ in 0..<least { try append(node) }
        try appendRepetition(node, upTo: most.map { $0 - least })
      }
    }

    /// Writes a fork, and returns its index. The caller sets the second target of the fork later.
    private mutating func appendFork() -> Int {
      program.append(.fork(program.count + 1, program.count + 1))
      return program.count - 1
    }

    /// Sets the second target of a fork to the instruction that will be written next.
    private mutating func land(_ fork: Int) { program[fork] = .fork(fork + 1, program.count) }

    /// Writes alternatives: before each one but the last, a fork to the next one; after each one
    /// but the last, a jump to the end.
    private mutating func appendAlternatives(_ nodes: [MatchNode]) throws(PatternProblem) {
      var ends: [Int] = []
      for node in nodes.dropLast() {
        let fork = appendFork()
        try append(node)
        ends.append(program.count)
        program.append(.go(0))
        land(fork)
      }
      if let last = nodes.last { try append(last) }
      for end in ends { program[end] = .go(program.count) }
    }

    /// Writes a part that may be repeated up to a number of times; nil for any number of times.
    private mutating func appendRepetition(
      _ node: MatchNode, upTo count: Int?
    ) throws(PatternProblem) {
      guard let count else {
        let fork = appendFork()
        try append(node)
        program.append(.go(fork))
        return land(fork)
      }
      var forks: [Int] = []
      for _ in 0..<count {
        forks.append(appendFork())
        try append(node)
      }
      for fork in forks { land(fork) }
    }
  }
}
