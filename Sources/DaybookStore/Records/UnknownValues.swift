import DaybookEssentials

/// The stored values of an attribute that its Swift type cannot represent. An example is a raw
/// value without a case, written by a newer program.
package struct UnknownValues: Sendable {
  /// The value that the schema declares as a substitute for all unknown values.
  struct Substitute: Sendable {
    /// The bytes of the value in a row; nil for the value nil.
    let bytes: [UInt8]?
    /// Returns whether a record has this value.
    let isValueOf: @Sendable (UnsafeRawPointer) -> Bool
  }

  /// Returns whether the type can represent a stored value.
  let isKnown: @Sendable (RawSpan) -> Bool
  /// The substitute in records, filters, sort keys and sections. Without a substitute, reading a
  /// record with an unknown value is an error.
  let substitute: Substitute?

  /// Creates the unknown values of an attribute.
  ///
  /// - Parameters:
  ///   - substitute: The value that the schema declares; nil if it declares none.
  ///   - value: Returns the value of the attribute in a record.
  init<Value: AttributeRepresentable>(
    substitute: Value?, value: @escaping @Sendable (UnsafeRawPointer) -> Value
  ) {
    isKnown = { Value(row: $0) != nil }
    self.substitute = substitute.map { substitute in
      let bytes = UnknownValues.bytes(of: substitute)
      return Substitute(bytes: bytes) { UnknownValues.bytes(of: value($0)) == bytes }
    }
  }

  private static func bytes(of value: some AttributeRepresentable) -> [UInt8]? {
    if value.isNil { return nil }
    var buffer = RowBuffer()
    value.append(to: &buffer)
    return buffer.bytes
  }

  /// Returns whether a type can represent every value that a journal can contain for its attribute
  /// type.
  static func isComplete(_ type: any AttributeRepresentable.Type) -> Bool {
    if let container = type as? any AttributeContainer.Type {
      return isComplete(container.contained)
    }
    return type.attributeType.target != nil || completeTypes.contains(ObjectIdentifier(type))
  }

  private static let completeTypes: Set<ObjectIdentifier> = [
    ObjectIdentifier(Int8.self), ObjectIdentifier(Int16.self), ObjectIdentifier(Int32.self),
    ObjectIdentifier(Int64.self), ObjectIdentifier(Int.self), ObjectIdentifier(UInt8.self),
    ObjectIdentifier(UInt16.self), ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self),
    ObjectIdentifier(UInt.self), ObjectIdentifier(Bool.self), ObjectIdentifier(Float.self),
    ObjectIdentifier(Double.self), ObjectIdentifier(Decimal.self), ObjectIdentifier(String.self),
    ObjectIdentifier(Date.self), ObjectIdentifier(UUID.self), ObjectIdentifier(Data.self),
  ]
}

/// A type that contains values of another type.
private protocol AttributeContainer {
  static var contained: any AttributeRepresentable.Type { get }
}

extension Optional: AttributeContainer where Wrapped: AttributeRepresentable {
  fileprivate static var contained: any AttributeRepresentable.Type { Wrapped.self }
}

extension Array: AttributeContainer where Element: ElementRepresentable {
  fileprivate static var contained: any AttributeRepresentable.Type { Element.self }
}
