/// Why a text is not the JSON that was expected.
///
/// ``reason`` is for programs to switch on; ``description`` is for people, and its wording may
/// change in any release. The caller knows the file and the line, and puts them in front.
package struct JSONError: Error, Hashable, Sendable {
  /// What is the matter, for programs.
  @nonexhaustive
  package enum Reason: Hashable, Sendable {
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// Some bytes are not UTF-8.
    case notUTF8([UInt8])
    /// Something else stands where the grammar, or the caller, expects something.
    case misplaced(expected: Expected, found: Found)
    /// A control character stands in a string as itself.
    case controlCharacter(UInt8)
    /// An escape is one half of a surrogate pair whose other half is missing.
    case halfPair(UInt16)
    /// A number begins with a zero that another digit follows.
    case leadingZero(Found)
    /// Objects and arrays stand in one another deeper than the limit.
    case tooDeep(limit: Int)
    /// An object has a key twice.
    case repeatedKey(String, firstColumn: Int)
  }

  /// What would have been right.
  package enum Expected: Hashable, Sendable {
    case value, valueOrArrayEnd
    case key, keyOrObjectEnd
    case colon
    case commaOrObjectEnd, commaOrArrayEnd
    case end
    case closingQuotationMark
    case escape, hexadecimalDigits
    case digitAfterSign, digitAfterPoint, digitInExponent
    /// A value of one kind, which the caller asked for.
    case kind(JSONKind)
    /// An integer of 64 bits, which the caller asked for.
    case integer
  }

  /// What stands there instead.
  package enum Found: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// Several letters and digits; of very many, the first.
    case word(String)
    /// A byte that is not UTF-8.
    case byte(UInt8)
    /// Nothing: the line ends.
    case end
    case kind(JSONKind)
  }

  /// What is the matter, for programs.
  package let reason: Reason
  /// Where it begins, from 1, in Unicode scalars; one beyond the last if the line ends too early.
  package let column: Int

  package init(_ reason: Reason, column: Int) {
    self.reason = reason
    self.column = column
  }
}
