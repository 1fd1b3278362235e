import DaybookPlatform
import Synchronization

/// Functions that write messages to standard error.
//
// Shared state: `held`, guarded by its mutex.
enum StandardError {
  /// The bytes of messages that are written later; nil if messages are written at once.
  private static let held = Mutex<[UInt8]?>(nil)

  /// Holds all messages until ``release()``, while a pager or the browser uses the terminal.
  static func hold() { held.withLock { $0 = $0 ?? [] } }

  /// Writes the held messages.
  static func release() {
    guard let bytes = held.withLock({ $0.take() }), !bytes.isEmpty else { return }
    try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
  }

  /// Writes lines. Characters that move the cursor or change the terminal are escaped.
  static func write(_ message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map {
      Terminal.own(String($0), isPlain: Terminal.isPlain)
    }
    put(lines)
  }

  /// Writes a question. The user types the answer on the same line.
  static func ask(_ question: String) {
    try? FileDescriptor.standardError.writeAll(Array(DisplayWidth.shown(question).utf8).span.bytes)
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

  /// Returns a text in which the passwords of URLs are replaced by asterisks.
  ///
  /// A password that contains a slash or an at sign without a percent code is hidden too. So the
  /// text up to the last at sign of a word counts as the password.
  static func withoutPasswords(_ message: String) -> String {
    guard message.contains("://") else { return message }
    return message.replacing(/:\/\/([^\s:\/@]*):\S*@/) { "://\($0.1):***@" }
      .replacing(/([?&](?:ssl)?password=)[^\s&'"]*/) { "\($0.1)***" }
  }

  private static func put(_ lines: [String]) {
    let output = lines.map { DisplayWidth.shown($0) + "\n" }.joined()
    let bytes = Array(withoutPasswords(output).utf8)
    let isHeld = held.withLock { held in
      held?.append(contentsOf: bytes)
      return held != nil
    }
    if isHeld { return }
    Progress.shared.clear()
    // If standard error cannot be written, the message is lost, because there is no other place to
    // report it.
    try? FileDescriptor.standardError.writeAll(bytes.span.bytes)
  }
}
