import DaybookEssentials
import DaybookStore

/// Conversions of JSON values in a text journal to attribute values.
extension AttributeValue {
  /// Creates the value of a type from a value in a text.
  ///
  /// - Complexity: O(*n*)
  init(_ value: TextValue, as type: AttributeType) throws(TextDefect) {
    if case .null = value.content {
      self = .null
      return
    }
    switch type {
    case .scalar(let scalar): self = try AttributeValue(value, as: scalar)
    case .reference(let target):
      self = .reference(try RecordIdentifier(value, as: target.identifierKind))
    case .array(let scalar):
      guard case .array(let elements) = value.content else {
        throw TextDefect(value, expected: "an array")
      }
      var values: [AttributeValue] = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(try AttributeValue(element, as: scalar)) }
      self = .array(values)
    case .references(let target):
      guard case .array(let elements) = value.content else {
        throw TextDefect(value, expected: "an array of identifiers")
      }
      var values: [AttributeValue] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        values.append(.reference(try RecordIdentifier(element, as: target.identifierKind)))
      }
      self = .array(values)
    }
  }

  private init(_ value: TextValue, as type: ScalarType) throws(TextDefect) {
    switch type {
    case .bool:
      guard case .bool(let bool) = value.content else {
        throw TextDefect(value, expected: "true or false")
      }
      self = .bool(bool)
    case .int8: self = .int(Int64(try AttributeValue.integer(value, as: Int8.self)))
    case .int16: self = .int(Int64(try AttributeValue.integer(value, as: Int16.self)))
    case .int32: self = .int(Int64(try AttributeValue.integer(value, as: Int32.self)))
    case .int64: self = .int(try AttributeValue.integer(value, as: Int64.self))
    case .uint8: self = .uint(UInt64(try AttributeValue.integer(value, as: UInt8.self)))
    case .uint16: self = .uint(UInt64(try AttributeValue.integer(value, as: UInt16.self)))
    case .uint32: self = .uint(UInt64(try AttributeValue.integer(value, as: UInt32.self)))
    case .uint64: self = .uint(try AttributeValue.integer(value, as: UInt64.self))
    case .float: self = .float(try AttributeValue.float(value))
    case .double: self = .double(try AttributeValue.double(value))
    case .decimal:
      self = .decimal(
        try AttributeValue.read(value, expected: "a decimal in a string") {
          (contents) throws(TextError) in try DecimalText.decimal(contents)
        })
    case .string: self = .string(try AttributeValue.string(value, expected: "a string"))
    case .date:
      self = .date(
        try AttributeValue.read(value, expected: "a date in a string") {
          (contents) throws(TextError) in
          try DateText.date(contents)
        })
    case .uuid:
      self = .uuid(
        try AttributeValue.read(value, expected: "a UUID in a string") {
          (contents) throws(TextError) in
          try UUIDText.uuid(contents)
        })
    case .data:
      self = .data(
        try AttributeValue.read(value, expected: "base64 in a string") {
          (contents) throws(TextError) in
          try Base64Text.bytes(contents)
        })
    case .url: self = .url(try AttributeValue.string(value, expected: "a URL in a string"))
    }
  }

  static func string(_ value: TextValue, expected: String) throws(TextDefect) -> String {
    guard case .string(let contents) = value.content else {
      throw TextDefect(value, expected: expected)
    }
    return contents
  }

  private static func read<Value>(
    _ value: TextValue, expected: String, body: (String) throws(TextError) -> Value
  ) throws(TextDefect) -> Value {
    let contents = try string(value, expected: expected)
    do { return try body(contents) } catch { throw TextDefect(value, error: error) }
  }

  /// Returns an integer of a type from a value in a text.
  fileprivate static func integer<Number: FixedWidthInteger>(
    _ value: TextValue, as type: Number.Type
  ) throws(TextDefect) -> Number {
    let number: Number? =
      switch value.content {
      case .integer(let integer): Number(exactly: integer)
      case .number(let number):
        switch number.value {
        case .integer(let integer): Number(exactly: integer)
        case .unsigned(let integer): Number(exactly: integer)
        default: nil
        }
      default: nil
      }
    guard let number else {
      throw TextDefect(value, expected: "an integer from \(Number.min) to \(Number.max)")
    }
    return number
  }

  private static func double(_ value: TextValue) throws(TextDefect) -> Double {
    switch value.content {
    case .integer(let integer): return Double(integer)
    case .number(let number):
      let double = number.double
      if number.value != .wide, double.isFinite { return double }
      throw TextDefect(
        value.offset, sentence: tooFar(number, limit: "a double is at most 1.7976931348623157e+308")
      )
    case .string("NaN"): return .nan
    case .string("Infinity"): return .infinity
    case .string("-Infinity"): return -.infinity
    default: throw TextDefect(value, expected: numberPhrase)
    }
  }

  private static func float(_ value: TextValue) throws(TextDefect) -> Float {
    switch value.content {
    case .integer(let integer): return Float(integer)
    case .number(let number):
      let float = number.float
      if number.value != .wide, float.isFinite { return float }
      throw TextDefect(
        value.offset, sentence: tooFar(number, limit: "a float is at most 3.4028235e+38"))
    case .string("NaN"): return .nan
    case .string("Infinity"): return .infinity
    case .string("-Infinity"): return -.infinity
    default: throw TextDefect(value, expected: numberPhrase)
    }
  }

  private static let numberPhrase = "a number, \"NaN\", \"Infinity\" or \"-Infinity\""

  static func tooFar(_ number: JSONNumber, limit: String) -> String {
    let literal = number.text.prefix(JSONError.wordLengthMax)
    if number.value == .wide { return "the integer \(literal) does not fit in 64 bits." }
    return "\(literal) is out of range; \(limit)."
  }
}

