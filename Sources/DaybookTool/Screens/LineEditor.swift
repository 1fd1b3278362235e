/// A line of text that a user types, and the position of the cursor in it.
struct LineEditor: Hashable, Sendable {
  private(set) var text: String
  /// The number of characters before the cursor.
  private(set) var position: Int

  init(_ text: String = "") {
    self.text = text
    position = text.count
  }

  /// The text before the cursor.
  var textBeforeCursor: String { String(text.prefix(position)) }

  /// Applies a key.
  ///
  /// - Returns: A Boolean value that indicates whether the key changed the text.
  mutating func apply(_ key: Key) -> Bool {
    let before = text
    switch key {
    case .character(let character): replace(position..<position, with: String(character))
    case .backspace: replace(max(0, position - 1)..<position, with: "")
    case .delete: replace(position..<min(text.count, position + 1), with: "")
    case .control("u"): replace(0..<position, with: "")
    case .control("k"): replace(position..<text.count, with: "")
    case .control("w"): replace(startOfWord..<position, with: "")
    case .left, .control("b"): position = max(0, position - 1)
    case .right, .control("f"): position = min(text.count, position + 1)
    case .home, .control("a"): position = 0
    case .end, .control("e"): position = text.count
    default: break
    }
    return text != before
  }

  /// The position of the start of the word before the cursor.
  private var startOfWord: Int {
    let before = Array(text.prefix(position))
    let word = before.lastIndex { $0 != " " } ?? -1
    return word < 0 ? 0 : (before[...word].lastIndex(of: " ").map { $0 + 1 } ?? 0)
  }

  private mutating func replace(_ range: Range<Int>, with new: String) {
    let start = text.index(text.startIndex, offsetBy: range.lowerBound)
    let end = text.index(text.startIndex, offsetBy: range.upperBound)
    // A combining character can join the character before it, so the characters are counted again.
    let (head, tail) = (text[..<start] + new, text[end...])
    text = String(head + tail)
    position = min(text.count, head.count)
  }
}
