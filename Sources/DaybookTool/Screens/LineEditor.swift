/// A line of text that a user types, and the position of the cursor in it.
struct LineEditor: Hashable, Sendable {
  private(set) var contents: String
  /// The number of characters before the cursor.
  private(set) var position: Int

  init(_ contents: String = "") {
    self.contents = contents
    position = contents.count
  }

  /// The text before the cursor.
  var contentsBeforeCursor: String { String(contents.prefix(position)) }

  /// Applies a key.
  ///
  /// - Returns: A Boolean value that indicates whether the key changed the text.
  mutating func apply(_ key: Key) -> Bool {
    let before = contents
    switch key {
    case .character(let character): replace(position..<position, with: String(character))
    case .backspace: replace(max(0, position - 1)..<position, with: "")
    case .delete: replace(position..<min(contents.count, position + 1), with: "")
    case .control("u"): replace(0..<position, with: "")
    case .control("k"): replace(position..<contents.count, with: "")
    case .control("w"): replace(startOfWord..<position, with: "")
    case .left, .control("b"): position = max(0, position - 1)
    case .right, .control("f"): position = min(contents.count, position + 1)
    case .home, .control("a"): position = 0
    case .end, .control("e"): position = contents.count
    default: break
    }
    return contents != before
  }

  /// The position of the start of the word before the cursor.
  private var startOfWord: Int {
    let before = Array(contents.prefix(position))
    let word = before.lastIndex { $0 != " " } ?? -1
    return word < 0 ? 0 : (before[...word].lastIndex(of: " ").map { $0 + 1 } ?? 0)
  }

  private mutating func replace(_ range: Range<Int>, with new: String) {
    let start = contents.index(contents.startIndex, offsetBy: range.lowerBound)
    let end = contents.index(contents.startIndex, offsetBy: range.upperBound)
    // A combining character can join the character before it, so the characters are counted again.
    let (head, tail) = (contents[..<start] + new, contents[end...])
    contents = String(head + tail)
    position = min(contents.count, head.count)
  }
}
