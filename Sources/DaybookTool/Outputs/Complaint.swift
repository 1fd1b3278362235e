import DaybookPlatform

/// What is said on standard error.
enum Complaint {
  /// Writes lines. What would move the cursor or change the terminal is shown escaped.
  static func write(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      Terminal.own(DisplayWidth.shown(String($0)), isPlain: Terminal.isPlain)
    }
    put(lines)
  }

  /// Writes what happened, and what to try.
  static func write(_ error: any Error) {
    guard let error = error as? ToolError else { return write("\(error)") }
    // The sentence is one line, whatever the words in it are.
    let sentence = cut(DisplayWidth.shown(error.sentence))
    var lines = [Terminal.own(sentence, isPlain: Terminal.isPlain)]
    lines += error.picture
    if let advice = error.advice { lines.append("try: \(advice)") }
    put(lines)
  }

  /// A sentence with a word in it that fills a screen, as its beginning and its end.
  private static func cut(_ sentence: String) -> String {
    guard sentence.count > 2 * sideCountMax else { return sentence }
    return "\(sentence.prefix(sideCountMax)) … \(sentence.suffix(sideCountMax))"
  }

  private static let sideCountMax = 600

  private static func put(_ lines: [String]) {
    Progress.shared.clear()
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    // Where standard error is closed or full there is nobody to tell.
    try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
  }
}
