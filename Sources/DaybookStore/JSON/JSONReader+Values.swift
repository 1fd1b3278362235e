import DaybookJournal

// Methods for a caller that expects a particular token. Each throws if a different token follows,
// with both in the error.
extension JSONReader {
  /// Enters an object. After that, ``nextKey()`` returns its keys.
  package mutating func beginObject() throws(JSONError) {
    let token = try next()
    guard token == .objectStart else { throw mismatch(.kind(.object), found: token) }
  }

  /// Returns the next key of an object, or nil after the last member. The caller then reads or
  /// skips its value.
  package mutating func nextKey() throws(JSONError) -> String? {
    switch try next() {
    case .key: return text
    case .objectEnd: return nil
    case let token:
      preconditionFailure("expected a key, found \(token) at byte \(tokenOffset)")
    }
  }

  /// Enters an array. After that, ``nextElement()`` returns whether a value follows.
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

  /// Reads an integer that has neither a point nor an exponent and fits in 64 bits.
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

  /// Passes the end of the text. Only white space may precede it.
  package mutating func finish() throws(JSONError) {
    let token = try next()
    precondition(token == .end, "expected the end, found \(token) at byte \(tokenOffset)")
  }

  /// Skips a value with all values in it, without creating them.
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

  /// Skips a value and returns its unchanged bytes, which share the memory of the line.
  ///
  /// Keep a copy instead of the returned view, because the view retains the whole line.
  ///
  /// - Complexity: O(*n*)
  package mutating func captureValue() throws(JSONError) -> ByteView {
    try skipValue()
    return source.view[skipped]
  }

  /// Returns the error for a token of another kind than the caller expects.
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

/// The keys that an object has had, for the detection of repeated keys.
///
/// Keys are compared like Swift strings, so different spellings of the same accented letter are
/// equal.
package struct JSONKeys {
  // Nearly every object has few keys. A linear search of them is faster than hashing.
  private var few: [(key: String, offset: Int)] = []
  private var many: [String: Int] = [:]
  private static let fewMax = 8

  package init() {}

  /// Records the key that a reader has just passed.
  ///
  /// - Throws: ``JSONError/Reason/repeatedKey(_:firstColumn:)``, with both columns, if the object
  ///   has had the key already.
  /// - Complexity: O(1) on average
  package mutating func record(_ key: String, of reader: borrowing JSONReader) throws(JSONError) {
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

  /// Removes all keys, to start the next object.
  package mutating func removeAll() {
    few.removeAll(keepingCapacity: true)
    if !many.isEmpty { many.removeAll(keepingCapacity: true) }
  }
}
