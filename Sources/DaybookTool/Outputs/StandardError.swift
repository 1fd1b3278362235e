import DaybookPlatform

/// Functions that write messages to standard error.
enum StandardError {
  /// Writes lines. Characters that move the cursor or change the terminal are escaped.
  static func write(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      Terminal.own(DisplayWidth.shown(String($0)), isPlain: Terminal.isPlain)
    }
    put(lines)
  }

  /// Writes an error and, if the error has advice, the command that the user can try.
  static func write(_ error: any Error) {
    guard let error = error as? ToolError else { return write("\(error)") }
    // Escapes keep the sentence in one line, even if it contains a typed word with line breaks.
    let sentence = cut(DisplayWidth.shown(error.sentence))
    var lines = [Terminal.own(sentence, isPlain: Terminal.isPlain)]
    lines += error.picture
    if let advice = error.advice { lines.append("try: \(advice)") }
    put(lines)
  }

  /// Returns a sentence. If it is too long for a screen, its middle is left out.
  private static func cut(_ sentence: String) -> String {
    guard sentence.count > 2 * sideCountMax else { return sentence }
    return "\(sentence.prefix(sideCountMax)) … \(sentence.suffix(sideCountMax))"
  }

  private static let sideCountMax = 600

  private static func put(_ lines: [String]) {
    Progress.shared.clear()
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    // If standard error cannot be written, the message is lost, because there is no other place to
    // report it.
    try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
  }
}
