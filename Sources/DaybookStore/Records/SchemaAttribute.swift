/// One attribute of a record type: what it is called, and how it gets into a row and out of one.
///
/// A stored property is read and written at its offset in the record, which is several times as fast
/// as a key path; for any other the key path is used.
package struct SchemaAttribute<R: Record>: Sendable {
  package let name: String
  /// Types that refer to other entities ask for their schemas, which may refer back: so this is
  /// asked when a store is opened, not when the schema is made.
  package let definition: @Sendable () -> AttributeDefinition
  package let isNil: @Sendable (borrowing R) -> Bool
  package let append: @Sendable (UnsafePointer<R>, inout RowWriter) -> Void
  package let read: @Sendable (RawSpan, UnsafeMutablePointer<R>) -> Void
  /// Sets nil, where there can be nil.
  package let clear: @Sendable (UnsafeMutablePointer<R>) -> Void
  /// Sets a value of any type, and says whether it fits.
  package let set: @Sendable (AttributeValue, UnsafeMutablePointer<R>) -> Bool
  private let convert: @Sendable (RawSpan, (RawSpan) -> Any?, UnsafeMutablePointer<R>) -> Void
  private var converters: [@Sendable () -> (from: AttributeType, Converter)] = []

  package typealias Converter = @Sendable (RawSpan, UnsafeMutablePointer<R>) -> Void

  init<Value: AttributeRepresentable>(
    _ name: String, _ keyPath: WritableKeyPath<R, Value> & Sendable, required isRequired: Bool,
    default defaultValue: Value?, renamedFrom earlierName: String?, inverse: String? = nil,
    onDelete deleteRule: DeleteRule = .nullify
  ) {
    self.name = name
    let isAlwaysThere = !Value.isOptional
    definition = {
      var definition = AttributeDefinition(
        name, Value.attributeType, isRequired: isRequired || isAlwaysThere,
        renamedFrom: earlierName, inverse: inverse, onDelete: deleteRule)
      if let value = defaultValue ?? (isAlwaysThere ? R()[keyPath: keyPath] : nil), !value.isNil {
        definition.defaultValue = value.attributeValue
      }
      return definition
    }
    isNil = { $0[keyPath: keyPath].isNil }
    let offset = MemoryLayout<R>.offset(of: keyPath)
    if let offset {
      append = { record, writer in
        SchemaAttribute.append(
          SchemaAttribute.field(record, offset, Value.self).pointee, to: &writer)
      }
      read = { bytes, record in
        guard let value = Value(row: bytes) else { return }
        SchemaAttribute.field(record, offset, Value.self).pointee = value
      }
    } else {
      append = { record, writer in
        SchemaAttribute.append(record.pointee[keyPath: keyPath], to: &writer)
      }
      read = { bytes, record in
        guard let value = Value(row: bytes) else { return }
        record.pointee[keyPath: keyPath] = value
      }
    }
    // An empty optional has no bytes, and so is what no bytes give: it is read from the prototype.
    clear = { record in
      guard let none = Value.none else { return }
      record.pointee[keyPath: keyPath] = none
    }
    set = { value, record in
      if value.isNull {
        guard let none = Value.none else { return false }
        record.pointee[keyPath: keyPath] = none
        return true
      }
      guard value.fits(Value.attributeType) else { return false }
      var buffer = RowBuffer()
      value.append(as: Value.attributeType, to: &buffer)
      guard let new = Value(row: buffer.bytes.span.bytes) else { return false }
      record.pointee[keyPath: keyPath] = new
      return true
    }
    convert = { bytes, make, record in
      guard let value = make(bytes) as? Value else { return }
      record.pointee[keyPath: keyPath] = value
    }
  }

  mutating func addConverter<Earlier: AttributeRepresentable, Value: AttributeRepresentable>(
    _ change: @escaping @Sendable (Earlier) -> Value?
  ) {
    let convert = convert
    converters.append {
      (Earlier.attributeType, { convert($0, { Earlier(row: $0).flatMap(change) }, $1) })
    }
  }

  /// What makes a value of one that was of another type.
  func converter(from type: AttributeType) -> Converter? {
    for make in converters {
      let (from, converter) = make()
      if from == type { return converter }
    }
    return nil
  }

  private static func append<Value: AttributeRepresentable>(
    _ value: Value, to writer: inout RowWriter
  ) {
    if value.isNil { writer.appendNil() } else { writer.append { value.append(to: &$0) } }
  }

  // The offset is that of a stored property of this type, as the key path says.
  private static func field<Value>(
    _ record: UnsafePointer<R>, _ offset: Int, _ type: Value.Type
  ) -> UnsafePointer<Value> {
    (UnsafeRawPointer(record) + offset).assumingMemoryBound(to: type)
  }

  private static func field<Value>(
    _ record: UnsafeMutablePointer<R>, _ offset: Int, _ type: Value.Type
  ) -> UnsafeMutablePointer<Value> {
    (UnsafeMutableRawPointer(record) + offset).assumingMemoryBound(to: type)
  }
}

extension AttributeRepresentable {
  /// The value, whatever its type.
  package var attributeValue: AttributeValue {
    if isNil { return .null }
    var buffer = RowBuffer()
    append(to: &buffer)
    return AttributeValue(Self.attributeType, bytes: buffer.bytes.span.bytes) ?? .null
  }

  /// Nil, if this is an optional.
  package static var none: Self? { (Self.self as? any ExpressibleByNilLiteral.Type)?.none as? Self }
}

extension ExpressibleByNilLiteral {
  fileprivate static var none: Any { Self(nilLiteral: ()) }
}
