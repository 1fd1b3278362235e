import DaybookJournal

/// Goes through one JSON text, step by step, strictly by RFC 8259.
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
/// Whatever the bytes are, a step either goes past what is right or throws a ``JSONError`` that
/// says where and what is not; a reader that has thrown is of no more use. Of the text it holds one
/// bit for each object or array that is open, and nothing else, so a text of any size needs no more
/// memory than its bytes, and going through it takes time in proportion to them.
package struct JSONReader {
  /// How deep objects and arrays may stand in one another.
  package static let depthMax = 64

  /// What the grammar lets come next.
  private enum Place {
    /// A value: at the beginning, behind a key, behind a comma in an array.
    case value
    case firstKey, firstElement
    case behindValue
  }

  let source: JSONSource
  var offset = 0
  private var place = Place.value
  private var depth = 0
  // A bit for each open object or array, the innermost lowest: whether it is an object.
  private var objects: UInt64 = 0

  /// The byte at which the last step's token begins, for ``column(at:)``.
  package private(set) var tokenOffset = 0
  // The last string or key, between its quotation marks, or the last number.
  var tokenStart = 0
  var tokenEnd = 0
  var hasEscapes = false
  var digits = JSONDigits()
  // The value last skipped.
  var skipped = 0..<0

  /// A reader before a text, whose bytes it shares.
  package init(_ text: ByteView) {
    source = JSONSource(text)
  }

  /// A reader before a text, whose bytes it copies.
  package init(_ text: [UInt8]) {
    self.init(ByteView(text))
  }

  /// The column, from 1, in Unicode scalars, of a byte that the reader has come to.
  ///
  /// - Complexity: O(*n*) in the offset
  package func column(at offset: Int) -> Int { source.column(at: offset) }

  /// Goes past the next token and says what it is.
  ///
  /// - Complexity: O(*n*) in the size of the token and of the spaces before it
  package mutating func next() throws(JSONError) -> JSONToken {
    var byte = skipSpaces()
    tokenOffset = offset
    switch place {
    case .value: break
    case .behindValue:
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
        place = .value
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

  /// Goes past the comma before the next value of an array, or past the array's end, and says
  /// whether there is a value.
  package mutating func nextElement() throws(JSONError) -> Bool {
    let byte = skipSpaces()
    tokenOffset = offset
    precondition(
      depth > 0 && objects & 1 == 0 && (place == .firstElement || place == .behindValue),
      "the next element of an array was asked for at \(place), \(depth) deep")
    if byte == UInt8(ascii: "]") {
      _ = close()
      return false
    }
    if place == .behindValue {
      guard byte == UInt8(ascii: ",") else { throw misplaced(.commaOrArrayEnd) }
      offset &+= 1
      place = .value
    }
    return true
  }

  /// What the next value is, without going past it.
  package mutating func peek() throws(JSONError) -> JSONKind {
    let byte = skipSpaces()
    precondition(
      place == .value || place == .firstElement, "a value was asked for at \(place)")
    switch byte {
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: throw misplaced(place == .value ? .value : .valueOrArrayEnd)
    }
  }

  @inline(__always)
  private mutating func value(_ byte: UInt8) throws(JSONError) -> JSONToken {
    switch byte {
    case UInt8(ascii: "\""):
      try scanString()
      place = .behindValue
      return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try scanNumber()
      place = .behindValue
      return .number
    case UInt8(ascii: "{"):
      try open(isObject: true)
      place = .firstKey
      return .objectStart
    case UInt8(ascii: "["):
      try open(isObject: false)
      place = .firstElement
      return .arrayStart
    case UInt8(ascii: "t") where stands("true"): return .bool(true)
    case UInt8(ascii: "f") where stands("false"): return .bool(false)
    case UInt8(ascii: "n") where stands("null"): return .null
    default: throw misplaced(place == .value ? .value : .valueOrArrayEnd)
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
    place = .value
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
    place = .behindValue
    return isObject ? .objectEnd : .arrayEnd
  }

  /// Goes past a word, if it stands here.
  @inline(__always)
  private mutating func stands(_ word: StaticString) -> Bool {
    for index in 0..<word.utf8CodeUnitCount
    where source[offset &+ index] != word.utf8Start[index] { return false }
    offset &+= word.utf8CodeUnitCount
    place = .behindValue
    return true
  }

  /// Goes past spaces, and answers with the byte behind them; at the end with 0.
  @inline(__always)
  private mutating func skipSpaces() -> UInt8 {
    var byte = source[offset]
    while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset &+= 1
      byte = source[offset]
    }
    return byte
  }

  // MARK: Complaints

  @inline(never)
  func error(_ reason: JSONError.Reason, at offset: Int) -> JSONError {
    JSONError(reason, column: source.column(at: offset))
  }

  /// The complaint that something else was expected where the reader stands, or at an offset.
  @inline(never)
  func misplaced(_ expected: JSONError.Expected, at place: Int? = nil) -> JSONError {
    let place = place ?? offset
    if place == 0, source[0] == 0xEF, source[1] == 0xBB, source[2] == 0xBF {
      return error(.byteOrderMark, at: 0)
    }
    return error(.misplaced(expected: expected, found: found(at: place)), at: place)
  }

  /// What stands at an offset, for a sentence.
  func found(at place: Int) -> JSONError.Found {
    guard place < source.count else { return .end }
    var end = place
    while end - place < JSONError.wordLengthMax, isWordByte(source[end]) { end += 1 }
    if end - place > 1 { return .word(source.string(place..<end)) }
    if source[place] < 0x80 { return .scalar(Unicode.Scalar(source[place])) }
    guard let end = source.scalarEnd(at: place),
      let scalar = source.string(place..<end).unicodeScalars.first
    else { return .byte(source[place]) }
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

/// One step of going through a JSON text.
package enum JSONToken: Hashable, Sendable {
  /// An object begins: its keys and values follow, up to ``objectEnd``.
  case objectStart
  case objectEnd
  /// An array begins: its values follow, up to ``arrayEnd``.
  case arrayStart
  case arrayEnd
  /// The key of a member of an object, whose value comes next.
  case key
  case string
  case number
  case bool(Bool)
  case null
  /// The text was one whole value.
  case end
}

/// What a JSON value can be.
package enum JSONKind: Hashable, Sendable, CaseIterable {
  case object, array, string, number, bool, null

  /// How a sentence calls one of them.
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