extension RecordIdentifier {
  /// Creates an identifier of a kind from a value in a text.
  init(_ value: TextValue, as kind: IdentifierKind) throws(TextDefect) {
    switch kind {
    case .int: self = .int(try AttributeValue.integer(value, as: Int64.self))
    case .uint: self = .uint(try AttributeValue.integer(value, as: UInt64.self))
    case .string: self.init(try AttributeValue.string(value, expected: "an identifier in a string"))
    case .uuid:
      let contents = try AttributeValue.string(value, expected: "a UUID in a string")
      do { self = .uuid(try UUIDText.uuid(contents)) } catch {
        throw TextDefect(value, error: error)
      }
    }
  }
}

/// A JSON value in a line, before the type of its attribute is known.
struct TextValue {
  enum Content {
    case null
    case bool(Bool)
    /// An integer of 64 bits that is not 0. A zero has the case `number`, because only the text of
    /// the number contains the sign of a zero.
    case integer(Int64)
    case number(JSONNumber)
    case string(String)
    case array([TextValue])
    case object
  }

  var content: Content
  /// The byte offset of the value in the line.
  var offset: Int

  /// A description of the value for error messages.
  var phrase: String {
    switch content {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let integer): "\(integer)"
    case .number(let number): String(number.text.prefix(JSONError.wordLengthMax))
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// The error of a value that does not have the expected form.
struct TextDefect: Error {
  /// The byte offset of the value in the line.
  var offset: Int
  /// The number of Unicode scalars before the error, if the value is a string and the error has a
  /// position in that string.
  var scalarOffset: Int?
  /// A description of the expected values; nil if the sentence does not have this form.
  var expected: String?
  var sentence: String

  init(_ value: TextValue, expected: String) {
    offset = value.offset
    self.expected = expected
    sentence = "expected \(expected), found \(value.phrase)."
  }

  init(_ value: TextValue, error: TextError) {
    offset = value.offset
    scalarOffset = error.scalarOffset
    sentence = error.sentence
  }

  init(_ offset: Int, sentence: String) {
    self.offset = offset
    self.sentence = sentence
  }
}
