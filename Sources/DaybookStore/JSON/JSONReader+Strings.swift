import DaybookJournal

extension JSONReader {
  /// The last key or string that the reader has passed.
  ///
  /// - Complexity: O(*n*)
  package var text: String {
    if hasEscapes { return String(decoding: unescaped(), as: UTF8.self) }
    return source.string(tokenStart..<tokenEnd)
  }

  /// The UTF-8 bytes of the last key or string that the reader has passed. If it has no escapes,
  /// the bytes share the memory of the text.
  ///
  /// - Complexity: O(1) without escapes, and O(*n*) with escapes
  package var stringBytes: ByteView {
    hasEscapes ? ByteView(unescaped()) : source.view[tokenStart..<tokenEnd]
  }

  /// Passes a string that starts with a quotation mark at the current offset.
  @inline(__always)
  mutating func scanString() throws(JSONError) {
    let start = offset &+ 1
    let end = source.plainEnd(from: start)
    tokenStart = start
    if source[end] == UInt8(ascii: "\"") {
      hasEscapes = false
      tokenEnd = end
      offset = end &+ 1
    } else {
      try scanRest(of: end)
    }
  }

  /// Passes the rest of a string, from the first byte that is not plain; see
  /// ``JSONSource/plainEnd(from:)``.
  @inline(never)
  private mutating func scanRest(of start: Int) throws(JSONError) {
    var position = start
    hasEscapes = false
    while true {
      let byte = source[position]
      if byte == UInt8(ascii: "\"") {
        break
      } else if byte >= 0x80 {
        guard let end = source.scalarEnd(at: position) else { throw notUTF8(at: position) }
        position = end
        if source[position] >= 0x80 { continue }
      } else if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        position = try escapeEnd(at: position)
      } else if position >= source.count {
        throw misplaced(.closingQuotationMark, at: source.count)
      } else {
        throw error(.controlCharacter(byte), at: position)
      }
      position = source.plainEnd(from: position)
    }
    tokenEnd = position
    offset = position &+ 1
  }

  /// Returns the end of the escape at an offset. A surrogate pair counts as one escape.
  private func escapeEnd(at position: Int) throws(JSONError) -> Int {
    switch source[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return position + 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit(at: position)
      guard UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) else { return position + 6 }
      guard UTF16.isLeadSurrogate(unit), source[position + 6] == UInt8(ascii: "\\"),
        source[position + 7] == UInt8(ascii: "u"),
        UTF16.isTrailSurrogate(try codeUnit(at: position + 6))
      else { throw error(.halfPair(unit), at: position) }
      return position + 12
    default:
      throw misplacedScalar(.escape, at: position + 1)
    }
  }

  /// Returns the UTF-16 code unit of the `\u` escape at an offset.
  private func codeUnit(at position: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for index in position + 2..<position + 6 {
      guard let digit = JSONReader.hexadecimalDigit(source[index]) else {
        throw misplacedScalar(.hexadecimalDigits, at: index)
      }
      unit = unit << 4 | digit
    }
    return unit
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    default: nil
    }
  }

  /// Returns an error that contains one scalar as the found part. In a string, the message contains
  /// the single scalar, and not the word that starts with it.
  private func misplacedScalar(_ expected: JSONError.Expected, at position: Int) -> JSONError {
    var found = found(at: position)
    if case .word = found { found = .scalar(Unicode.Scalar(source[position])) }
    if case .byte = found { return notUTF8(at: position) }
    return error(.misplaced(expected: expected, found: found), at: position)
  }

  /// Returns the error for bytes that are not UTF-8. The error contains the number of bytes that
  /// the first byte requires.
  private func notUTF8(at position: Int) -> JSONError {
    let announced =
      switch source[position] {
      case 0xC0...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF7: 4
      default: 1
      }
    let end = min(position + announced, source.count)
    return error(.notUTF8((position..<end).map { source[$0] }), at: position)
  }

  /// Returns the bytes of the last string, with the characters instead of their escapes.
  private func unescaped() -> [UInt8] {
    var bytes: [UInt8] = []
    // A character in UTF-8 is never longer than its escape.
    bytes.reserveCapacity(tokenEnd - tokenStart)
    var position = tokenStart
    while position < tokenEnd {
      if source[position] == UInt8(ascii: "\\") {
        position = appendEscaped(at: position, to: &bytes)
      } else {
        var end = source.plainEnd(from: position)
        while source[end] >= 0x80 { end += 1 }
        source.append(position..<end, to: &bytes)
        position = end
      }
    }
    return bytes
  }

  /// Appends the character of a verified escape at an offset, and returns the end of the escape.
  private func appendEscaped(at position: Int, to bytes: inout [UInt8]) -> Int {
    switch source[position + 1] {
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      let first = UInt32(seenCodeUnit(at: position))
      guard UTF16.isLeadSurrogate(UInt16(first)) else {
        append(first, to: &bytes)
        return position + 6
      }
      let second = UInt32(seenCodeUnit(at: position + 6))
      append(0x1_0000 + ((first & 0x3FF) << 10) + (second & 0x3FF), to: &bytes)
      return position + 12
    case let other: bytes.append(other)
    }
    return position + 2
  }

  private func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    if let scalar = Unicode.Scalar(scalar) { bytes.append(contentsOf: scalar.utf8) }
  }

  private func seenCodeUnit(at position: Int) -> UInt16 {
    (position + 2..<position + 6).reduce(0) { unit, index in
      unit << 4 | (JSONReader.hexadecimalDigit(source[index]) ?? 0)
    }
  }
}
