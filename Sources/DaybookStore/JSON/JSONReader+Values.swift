import DaybookJournal

// Methods for a caller that expects a particular token. If a different token follows, a method
// throws an error that contains the expected and the found token.
extension JSONReader {
  /// Passes the start of an object. After that, ``nextKey()`` returns its keys.
  package mutating func beginObject() throws(JSONError) {
    let token = try next()
    guard token == .objectStart else { throw mismatch(.kind(.object), found: token) }
  }

  /// Passes the next key of an object and returns the key. The caller must then read or skip the
  /// value of the key. After the last member, the method passes the end of the object and returns
  /// nil.
  package mutating func nextKey() throws(JSONError) -> String? {
    switch try next() {
    case .key: return text
    case .objectEnd: return nil
    case let token:
      preconditionFailure("expected a key, found \(token) at byte \(tokenOffset)")
    }
  }

  /// Passes the start of an array. After that, ``nextElement()`` returns whether an element
  /// follows.
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

  /// Reads an integer of 64 bits. A number with a point or an exponent is an error.
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

  /// Passes the end of the text. Only white space may follow the value.
  package mutating func finish() throws(JSONError) {
    let token = try next()
    precondition(token == .end, "expected the end, found \(token) at byte \(tokenOffset)")
  }

  /// Passes a value with all values in it, without creating strings or numbers.
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

  /// Passes a value and returns its bytes, which share the memory of the text.
  ///
  /// A caller that keeps the bytes should copy them, because the returned view retains the whole
  /// text.
  ///
  /// - Complexity: O(*n*)
  package mutating func captureValue() throws(JSONError) -> ByteView {
    try skipValue()
    return source.view[skipped]
  }

  /// Returns the error for a token that has a different kind than the caller expects.
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

/// The keys of one object that a reader has passed. A caller uses the value to detect a repeated
/// key, because ``JSONReader`` itself does not detect it.
///
/// Keys are compared as Swift strings, so two spellings of é, with one scalar and with two, are
/// equal.
package struct JSONKeys {
  // Nearly every object has at most eight keys. For so few keys, a linear search is faster than
  // hashing.
  private var few: [(key: String, offset: Int)] = []
  private var many: [String: Int] = [:]
  private static let fewMax = 8

  package init() {}

  /// Adds the key that a reader has just passed.
  ///
  /// - Throws: ``JSONError/Reason/repeatedKey(_:firstColumn:)`` if the object contains the key for
  ///   the second time. The error contains both columns.
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
