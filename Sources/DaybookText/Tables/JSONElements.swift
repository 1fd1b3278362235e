import DaybookJournal

/// A reader of the elements of a JSON array of any length. Only one element is in memory.
///
/// The reader only finds the end of each element. The caller parses the element.
struct JSONElements {
  private var bytes: TextBytes
  private var isStarted = false
  private var isDone = false

  init(_ pieces: TextPieces, path: String) throws(TextJournalError) {
    bytes = try TextBytes(pieces, path: path)
  }

  /// Returns a parser of the next element; nil after the last one.
  mutating func next() throws(TextJournalError) -> TextReader? {
    guard !isDone else { return nil }
    let isFirst = !isStarted
    isStarted = true
    if isFirst {
      guard try bytes.peekPastSpaces() == UInt8(ascii: "[") else {
        throw bytes.error(at: bytes.position, sentence: "expected an array of objects.")
      }
      _ = try bytes.next()
      guard try bytes.peekPastSpaces() != UInt8(ascii: "]") else { return try end() }
    } else {
      switch try bytes.peekPastSpaces() {
      case UInt8(ascii: ","): _ = try bytes.next()
      case UInt8(ascii: "]"): return try end()
      default:
        throw bytes.error(at: bytes.position, sentence: "expected a comma or the end of the array.")
      }
    }
    _ = try bytes.peekPastSpaces()
    let position = bytes.position
    let element = try element()
    guard !element.isEmpty else {
      throw bytes.error(at: position, sentence: "expected an object.")
    }
    return TextReader(
      LineReader.Line(number: position.line, bytes: ByteView(element)), path: bytes.path,
      column: position.column)
  }

  /// Reads the end of the array. Only spaces may follow.
  private mutating func end() throws(TextJournalError) -> TextReader? {
    _ = try bytes.next()
    guard try bytes.peekPastSpaces() == nil else {
      throw bytes.error(at: bytes.position, sentence: "expected the end after the array.")
    }
    isDone = true
    return nil
  }

  /// Reads the bytes of an element. It ends before a comma or the end of the array, outside of its
  /// strings, objects and arrays.
  private mutating func element() throws(TextJournalError) -> [UInt8] {
    let position = bytes.position
    var element: [UInt8] = []
    var depth = 0
    var isInString = false
    while let byte = try bytes.peek() {
      switch byte {
      case UInt8(ascii: "\\") where isInString:
        element.append(byte)
        _ = try bytes.next()
        guard let escaped = try bytes.peek() else { return element }
        element.append(escaped)
        _ = try bytes.next()
        try bytes.checkSize(element.count, from: position)
        continue
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return element }
        if byte != UInt8(ascii: ",") { depth -= 1 }
      default: break
      }
      element.append(byte)
      _ = try bytes.next()
      try bytes.checkSize(element.count, from: position)
    }
    return element
  }
}
