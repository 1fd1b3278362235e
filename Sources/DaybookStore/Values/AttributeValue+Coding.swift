import DaybookEssentials

/// Encodes a value in the form that a text journal uses:
///
/// - a date, a decimal number, a UUID, a URL and data as strings; the strategies of the encoder,
///   such as `dateEncodingStrategy`, have no effect,
/// - a floating-point number that is not finite as one of the strings `NaN`, `Infinity` and
///   `-Infinity`,
/// - a reference as the identifier of the record that it refers to.
///
/// An encoded value does not contain its type. Therefore decoding needs the type, which the caller
/// passes as the configuration.
extension AttributeValue: Encodable, DecodableWithConfiguration {
  /// Encodes the value, without its type.
  public func encode(to encoder: any Encoder) throws {
    if case .array(let values) = self {
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .int(let integer): try container.encode(integer)
    case .uint(let integer): try container.encode(integer)
    case .float(let float) where float.isFinite: try container.encode(float)
    case .float(let float): try container.encode(NumberText.text(of: float))
    case .double(let double) where double.isFinite: try container.encode(double)
    case .double(let double): try container.encode(NumberText.text(of: double))
    case .decimal(let decimal): try container.encode(DecimalText.text(of: decimal))
    case .string(let string), .url(let string): try container.encode(string)
    case .date(let date): try container.encode(DateText.text(of: date))
    case .uuid(let uuid): try container.encode(UUIDText.text(of: uuid))
    case .data(let bytes): try container.encode(Base64Text.text(of: bytes))
    case .reference(let identifier): try container.encode(identifier)
    case .array: preconditionFailure("the array \(self) was encoded as one value")
    }
  }

  /// Creates a value of a type from its encoded form. An encoded nil becomes ``null`` for every
  /// type.
  ///
  /// - Parameters:
  ///   - decoder: The decoder of the value.
  ///   - type: The type of the attribute.
  /// - Throws: `DecodingError` if the value is not of this type
  public init(from decoder: any Decoder, configuration type: AttributeType) throws {
    switch type {
    case .scalar(let scalar):
      let isNull = try decoder.singleValueContainer().decodeNil()
      self = isNull ? .null : try AttributeValue(from: decoder, scalar: scalar)
    case .reference(let target):
      let isNull = try decoder.singleValueContainer().decodeNil()
      self =
        isNull
        ? .null
        : .reference(
          try RecordIdentifier(from: decoder, configuration: target.identifierKind))
    case .array(let scalar):
      self = try AttributeValue.elements(of: decoder) {
        try AttributeValue(from: $0, scalar: scalar)
      }
    case .references(let target):
      self = try AttributeValue.elements(of: decoder) {
        .reference(try RecordIdentifier(from: $0, configuration: target.identifierKind))
      }
    }
  }

  /// Decodes an array with a closure that decodes one element. Returns null for an encoded nil.
  private static func elements(
    of decoder: any Decoder, decode: (any Decoder) throws -> AttributeValue
  ) throws -> AttributeValue {
    if try decoder.singleValueContainer().decodeNil() { return .null }
    var container = try decoder.unkeyedContainer()
    var values: [AttributeValue] = []
    while !container.isAtEnd { values.append(try decode(container.superDecoder())) }
    return .array(values)
  }

  /// Creates a scalar from its encoded form, which must not be nil.
  private init(from decoder: any Decoder, scalar: ScalarType) throws {
    let container = try decoder.singleValueContainer()
    switch scalar {
    case .bool: self = .bool(try container.decode(Bool.self))
    case .int8: self = .int(Int64(try container.decode(Int8.self)))
    case .int16: self = .int(Int64(try container.decode(Int16.self)))
    case .int32: self = .int(Int64(try container.decode(Int32.self)))
    case .int64: self = .int(try container.decode(Int64.self))
    case .uint8: self = .uint(UInt64(try container.decode(UInt8.self)))
    case .uint16: self = .uint(UInt64(try container.decode(UInt16.self)))
    case .uint32: self = .uint(UInt64(try container.decode(UInt32.self)))
    case .uint64: self = .uint(try container.decode(UInt64.self))
    case .float:
      let special = AttributeValue.special(container)
      self = .float(try special.map { Float($0) } ?? container.decode(Float.self))
    case .double:
      self = .double(try AttributeValue.special(container) ?? container.decode(Double.self))
    case .decimal:
      self = .decimal(
        try decoder.value { (string) throws(TextError) in try DecimalText.decimal(string) })
    case .string: self = .string(try container.decode(String.self))
    case .date:
      self = .date(try decoder.value { (string) throws(TextError) in try DateText.date(string) })
    case .uuid:
      self = .uuid(try decoder.value { (string) throws(TextError) in try UUIDText.uuid(string) })
    case .data:
      self = .data(try decoder.value { (string) throws(TextError) in try Base64Text.bytes(string) })
    case .url: self = .url(try container.decode(String.self))
    }
  }

  /// Returns NaN or an infinity if the encoded value is the string of its name; otherwise nil.
  private static func special(_ container: any SingleValueDecodingContainer) -> Double? {
    guard let string = try? container.decode(String.self) else { return nil }
    return NumberText.special(string.utf8Span.span)
  }
}
