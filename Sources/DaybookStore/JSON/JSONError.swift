/// An error of reading JSON: the reason why a text is not the expected JSON, and the column.
///
/// Programs switch on ``reason``. The ``description`` is a message for users, and its wording may
/// change in any release. The caller puts the file and the line before the message.
package struct JSONError: Error, Hashable, Sendable {
  /// The reasons of errors, for programs to switch on.
  @nonexhaustive
  package enum Reason: Hashable, Sendable {
    /// The text starts with a byte order mark.
    case byteOrderMark
    /// Some bytes are not UTF-8.
    case notUTF8([UInt8])
    /// The text has a token that neither the grammar nor the caller expects at this position.
    case misplaced(expected: Expected, found: Found)
    /// A string contains a control character that is not escaped.
    case controlCharacter(UInt8)
    /// An escape is one half of a surrogate pair, and the second half is missing.
    case halfPair(UInt16)
    /// A number starts with a zero that a second digit follows.
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
    /// An integer of 64 bits, because the caller expects one.
    case integer
  }

  /// The part of the text that was found instead.
  package enum Found: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// Several letters and digits. If there are more than ``JSONError/wordLengthMax``, the rest is
    /// left out.
    case word(String)
    /// A byte that is not UTF-8.
    case byte(UInt8)
    /// The end of the line.
    case end
    case kind(JSONKind)
  }

  /// The reason, for programs to switch on.
  package let reason: Reason
  /// The column of the error, counted from 1 in Unicode scalars. If the line ends too early, it is
  /// the column after the last scalar.
  package let column: Int

  package init(_ reason: Reason, column: Int) {
    self.reason = reason
    self.column = column
  }
}

extension JSONError: CustomStringConvertible {
  /// The column and a sentence, for example `column 3: expected a colon, found ",".`
  package var description: String { "column \(column): \(sentence)" }

  /// A sentence about the error, without the column.
  package var sentence: String {
    switch reason {
    case .byteOrderMark: "the line starts with a byte order mark, which JSON does not allow."
    case .notUTF8(let bytes) where bytes.count == 1:
      "expected UTF-8, found the invalid byte \(JSONError.list(bytes))."
    case .notUTF8(let bytes):
      "expected UTF-8, found the invalid bytes \(JSONError.list(bytes))."
    case .misplaced(let expected, let found):
      "expected \(expected.phrase), found \(found.phrase)."
    case .controlCharacter(let byte):
      """
      the control character U+\(JSONError.hexadecimal(UInt16(byte))) must be escaped in a string, as \
      \(JSONError.escape(byte)).
      """
    case .halfPair(let half) where half < 0xDC00:
      """
      \\u\(JSONError.hexadecimal(half)) is the first half of a surrogate pair, but no second half \
      (\\uDC00 to \\uDFFF) follows.
      """
    case .halfPair(let half):
      """
      \\u\(JSONError.hexadecimal(half)) is the second half of a surrogate pair, but no first half \
      (\\uD800 to \\uDBFF) precedes it.
      """
    case .leadingZero(let found):
      "a number has no leading zero: expected no digit after 0, found \(found.phrase)."
    case .tooDeep(let limit):
      "objects and arrays are nested too deeply; the limit is \(limit) levels."
    case .repeatedKey(let key, let first):
      "the key \(JSONError.quoted(key)) is repeated; it is already in column \(first)."
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

  /// Returns a key as a JSON string. If the key is longer than `wordLengthMax`, an ellipsis
  /// replaces the rest.
  private static func quoted(_ key: String) -> String {
    var writer = JSONWriter()
    let isLong = key.unicodeScalars.count > wordLengthMax
    var shown = String.UnicodeScalarView(key.unicodeScalars.prefix(wordLengthMax))
    if isLong { shown.append("…") }
    writer.write(String(shown))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The largest number of scalars of a word that a message contains.
  package static let wordLengthMax = 40
}

extension JSONError.Expected {
  fileprivate var phrase: String {
    switch self {
    case .value: "a value"
    case .valueOrArrayEnd: "a value or \"]\""
    case .key: "a key in quotation marks"
    case .keyOrObjectEnd: "a key in quotation marks or \"}\""
    case .colon: "a colon"
    case .commaOrObjectEnd: "a comma or \"}\""
    case .commaOrArrayEnd: "a comma or \"]\""
    case .end: "the end of the line"
    case .closingQuotationMark: "the closing quotation mark"
    case .escape: "one of \" \\ / b f n r t u"
    case .hexadecimalDigits: "four hexadecimal digits"
    case .digitAfterSign: "a digit after the sign"
    case .digitAfterPoint: "a digit after the point"
    case .digitInExponent: "a digit of the exponent"
    case .kind(let kind): kind.phrase
    case .integer: "an integer from \(Int64.min) to \(Int64.max)"
    }
  }
}

extension JSONError.Found {
  fileprivate var phrase: String {
    switch self {
    case .end: "the end of the line"
    case .byte(let byte): "the byte 0x\(JSONError.hexadecimal(UInt16(byte)).suffix(2))"
    case .kind(let kind): kind.phrase
    case .word(let word): "\"\(word)\""
    case .scalar("\""): "a quotation mark"
    case .scalar(let scalar) where scalar.isPrintable: "\"\(scalar)\""
    case .scalar(let scalar): "U+\(scalar.digits)"
    }
  }
}

extension Unicode.Scalar {
  /// The hexadecimal digits of the scalar's number, for use after `U+`.
  fileprivate var digits: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// A Boolean value that indicates whether a reader can see the scalar in a message. It is false
  /// for spaces and combining marks.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
      false
    default: true
    }
  }
}
