import DaybookPlatform

/// The pause of a replay before each transaction except the first.
enum Pace {
  case none
  /// The replay waits for a number of seconds.
  case delay(Double)
  /// The replay waits for a key of the user.
  case keys(KeyReader)

  static let flags: [Verb.Flag] = [
    Verb.Flag(
      name: "--delay", value: "SECONDS", summary: "wait between transactions, for example 0.5"),
    Verb.Flag(
      name: "--step", value: nil, summary: "wait for a key between transactions; q quits"),
  ]

  /// The longest delay: one day.
  private static let delayMax = 86_400.0

  /// Reads the options `--delay` and `--step`.
  init(_ invocation: Invocation) throws(ToolError) {
    let help = "daybook \(invocation.verb.name) --help"
    let delay = invocation.value("--delay")
    guard invocation.switches.contains("--step") else {
      self =
        try delay.map { (argument) throws(ToolError) in
          .delay(try Pace.seconds(argument, help: help))
        }
        ?? .none
      return
    }
    guard delay == nil else {
      throw ToolError(
        .usage, sentence: "--delay and --step cannot be combined; use one of them.",
        advice: help)
    }
    guard let keys = KeyReader() else {
      throw ToolError(
        .usage,
        sentence: "--step reads keys from a terminal, but the process has no terminal.",
        advice: help)
    }
    self = .keys(keys)
  }

  private static func seconds(_ argument: String, help: String) throws(ToolError) -> Double {
    let parts = argument.utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let isNumber = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
    guard isNumber, let seconds = Double(argument), seconds <= delayMax else {
      throw ToolError(
        .usage,
        sentence: "--delay needs seconds from 0 to 86400, for example 0.5; found '\(argument)'.",
        advice: help)
    }
    return seconds
  }

  /// A Boolean value that indicates whether the replay pauses, so that a user can watch it.
  var waits: Bool {
    if case .none = self { return false }
    return true
  }

  /// Flushes the output and pauses.
  ///
  /// - Returns: False if the user ended the replay
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
          try show("press any key to continue, q to quit", on: output, terminal: terminal)
        }
        if terminal.isScreen { try output.control("\r\u{1B}[K") }
        try output.flush()
        switch answer {
        case .end: return false
        case .proceed: return true
        // The signal ends the process, or stops it until the user continues it.
        case .signal(let number):
          SignalPipe.ending.contains(number)
            ? Interruption.shared.raise(number) : Signals.raise(number)
        }
      }
    }
  }

  /// Shows a hint on the last line of the terminal. If the tool cannot overwrite lines, the method
  /// shows nothing, because the hint would stay there.
  private func show(_ hint: String, on output: Output, terminal: Terminal) throws {
    if terminal.isScreen {
      try output.start(StyledLine(hint, style: terminal.usesColor ? .dim : .plain))
    }
    try output.flush()
  }
}

extension Terminal {
  /// A Boolean value that indicates whether the tool can overwrite lines of the output.
  var isScreen: Bool { columnCount != nil && !isPlain }
}
