import DaybookJournal

// Reading what the caller knows to come. Each throws, naming both, if something else does.
extension JSONReader {
  /// Goes into an object: ``nextKey()`` then gives its keys.
  package mutating func beginObject() throws(JSONError) {
    let token = try next()
    guard token == .objectStart else { throw mismatch(.kind(.object), found: token) }
  }

  /// The next key of an object, whose value the caller then reads or skips; nil behind the last.
  package mutating func nextKey() throws(JSONError) -> String? {
    switch try next() {
    case .key: return text
    case .objectEnd: return nil
    case let token:
      preconditionFailure("a key was asked for, and \(token) came at byte \(tokenOffset)")
    }
  }

  /// Goes into an array: ``nextElement()`` then says for each value that it is there.
  package mutating func beginArray() throws(JSONError) {
    let token = try next()
    guard token == .arrayStart else { throw mismatch(.kind(.array), found: token) }
  }

  package mutating func readString() throws(JSONError) -> String {
    let token = try next()
    guard token == .string else { throw mismatch(.kind(.string), found: token) }
    return text
  }

  package mutating func readNumber() throws(JSONError) -> JSONNumber {
    let token = try next()
    guard token == .number else { throw mismatch(.kind(.number), found: token) }
    return number
  }

  /// An integer without point and exponent that fits into 64 bits.
  package mutating func readInteger() throws(JSONError) -> Int64 {
    let token = try next()
    guard token == .number else { throw mismatch(.integer, found: token) }
    guard case .integer(let integer) = numberValue else {
      let shown = source.string(tokenStart..<min(tokenEnd, tokenStart + JSONError.wordLengthMax))
      throw error(.misplaced(expected: .integer, found: .word(shown)), at: tokenOffset)
    }
    return integer
  }

  package mutating func readBool() throws(JSONError) -> Bool {
    let token = try next()
    guard case .bool(let bool) = token else { throw mismatch(.kind(.bool), found: token) }
    return bool
  }

  /// Goes past the end of the text, where only spaces may stand.
  package mutating func finish() throws(JSONError) {
    let token = try next()
    precondition(token == .end, "the end was asked for, and \(token) came at byte \(tokenOffset)")
  }

  /// Goes past a value, however much is in it, making nothing of it.
  ///
  /// - Complexity: O(*n*)
  package mutating func skipValue() throws(JSONError) {
    var level = 0
    var first: Int?
    repeat {
      let token = try next()
      switch token {
      case .objectStart, .arrayStart: level += 1
      case .objectEnd, .arrayEnd: level -= 1
      case .end: throw mismatch(.value, found: token)
      default: break
      }
      if first == nil { first = tokenOffset }
    } while level > 0
    if level < 0 { throw misplaced(.value, at: tokenOffset) }
    skipped = (first ?? offset)..<offset
  }

  /// Goes past a value and gives its bytes as they stand, sharing the line's memory.
  ///
  /// Keep a copy rather than these: they hold the whole line.
  ///
  /// - Complexity: O(*n*)
  package mutating func captureValue() throws(JSONError) -> ByteView {
    try skipValue()
    return source.view[skipped]
  }

  /// The complaint about a token of another kind than the caller asked for.
  @inline(never)
  package func mismatch(_ expected: JSONError.Expected, found token: JSONToken) -> JSONError {
    let found: JSONError.Found =
      switch token {
      case .objectStart: .kind(.object)
      case .arrayStart: .kind(.array)
      case .string, .key: .kind(.string)
      case .number: .kind(.number)
      case .bool(let bool): .word(bool ? "true" : "false")
      case .null: .kind(.null)
      case .objectEnd, .arrayEnd, .end: self.found(at: tokenOffset)
      }
    return error(.misplaced(expected: expected, found: found), at: tokenOffset)
  }
}

/// The keys an object has shown so far, so that one that comes twice is refused.
///
/// Keys that Swift holds for equal text are equal, however their accents are spelt.
package struct JSONKeys {
  // Nearly every object has few keys, and looking through those is quicker than hashing.
  private var few: [(key: String, offset: Int)] = []
  private var many: [String: Int] = [:]
  private static let fewMax = 8

  package init() {}

  /// Notes the key that a reader has just gone past.
  ///
  /// - Throws: ``JSONError/Reason/repeatedKey(_:firstColumn:)``, with both columns, if it stands in
  ///   the object already.
  /// - Complexity: O(1) on average
  package mutating func note(_ key: String, of reader: borrowing JSONReader) throws(JSONError) {
    let offset = reader.tokenOffset
    var first: Int?
    if many.isEmpty, few.count < JSONKeys.fewMax {
      first = few.first { $0.key == key }?.offset
      few.append((key, offset))
    } else {
      if many.isEmpty { for (key, offset) in few { many[key] = offset } }
      first = many.updateValue(offset, forKey: key)
    }
    if let first {
      let firstColumn = reader.column(at: first)
      throw reader.error(.repeatedKey(key, firstColumn: firstColumn), at: offset)
    }
  }

  /// Forgets all keys, for the next object.
  package mutating func removeAll() {
    few.removeAll(keepingCapacity: true)
    if !many.isEmpty { many.removeAll(keepingCapacity: true) }
  }
}
