/// A reader of the tokens of a JSON text, for the command-line tool. The tool is outside of the
/// package's access, and therefore cannot use ``JSONReader``.
@_spi(Tools) public struct JSONTokenReader {
  /// One token, with its value.
  public enum Token: Hashable, Sendable {
    /// The start of an object. Its keys and values follow, up to ``objectEnd``.
    case objectStart
    /// The end of an object.
    case objectEnd
    /// The start of an array. Its values follow, up to ``arrayEnd``.
    case arrayStart
    /// The end of an array.
    case arrayEnd
    /// The key of a member of an object. Its value follows.
    case key(String)
    /// A string.
    case string(String)
    /// A number without a fraction in the range of the type, also if it is written as `1.0`.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// The value `true` or `false`.
    case bool(Bool)
    /// The value `null`.
    case null
    /// The end of the text, after one complete value.
    case end
  }

  /// The reason why a text cannot be read.
  public enum ReadingError: Error, Hashable {
    /// Objects and arrays are nested deeper than the limit, which the sentence contains.
    case tooDeep(sentence: String)
    /// The text is not exactly one JSON value, or contains a number that exceeds every double.
    case notOneValue
  }

  private var reader: JSONReader

  /// Creates a reader of a text.
  public init(_ json: [UInt8]) { reader = JSONReader(json) }

  /// Passes the next token and returns it. The open objects and arrays are at most
  /// ``JSONReader/depthMax``.
  ///
  /// - Complexity: O(*n*) in the size of the token and of the white space before it
  public mutating func next() throws(ReadingError) -> Token {
    let token: JSONToken
    do throws(JSONError) { token = try reader.next() } catch {
      guard case .tooDeep = error.reason else { throw .notOneValue }
      throw .tooDeep(sentence: error.sentence)
    }
    switch token {
    case .objectStart: return .objectStart
    case .objectEnd: return .objectEnd
    case .arrayStart: return .arrayStart
    case .arrayEnd: return .arrayEnd
    case .key: return .key(reader.text)
    case .string: return .string(reader.text)
    case .number: return try number()
    case .bool(let bool): return .bool(bool)
    case .null: return .null
    case .end: return .end
    }
  }

  private func number() throws(ReadingError) -> Token {
    let number = reader.number
    if case .integer(let integer) = number.value { return .integer(integer) }
    let double = number.double
    guard double.isFinite else { throw .notOneValue }
    return Int64(exactly: double).map { .integer($0) } ?? .double(double)
  }
}
