import DaybookPlatform

/// How a replay waits before each transaction but the first.
enum Pace {
  case none
  /// For so many seconds.
  case delay(Double)
  /// For a key.
  case keys(KeyReader)

  static let flags: [Verb.Flag] = [
    Verb.Flag(
      name: "--delay", value: "SECONDS", summary: "how long to wait between transactions, as 0.5"),
    Verb.Flag(
      name: "--step", value: nil, summary: "wait for a key between transactions; q ends"),
  ]

  /// The longest delay: a day.
  private static let delayMax = 86_400.0

  /// What the flags say.
  init(_ invocation: Invocation) throws(ToolError) {
    let help = "daybook \(invocation.verb.name) --help"
    let delay = invocation.value("--delay")
    guard invocation.switches.contains("--step") else {
      self =
        try delay.map { (text) throws(ToolError) in .delay(try Pace.seconds(text, help: help)) }
        ?? .none
      return
    }
    guard delay == nil else {
      throw ToolError(
        .misunderstood, sentence: "'--delay' and '--step' are two ways to wait, and one is enough.",
        advice: help)
    }
    guard let keys = KeyReader() else {
      throw ToolError(
        .misunderstood,
        sentence: "'--step' waits for keys, and there is no terminal to read them from.",
        advice: help)
    }
    self = .keys(keys)
  }

  private static func seconds(_ text: String, help: String) throws(ToolError) -> Double {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
    guard isNumber, let seconds = Double(text), seconds <= delayMax else {
      throw ToolError(
        .misunderstood,
        sentence: "'--delay' takes seconds from 0 to 86400, as 0.5, and '\(text)' is none.",
        advice: help)
    }
    return seconds
  }

  /// Whether it waits at all, so that somebody may be looking.
  var waits: Bool {
    if case .none = self { return false }
    return true
  }

  /// Shows what there is and waits.
  ///
  /// - Returns: Whether to go on.
  func goesOn(_ output: Output, on terminal: Terminal) throws -> Bool {
    switch self {
    case .none: return true
    case .delay(let seconds):
      try output.flush()
      SystemThread.sleep(seconds: seconds)
      return true
    case .keys(let keys):
      while true {
        let answer = try keys.answer {
          try show(terminal.hint("any key goes on, q ends"), on: output)
        }
        try show(terminal.hintEnd, on: output)
        switch answer {
        case .end: return false
        case .goOn: return true
        // What it does ends the process, or stops it until it is told to go on.
        case .signal(let number): Signals.raise(number)
        }
      }
    }
  }

  private func show(_ text: String, on output: Output) throws {
    try output.write(Array(text.utf8))
    try output.flush()
  }
}

extension Terminal {
  /// Whether it is one on which lines can be written over.
  var isScreen: Bool { columnCount != nil && !isPlain }

  /// What stands in the last line until it is written over; nothing where it could not be.
  fileprivate func hint(_ text: String) -> String {
    guard isScreen else { return "" }
    return usesColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text
  }

  /// What takes a hint away.
  fileprivate var hintEnd: String { isScreen ? "\r\u{1B}[K" : "" }
}
