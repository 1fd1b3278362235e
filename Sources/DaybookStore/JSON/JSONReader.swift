import DaybookJournal

/// A reader that reads one JSON text token by token. It accepts the texts of RFC 8259 with two
/// exceptions: nesting deeper than ``depthMax``, and an escape of only one half of a surrogate
/// pair.
///
/// ```swift
/// var reader = JSONReader(line)
/// try reader.beginObject()
/// while let key = try reader.nextKey() {
///   switch key {
///   case "tx": number = try reader.readInteger()
///   case "meta": meta = try reader.captureValue()
///   default: try reader.skipValue()
///   }
/// }
/// try reader.finish()
/// ```
///
/// For any bytes, a call either passes a valid token, or throws a ``JSONError`` with the column and
/// the reason. After an error, the caller must not use the reader again.
///
/// The reader allocates no memory for nested values: it stores one bit for each open object or
/// array. Its running time is proportional to the number of bytes.
package struct JSONReader {
  /// The maximum nesting depth of objects and arrays.
  package static let depthMax = 64

  /// The position in the grammar, which determines the tokens that may follow.
  private enum State {
    /// Before a value: at the beginning, after a key, or after a comma in an array.
    case value
    case firstKey, firstElement
    case afterValue
  }

  let source: JSONSource
  var offset = 0
  private var state = State.value
  private var depth = 0
  // One bit for each open object or array: 1 for an object. The lowest bit is the innermost one.
  private var objects: UInt64 = 0

  /// The offset of the first byte of the last token, for ``column(at:)``.
  package private(set) var tokenOffset = 0
  // The range of the last string, key or number, without quotation marks.
  var tokenStart = 0
  var tokenEnd = 0
  var hasEscapes = false
  var digits = JSONDigits()
  // The range of the last skipped value.
  var skipped = 0..<0

  /// Creates a reader of a text. The reader shares the memory of the text.
  package init(_ json: ByteView) {
    source = JSONSource(json)
  }

  /// Creates a reader of a text. The reader copies the bytes of the text.
  package init(_ json: [UInt8]) {
    self.init(ByteView(json))
  }

  /// Returns the column of a byte that the reader has reached, counted from 1 in Unicode scalars.
  ///
  /// - Complexity: O(*n*) in the offset
  package func column(at offset: Int) -> Int { source.column(at: offset) }

  /// Passes the next token and returns it.
  ///
  /// - Complexity: O(*n*) in the size of the token and of the white space before it
  package mutating func next() throws(JSONError) -> JSONToken {
    var byte = skipSpaces()
    tokenOffset = offset
    switch state {
    case .value: break
    case .afterValue:
      guard depth > 0 else {
        if offset == source.count { return .end }
        throw misplaced(.end)
      }
      let isObject = objects & 1 == 1
      if byte == UInt8(ascii: ",") {
        offset &+= 1
        byte = skipSpaces()
        tokenOffset = offset
        if isObject { return try key(byte, else: .key) }
        state = .value
      } else if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
        return close()
      } else {
        throw misplaced(isObject ? .commaOrObjectEnd : .commaOrArrayEnd)
      }
    case .firstKey:
      if byte == UInt8(ascii: "}") { return close() }
      return try key(byte, else: .keyOrObjectEnd)
    case .firstElement:
      if byte == UInt8(ascii: "]") { return close() }
    }
    return try value(byte)
  }

  /// Passes the comma before the next element of an array, or the end of the array. Returns whether
  /// an element follows.
  package mutating func nextElement() throws(JSONError) -> Bool {
    let byte = skipSpaces()
    tokenOffset = offset
    precondition(
      depth > 0 && objects & 1 == 0 && (state == .firstElement || state == .afterValue),
      "the next array element was read at \(state), at depth \(depth)")
    if byte == UInt8(ascii: "]") {
      _ = close()
      return false
    }
    if state == .afterValue {
      guard byte == UInt8(ascii: ",") else { throw misplaced(.commaOrArrayEnd) }
      offset &+= 1
      state = .value
    }
    return true
  }

  /// Returns the kind of the next value, without passing it.
  package mutating func peek() throws(JSONError) -> JSONKind {
    let byte = skipSpaces()
    precondition(
      state == .value || state == .firstElement, "a value was read at \(state)")
    switch byte {
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: throw misplaced(state == .value ? .value : .valueOrArrayEnd)
    }
  }

  @inline(__always)
  private mutating func value(_ byte: UInt8) throws(JSONError) -> JSONToken {
    switch byte {
    case UInt8(ascii: "\""):
      try scanString()
      state = .afterValue
      return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try scanNumber()
      state = .afterValue
      return .number
    case UInt8(ascii: "{"):
      try open(isObject: true)
      state = .firstKey
      return .objectStart
    case UInt8(ascii: "["):
      try open(isObject: false)
      state = .firstElement
      return .arrayStart
    case UInt8(ascii: "t") where stands("true"): return .bool(true)
    case UInt8(ascii: "f") where stands("false"): return .bool(false)
    case UInt8(ascii: "n") where stands("null"): return .null
    default: throw misplaced(state == .value ? .value : .valueOrArrayEnd)
    }
  }

  @inline(__always)
  private mutating func key(
    _ byte: UInt8, else expected: JSONError.Expected
  ) throws(JSONError) -> JSONToken {
    guard byte == UInt8(ascii: "\"") else { throw misplaced(expected) }
    try scanString()
    guard skipSpaces() == UInt8(ascii: ":") else { throw misplaced(.colon) }
    offset &+= 1
    state = .value
    return .key
  }

  @inline(__always)
  private mutating func open(isObject: Bool) throws(JSONError) {
    guard depth < JSONReader.depthMax else {
      throw error(.tooDeep(limit: JSONReader.depthMax), at: offset)
    }
    depth &+= 1
    objects = objects << 1 | (isObject ? 1 : 0)
    offset &+= 1
  }

  @inline(__always)
  private mutating func close() -> JSONToken {
    let isObject = objects & 1 == 1
    depth &-= 1
    objects >>= 1
    offset &+= 1
    state = .afterValue
    return isObject ? .objectEnd : .arrayEnd
  }

  /// Passes a word and returns true, if the word is at the current offset; otherwise returns false.
  @inline(__always)
  private mutating func stands(_ word: StaticString) -> Bool {
    for index in 0..<word.utf8CodeUnitCount
    where source[offset &+ index] != word.utf8Start[index] { return false }
    offset &+= word.utf8CodeUnitCount
    state = .afterValue
    return true
  }

  /// Passes white space and returns the byte after it; 0 at the end.
  @inline(__always)
  private mutating func skipSpaces() -> UInt8 {
    var byte = source[offset]
    while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset &+= 1
      byte = source[offset]
    }
    return byte
  }

  // MARK: Problems

  @inline(never)
  func error(_ reason: JSONError.Reason, at offset: Int) -> JSONError {
    JSONError(reason, column: source.column(at: offset))
  }

  /// Returns the error of a part of the text that is not the expected one. The part starts at an
  /// offset; nil means the current offset.
  @inline(never)
  func misplaced(_ expected: JSONError.Expected, at position: Int? = nil) -> JSONError {
    let position = position ?? offset
    if position == 0, source[0] == 0xEF, source[1] == 0xBB, source[2] == 0xBF {
      return error(.byteOrderMark, at: 0)
    }
    return error(.misplaced(expected: expected, found: found(at: position)), at: position)
  }

  /// Returns the part of the text at an offset, for a message.
  func found(at position: Int) -> JSONError.Found {
    guard position < source.count else { return .end }
    var end = position
    while end - position < JSONError.wordLengthMax, isWordByte(source[end]) { end += 1 }
    if end - position > 1 { return .word(source.string(position..<end)) }
    if source[position] < 0x80 { return .scalar(Unicode.Scalar(source[position])) }
    guard let end = source.scalarEnd(at: position),
      let scalar = source.string(position..<end).unicodeScalars.first
    else { return .byte(source[position]) }
    return .scalar(scalar)
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}

/// One token of a JSON text.
package enum JSONToken: Hashable, Sendable {
  /// The start of an object. Its keys and values follow, up to ``objectEnd``.
  case objectStart
  case objectEnd
  /// The start of an array. Its values follow, up to ``arrayEnd``.
  case arrayStart
  case arrayEnd
  /// The key of a member of an object. Its value follows.
  case key
  case string
  case number
  case bool(Bool)
  case null
  /// The end of the text, after one complete value.
  case end
}

/// The kinds of JSON values.
package enum JSONKind: Hashable, Sendable, CaseIterable {
  case object, array, string, number, bool, null

  /// The name of the kind in a sentence.
  package var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }
}
