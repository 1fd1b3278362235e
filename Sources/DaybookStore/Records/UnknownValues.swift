import DaybookEssentials

/// The stored values of an attribute that its Swift type cannot represent. For example, a newer
/// program stores the raw value "sour", and the enumeration of an older program has no such case.
package struct UnknownValues: Sendable {
  /// The value that the schema declares as a substitute for all unknown values.
  struct Substitute: Sendable {
    /// The bytes of the substitute in a row; nil if the substitute is nil.
    let bytes: [UInt8]?
    /// A closure that returns whether the attribute of a record equals the substitute.
    let isValueOf: @Sendable (UnsafeRawPointer) -> Bool
  }

  /// A closure that returns whether the type can represent a stored value.
  let isKnown: @Sendable (RawSpan) -> Bool
  /// The value that records, filters, sort keys and sections use instead of an unknown value.
  /// Without a substitute, reading a record with an unknown value is an error.
  let substitute: Substitute?

  /// Creates the unknown values of an attribute.
  ///
  /// - Parameters:
  ///   - substitute: The value that the schema declares; nil if it declares none.
  ///   - value: A closure that returns the value of the attribute in a record.
  init<Value: AttributeRepresentable>(
    substitute: Value?, value: @escaping @Sendable (UnsafeRawPointer) -> Value
  ) {
    isKnown = { Value(_row: $0) != nil }
    self.substitute = substitute.map { substitute in
      let bytes = UnknownValues.bytes(of: substitute)
      return Substitute(bytes: bytes) { UnknownValues.bytes(of: value($0)) == bytes }
    }
  }

  private static func bytes(of value: some AttributeRepresentable) -> [UInt8]? {
    if value._isNil { return nil }
    var buffer = RowBuffer()
    value._append(to: &buffer)
    return buffer.bytes
  }

  /// Returns whether a type can represent every value that a journal can contain for its attribute
  /// type.
  static func isComplete(_ type: any AttributeRepresentable.Type) -> Bool {
    if let container = type as? any AttributeContainer.Type {
      return isComplete(container.contained)
    }
    return type._attributeType.target != nil || completeTypes.contains(ObjectIdentifier(type))
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

/// An optional or an array, which can represent the values that the type inside it can represent.
private protocol AttributeContainer {
  static var contained: any AttributeRepresentable.Type { get }
}

extension Optional: AttributeContainer where Wrapped: AttributeRepresentable {
  fileprivate static var contained: any AttributeRepresentable.Type { Wrapped.self }
}

extension Array: AttributeContainer where Element: ElementRepresentable {
  fileprivate static var contained: any AttributeRepresentable.Type { Element.self }
}
