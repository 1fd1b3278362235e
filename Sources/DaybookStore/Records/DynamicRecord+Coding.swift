import DaybookEssentials

/// Encodes a record as an object with the key `id` and one key for each attribute, and decodes such
/// an object.
///
/// ```swift
/// for bank in try store.snapshot.objects("Bank") {
///   let json = try JSONEncoder().encode(bank)  // {"id": 7, "name": "First", "details": 12}
/// }
/// ```
///
/// The tool writes records in the same form. A reference is encoded as the identifier of the record
/// that it refers to.
extension DynamicRecord: Encodable, DecodableWithConfiguration {
  /// Encodes the identifier and the values.
  ///
  /// - Throws: `EncodingError` if the record has no ``definition``, or if the number of its values
  ///   differs from the number of attributes
  public func encode(to encoder: any Encoder) throws {
    guard let attributes = definition?.attributes, attributes.count == values.count else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath, debugDescription: problem(definition?.attributes.count)))
    }
    var container = encoder.container(keyedBy: AttributeKey.self)
    try container.encode(id, forKey: .identifier)
    for (attribute, value) in zip(attributes, values) {
      try container.encode(value, forKey: AttributeKey(attribute.name))
    }
  }

  private func problem(_ attributeCount: Int?) -> String {
    guard let attributeCount else {
      return """
        the record \(id) of \(entity) does not contain the names of its attributes. Create it with the \
        definition of the entity, from StoreSnapshot.entities.
        """
    }
    return """
      the record \(id) of \(entity) has a value count of \(values.count), and its definition has an \
      attribute count of \(attributeCount). Set a value for each attribute, or null.
      """
  }

  /// Creates a record of an entity.
  ///
  /// ```swift
  /// let bank = try JSONDecoder().decode(DynamicRecord.self, from: json, configuration: definition)
  /// ```
  ///
  /// Keys that are not `id` or the name of an attribute are ignored. An attribute without a key
  /// gets its default value, or null if it has no default.
  ///
  /// - Parameters:
  ///   - decoder: The decoder of an object.
  ///   - definition: The definition of the entity, from ``StoreSnapshot/entities``.
  /// - Throws: `DecodingError` if a value does not have the type of its attribute, if a required
  ///   attribute is null, or if a required attribute without a default has no key
  public init(from decoder: any Decoder, configuration definition: EntityDefinition) throws {
    let container = try decoder.container(keyedBy: AttributeKey.self)
    let id = try container.decode(
      RecordIdentifier.self, forKey: .identifier, configuration: definition.identifierKind)
    let values = try definition.attributes.map { attribute in
      try DynamicRecord.value(of: attribute, in: container)
    }
    self.init(definition, id: id, values: values)
  }

  private static func value(
    of attribute: AttributeDefinition, in container: KeyedDecodingContainer<AttributeKey>
  ) throws -> AttributeValue {
    let key = AttributeKey(attribute.name)
    guard container.contains(key) else {
      if !attribute.isRequired || !attribute.defaultValue.isNull { return attribute.defaultValue }
      throw DecodingError.keyNotFound(key, context(attribute, at: container.codingPath))
    }
    let value = try container.decode(
      AttributeValue.self, forKey: key, configuration: attribute.type)
    if value.isNull, attribute.isRequired {
      throw DecodingError.valueNotFound(
        AttributeValue.self, context(attribute, at: container.codingPath + [key]))
    }
    return value
  }

  private static func context(
    _ attribute: AttributeDefinition, at path: [any CodingKey]
  ) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: path, debugDescription: "\(attribute.name) is required, and has no value.")
  }

  /// The name of an attribute, as a key of the encoded object.
  private struct AttributeKey: CodingKey {
    static let identifier = AttributeKey("id")

    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }
}
