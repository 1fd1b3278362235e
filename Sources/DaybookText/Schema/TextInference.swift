import DaybookJournal
import DaybookStore

/// The inference of the type of an attribute from its values, if no header declares the attribute.
///
/// The table shows the type after each further value. A number *with point* has a decimal point or
/// an exponent:
///
/// | before  | null    | true    | integer | with point | string |
/// | ------- | ------- | ------- | ------- | ---------- | ------ |
/// | none    | none    | bool    | integer | double     | string |
/// | bool    | bool    | bool    | refused | refused    | refused |
/// | integer | integer | refused | integer | double     | refused |
/// | double  | double  | refused | double  | double     | refused |
/// | string  | string  | refused | refused | refused    | string |
///
/// An attribute with only null values gets the type `string`. An attribute with integers gets the
/// type `int64`. If an integer is too large for `int64`, the type is `uint64`, and a negative
/// integer is then refused.
struct TextInference {
  enum Kind: Hashable {
    case unknown, bool, integer, double, string

    var phrase: String {
      switch self {
      case .unknown: "null"
      case .bool: "true or false"
      case .integer: "an integer"
      case .double: "a number"
      case .string: "a string"
      }
    }
  }

  private(set) var kind = Kind.unknown
  /// The position of the first value that is not null.
  private var position: TextPosition?
  /// The positions of the first negative integer, and of the first integer above 63 bits.
  private var negative: TextPosition?
  private var large: TextPosition?

  mutating func add(
    _ value: TextValue, of name: @autoclosure () -> String, at reader: TextReader
  ) throws(TextJournalError) {
    let found: Kind
    switch value.content {
    case .null: return
    case .bool: found = .bool
    case .string: found = .string
    case .integer(let integer):
      found = .integer
      if integer < 0, negative == nil { negative = reader.position(at: value.offset) }
    case .number(let number):
      switch number.value {
      case .integer: found = .integer
      case .unsigned:
        found = .integer
        if large == nil { large = reader.position(at: value.offset) }
      case .double: found = .double
      case .wide, .overflow:
        let sentence = AttributeValue.tooFar(
          number, limit: "a double is at most 1.7976931348623157e+308")
        throw reader.error(.value, defect: TextDefect(value.offset, sentence: sentence), of: name())
      }
    case .array, .object:
      var sentence =
        value.phrase == "an array"
        ? "found an array, which needs a type in the header"
        : "found an object, which an attribute cannot contain"
      if let position { sentence += "; \(position) has \(kind.phrase)" }
      throw reader.error(
        .mixedTypes, defect: TextDefect(value.offset, sentence: sentence + "."), of: name())
    }
    switch (kind, found) {
    case (.unknown, _):
      kind = found
      position = reader.position(at: value.offset)
    case (.integer, .double): kind = .double
    case (.double, .integer): break
    case _ where kind == found: break
    default:
      let first = position.map { "\($0) has \(kind.phrase)" } ?? ""
      throw reader.error(
        .mixedTypes,
        defect: TextDefect(
          value.offset, sentence: "found \(found.phrase), but \(first). Declare a type in a header."
        ),
        of: name())
    }
  }

  /// Returns the type of all values, or throws if no type fits all of them.
  func type(of name: String, path: String) throws(TextJournalError) -> ScalarType {
    switch kind {
    case .unknown, .string: return .string
    case .bool: return .bool
    case .double: return .double
    case .integer:
      guard let large else { return .int64 }
      guard let negative else { return .uint64 }
      let (first, second) =
        (negative.line, negative.column) < (large.line, large.column)
        ? (negative, large) : (large, negative)
      throw TextJournalError(
        .mixedTypes, path: path, line: second.line, column: second.column,
        sentence:
          "\(name): found \(second == negative ? "a negative integer" : "an integer above 63 bits"), "
          + "but \(first) has \(first == negative ? "a negative integer" : "an integer above 63 bits"); "
          + "no type can represent both.")
    }
  }
}
