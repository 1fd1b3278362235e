import DaybookPlatform

/// Messages on standard error.
enum StandardError {
  /// Writes lines. Characters that would move the cursor or change the terminal are escaped.
  static func write(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      Terminal.own(DisplayWidth.shown(String($0)), isPlain: Terminal.isPlain)
    }
    put(lines)
  }

  /// Writes an error and the command to try.
  static func write(_ error: any Error) {
    guard let error = error as? ToolError else { return write("\(error)") }
    // The sentence is one line, even if a typed word contains line breaks.
    let sentence = cut(DisplayWidth.shown(error.sentence))
    var lines = [Terminal.own(sentence, isPlain: Terminal.isPlain)]
    lines += error.picture
    if let advice = error.advice { lines.append("try: \(advice)") }
    put(lines)
  }

  /// Returns the start and the end of a sentence that is too long for a screen.
  private static func cut(_ sentence: String) -> String {
    guard sentence.count > 2 * sideCountMax else { return sentence }
    return "\(sentence.prefix(sideCountMax)) … \(sentence.suffix(sideCountMax))"
  }

  private static let sideCountMax = 600

  private static func put(_ lines: [String]) {
    Progress.shared.clear()
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    // If standard error is closed or full, the message is lost.
    try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
  }
}
