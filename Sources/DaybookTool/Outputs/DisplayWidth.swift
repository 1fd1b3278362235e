/// How many columns of a terminal text takes up.
enum DisplayWidth {
  /// Of a text without control characters.
  static func columns(_ text: some StringProtocol) -> Int {
    if isPrintableASCII(text) { return text.utf8.count }
    var width = 0
    for character in text { width += columns(character) }
    return width
  }

  /// Most texts are of this kind, and to look at their bytes costs a fraction of looking at characters.
  private static func isPrintableASCII(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  static func columns(_ character: Character) -> Int {
    if character.isASCII { return 1 }
    var widest = 0
    for scalar in character.unicodeScalars {
      // What asks for the form of an emoji makes one of what stands before it.
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

  /// The scalars that Unicode calls wide or fullwidth, by their blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]

  /// A text without what would move the cursor or change the terminal, and without line ends.
  static func shown(_ text: String) -> String {
    if isPrintableASCII(text) || !text.unicodeScalars.contains(where: isControl) { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
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
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Marks that turn the direction of what follows them would turn the rest of the table.
    case .format:
      (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: false
    }
  }

  /// Returns a text with its middle replaced by a sign, if it does not fit into some columns.
  static func shortenedInMiddle(_ text: String, to columnCount: Int, isPlain: Bool) -> String {
    guard columns(text) > columnCount else { return text }
    let sign = isPlain ? "~" : "…"
    let sideCount = max(0, columnCount - 1)
    return prefix(of: text, columnCount: sideCount / 2) + sign
      + String(prefix(of: String(text.reversed()), columnCount: (sideCount + 1) / 2).reversed())
  }

  /// Returns the characters at the beginning of a text that fit into some columns.
  private static func prefix(of text: String, columnCount: Int) -> String {
    var kept = ""
    var width = 0
    for character in text {
      width += columns(character)
      guard width <= columnCount else { break }
      kept.append(character)
    }
    return kept
  }

  /// As much of a text as fits into some columns, with a sign at its end if that is not all.
  static func shortened(_ text: String, to columnCount: Int, isPlain: Bool) -> String {
    guard columns(text) > columnCount else { return text }
    return prefix(of: text, columnCount: max(0, columnCount - 1)) + (isPlain ? "~" : "…")
  }
}
