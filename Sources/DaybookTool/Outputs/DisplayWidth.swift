/// Functions that measure, shorten and escape text for a terminal. Widths are numbers of terminal
/// columns.
enum DisplayWidth {
  /// Returns the width of a text without control characters.
  static func columns(_ string: some StringProtocol) -> Int {
    if isPrintableASCII(string) { return string.utf8.count }
    var width = 0
    for character in string { width += columns(character) }
    return width
  }

  /// Returns whether a text contains only printable ASCII characters. Most texts do, and for them
  /// checking the bytes is much faster than iterating over characters.
  private static func isPrintableASCII(_ string: some StringProtocol) -> Bool {
    string.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  static func columns(_ character: Character) -> Int {
    if character.isASCII { return 1 }
    var widest = 0
    for scalar in character.unicodeScalars {
      // U+FE0F selects the emoji form of the scalar before it, and emoji are two columns wide.
      if scalar.value == 0xFE0F { return 2 }
      widest = max(widest, columns(scalar))
    }
    return widest
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The ranges of scalars that Unicode classifies as wide or fullwidth. A terminal uses two
  /// columns for them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]

  /// Returns a text with escapes for line breaks and for all other characters that move the cursor
  /// or change the terminal.
  ///
  /// Every text that the tool prints passes through this function: ``Output``, ``StandardError``,
  /// ``StyledLine`` and ``Progress`` call it. A function that measures a text, or divides it into
  /// lines, calls it earlier, because a text with escapes is longer. A second call changes nothing.
  static func shown(_ string: String) -> String {
    if isPrintableASCII(string) || !string.unicodeScalars.contains(where: isControl) {
      return string
    }
    var shown = ""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\t": shown += "\\t"
      case "\r": shown += "\\r"
      case _ where isControl(scalar):
        shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F: true
    // The separators of lines and paragraphs.
    case 0x2028, 0x2029: true
    // These characters change the direction of text, which would also affect the rest of the line.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Returns a text, shortened to a width if it is too wide. An ellipsis, or `~` on a plain
  /// terminal, replaces the middle of the text.
  static func shortenedInMiddle(_ string: String, to columnCount: Int, isPlain: Bool) -> String {
    guard columns(string) > columnCount else { return string }
    let sign = isPlain ? "~" : "…"
    let sideCount = max(0, columnCount - 1)
    return prefix(of: string, columnCount: sideCount / 2) + sign
      + String(prefix(of: String(string.reversed()), columnCount: (sideCount + 1) / 2).reversed())
  }

  /// Returns as many characters from the start of a text as fit into a width.
  private static func prefix(of string: String, columnCount: Int) -> String {
    var fitting = ""
    var width = 0
    for character in string {
      width += columns(character)
      guard width <= columnCount else { break }
      fitting.append(character)
    }
    return fitting
  }

  /// Returns a text, shortened to a width if it is too wide. An ellipsis, or `~` on a plain
  /// terminal, replaces the end of the text.
  static func shortened(_ string: String, to columnCount: Int, isPlain: Bool) -> String {
    guard columns(string) > columnCount else { return string }
    return prefix(of: string, columnCount: max(0, columnCount - 1)) + (isPlain ? "~" : "…")
  }
}
