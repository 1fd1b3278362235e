import DaybookEssentials

/// Encodes an identifier in the form that a text journal uses: as a number or a string. A UUID is
/// encoded as a string.
extension RecordIdentifier: Codable {
  /// Encodes the identifier as a number or a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .int(let number): try container.encode(number)
    case .uint(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    case .uuid(let uuid): try container.encode(UUIDText.text(of: uuid))
    }
  }

  /// Creates an identifier from a number or a string whose kind is not known.
  ///
  /// - A number becomes `int` if it is in the range of `Int64`, and `uint` otherwise.
  /// - A string in the form of a UUID becomes `uuid`, and any other string becomes `string`.
  ///
  /// If the program knows the kind, use ``init(from:configuration:)`` instead.
  ///
  /// - Throws: `DecodingError` if the value is neither an integer of 64 bits nor a string
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let string = try? container.decode(String.self) {
      let uuid = try? UUIDText.uuid(string)
      self = uuid.map { .uuid($0) } ?? RecordIdentifier(string)
    } else if let number = try? container.decode(Int64.self) {
      self = .int(number)
    } else {
      self = .uint(try container.decode(UInt64.self))
    }
  }
}

extension RecordIdentifier: DecodableWithConfiguration {
  /// Creates an identifier of a kind.
  ///
  /// - Parameters:
  ///   - decoder: The decoder of one value.
  ///   - kind: The kind of the entity's identifiers.
  /// - Throws: `DecodingError` if the value is not an identifier of this kind
  public init(from decoder: any Decoder, configuration kind: IdentifierKind) throws {
    let container = try decoder.singleValueContainer()
    switch kind {
    case .int: self = .int(try container.decode(Int64.self))
    case .uint: self = .uint(try container.decode(UInt64.self))
    case .string: self.init(try container.decode(String.self))
    case .uuid:
      self = .uuid(try decoder.value { (string) throws(TextError) in try UUIDText.uuid(string) })
    }
  }
}

extension Decoder {
  /// Decodes a string and returns the value that a closure parses from the string.
  ///
  /// - Throws: `DecodingError` with the sentence of the closure's error
  func value<Value>(parsing parse: (String) throws(TextError) -> Value) throws -> Value {
    let string = try singleValueContainer().decode(String.self)
    do {
      return try parse(string)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: codingPath, debugDescription: error.sentence))
    }
  }
}
