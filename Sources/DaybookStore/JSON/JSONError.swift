/// An error that says why a text is not the expected JSON.
///
/// Programs switch on ``reason``. The ``description`` is for people, and its wording may change in
/// any release. The caller adds the file and the line in front.
package struct JSONError: Error, Hashable, Sendable {
  /// The reasons of errors, for programs to switch on.
  @nonexhaustive
  package enum Reason: Hashable, Sendable {
    /// The text starts with a byte order mark.
    case byteOrderMark
    /// Some bytes are not UTF-8.
    case notUTF8([UInt8])
    /// The text has another token than the grammar, or the caller, expects.
    case misplaced(expected: Expected, found: Found)
    /// A string contains a control character that is not escaped.
    case controlCharacter(UInt8)
    /// An escape is one half of a surrogate pair without the other half.
    case halfPair(UInt16)
    /// A number starts with a zero before another digit.
    case leadingZero(Found)
    /// Objects and arrays are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// An object has a key twice.
    case repeatedKey(String, firstColumn: Int)
  }

  /// The expected part of the text.
  package enum Expected: Hashable, Sendable {
    case value, valueOrArrayEnd
    case key, keyOrObjectEnd
    case colon
    case commaOrObjectEnd, commaOrArrayEnd
    case end
    case closingQuotationMark
    case escape, hexadecimalDigits
    case digitAfterSign, digitAfterPoint, digitInExponent
    /// A value of the kind that the caller expects.
    case kind(JSONKind)
    /// An integer of 64 bits, which the caller expects.
    case integer
  }

  /// The part of the text that was found instead.
  package enum Found: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// Several letters and digits. A very long word is cut.
    case word(String)
    /// A byte that is not UTF-8.
    case byte(UInt8)
    /// The end of the line.
    case end
    case kind(JSONKind)
  }

  /// The reason, for programs to switch on.
  package let reason: Reason
  /// The column of the error, from 1, in Unicode scalars; one more than the length if the line ends
  /// too early.
  package let column: Int

  package init(_ reason: Reason, column: Int) {
    self.reason = reason
    self.column = column
  }
}

extension JSONError: CustomStringConvertible {
  /// The column, the expected part and the found part.
  package var description: String { "column \(column): \(sentence)" }

  /// The expected part and the found part, without the column.
  package var sentence: String {
    switch reason {
    case .byteOrderMark: "the line begins with a byte order mark, and JSON text has none."
    case .notUTF8(let bytes) where bytes.count == 1:
      "UTF-8 was expected, and the byte \(JSONError.list(bytes)) is not."
    case .notUTF8(let bytes):
      "UTF-8 was expected, and the bytes \(JSONError.list(bytes)) are not."
    case .misplaced(let expected, let found):
      "\(expected.phrase) expected, and \(found.phrase)."
    case .controlCharacter(let byte):
      """
      in a string, U+\(JSONError.hexadecimal(UInt16(byte))) is written \
      \(JSONError.escape(byte)), and it stands there as itself.
      """
    case .halfPair(let half) where half < 0xDC00:
      """
      \\u\(JSONError.hexadecimal(half)) is the first half of a pair, and no second half \
      (\\uDC00 to \\uDFFF) follows.
      """
    case .halfPair(let half):
      """
      \\u\(JSONError.hexadecimal(half)) is the second half of a pair, and no first half \
      (\\uD800 to \\uDBFF) stands before it.
      """
    case .leadingZero(let found):
      "no digit was expected behind a number's leading zero, and \(found.phrase)."
    case .tooDeep(let limit):
      "objects and arrays may stand \(limit) deep, and another begins there."
    case .repeatedKey(let key, let first):
      "each key was expected once, and \(JSONError.quoted(key)) stands in column \(first) already."
    }
  }

  private static func list(_ bytes: [UInt8]) -> String {
    bytes.map { "0x" + hexadecimal(UInt16($0)).suffix(2) }.joined(separator: " ")
  }

  static func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Returns the escape of a control character in a string.
  static func escape(_ byte: UInt8) -> String {
    switch byte {
    case 0x08: "\\b"
    case 0x09: "\\t"
    case 0x0A: "\\n"
    case 0x0C: "\\f"
    case 0x0D: "\\r"
    default: "\\u" + hexadecimal(UInt16(byte))
    }
  }

  /// Returns a key as a JSON string. A very long key is cut.
  private static func quoted(_ key: String) -> String {
    var writer = JSONWriter()
    let isLong = key.unicodeScalars.count > wordLengthMax
    var shown = String.UnicodeScalarView(key.unicodeScalars.prefix(wordLengthMax))
    if isLong { shown.append("…") }
    writer.write(String(shown))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The number of scalars of a word that a message shows.
  package static let wordLengthMax = 40
}

extension JSONError.Expected {
  fileprivate var phrase: String {
    switch self {
    case .value: "a value was"
    case .valueOrArrayEnd: "a value or \"]\" was"
    case .key: "a key in quotation marks was"
    case .keyOrObjectEnd: "a key in quotation marks or \"}\" was"
    case .colon: "a colon was"
    case .commaOrObjectEnd: "a comma or \"}\" was"
    case .commaOrArrayEnd: "a comma or \"]\" was"
    case .end: "the end of the line was"
    case .closingQuotationMark: "the closing quotation mark was"
    case .escape: "one of \" \\ / b f n r t u was"
    case .hexadecimalDigits: "four hexadecimal digits were"
    case .digitAfterSign: "a digit after the sign was"
    case .digitAfterPoint: "a digit after the point was"
    case .digitInExponent: "a digit of the exponent was"
    case .kind(let kind): "\(kind.phrase) was"
    case .integer: "an integer from \(Int64.min) to \(Int64.max) was"
    }
  }
}

extension JSONError.Found {
  fileprivate var phrase: String {
    switch self {
    case .end: "the line ends there"
    case .byte(let byte): "the byte 0x\(JSONError.hexadecimal(UInt16(byte)).suffix(2)) stands there"
    case .kind(let kind): "\(kind.phrase) stands there"
    case .word(let word): "\"\(word)\" stands there"
    case .scalar("\""): "a quotation mark stands there"
    case .scalar(let scalar) where scalar.isShown: "\"\(scalar)\" stands there"
    case .scalar(let scalar): "U+\(scalar.digits) stands there"
    }
  }
}

extension Unicode.Scalar {
  /// The hexadecimal digits of the scalar's number, for use after `U+`.
  fileprivate var digits: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// A Boolean value that indicates whether the scalar is visible in a sentence, unlike marks and
  /// spaces.
  fileprivate var isShown: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
      false
    default: true
    }
  }
}
