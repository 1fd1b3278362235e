/// One attribute of a record type: what it is called, and how it gets into a row and out of one.
///
/// A stored property is read and written at its offset in the record, which is several times as fast
/// as a key path; for any other the key path is used.
///
/// What is done for each record is made where the schema is, so that the compiler knows the record and
/// the value there; the rest is made in this module.
@usableFromInline
package final class SchemaAttribute<R: Record>: Sendable {
  @usableFromInline package typealias Append = AttributeAccess.Append
  @usableFromInline package typealias Read = AttributeAccess.Read

  package let name: String
  /// The property of the record.
  let keyPath: PartialKeyPath<R> & Sendable
  /// Types that refer to other entities ask for their schemas, which may refer back: so this is
  /// asked when a store is opened, not when the schema is made.
  ///
  /// The prototype has the default of an attribute that is not given one.
  let definition: @Sendable (R) -> AttributeDefinition
  /// Whether the schema gives the attribute a default.
  let hasDefault: Bool
  /// Returns the value that the schema declares for those that the property's type does not know; nil if it
  /// declares none.
  let unknownSubstitute: @Sendable () -> AttributeValue?
  /// Returns the values that the property's type does not know; nil if it knows all.
  let unknownValues: @Sendable () -> UnknownValues?
  package let isNil: @Sendable (borrowing R) -> Bool
  /// Whether the property can be nil.
  let isOptional: Bool
  package let append: Append
  package let read: Read
  /// Sets nil, where there can be nil.
  package let clear: AttributeAccess.Clear
  private let converters: [@Sendable () -> AttributeConverter]

  @inlinable
  static func make<Value: AttributeRepresentable>(
    _ name: String, at keyPath: WritableKeyPath<R, Value> & Sendable,
    options: AttributeOptions<Value>
  ) -> SchemaAttribute {
    let unknownValue = options.unknownValue
    let append: Append
    let read: Read
    if let offset = MemoryLayout<R>.offset(of: keyPath) {
      append = { record, writer in
        SchemaAttribute.append(
          SchemaAttribute.field(of: record, at: offset, as: Value.self).pointee, to: &writer)
      }
      read = { bytes, record in
        guard let value = Value(row: bytes) ?? unknownValue else { return false }
        SchemaAttribute.field(of: record, at: offset, as: Value.self).pointee = value
        return true
      }
    } else {
      append = { record, writer in
        SchemaAttribute.append(
          SchemaAttribute.record(record).pointee[keyPath: keyPath], to: &writer)
      }
      read = { bytes, record in
        guard let value = Value(row: bytes) ?? unknownValue else { return false }
        SchemaAttribute.record(record).pointee[keyPath: keyPath] = value
        return true
      }
    }
    return SchemaAttribute(name, at: keyPath, options: options, append: append, read: read)
  }

  @usableFromInline
  init<Value: AttributeRepresentable>(
    _ name: String, at keyPath: WritableKeyPath<R, Value> & Sendable,
    options: AttributeOptions<Value>, append: @escaping Append, read: @escaping Read
  ) {
    self.name = name
    self.keyPath = keyPath
    self.append = append
    self.read = read
    converters = options.converters
    let isAlwaysThere = !Value.isOptional
    let unknownValue = options.unknownValue
    hasDefault = options.defaultValue != nil
    definition = { prototype in
      var definition = AttributeDefinition(
        name, type: Value.attributeType, isRequired: options.isRequired || isAlwaysThere,
        renamedFrom: options.earlierName, inverse: options.inverse, onDelete: options.deleteRule,
        isChecked: options.isChecked)
      let implied = isAlwaysThere ? prototype[keyPath: keyPath] : nil
      if let value = options.defaultValue ?? implied, !value.isNil {
        definition.defaultValue = value.attributeValue
      }
      return definition
    }
    unknownSubstitute = { unknownValue?.attributeValue }
    unknownValues = {
      if unknownValue == nil, UnknownValues.isComplete(Value.self) { return nil }
      return UnknownValues(substitute: unknownValue) {
        SchemaAttribute.record($0).pointee[keyPath: keyPath]
      }
    }
    isNil = { $0[keyPath: keyPath].isNil }
    isOptional = !isAlwaysThere
    // An empty optional has no bytes, and so is what no bytes give: it is read from the prototype.
    clear = { record in
      if let none = Value.none {
        SchemaAttribute.record(record).pointee[keyPath: keyPath] = none
      }
      return true
    }
  }

  /// What makes values of ones that were of another type.
  static func converter<Earlier: AttributeRepresentable, Value: AttributeRepresentable>(
    at keyPath: WritableKeyPath<R, Value> & Sendable,
    converting convert: @escaping @Sendable (Earlier) -> Value?
  ) -> @Sendable () -> AttributeConverter {
    {
      AttributeConverter(
        from: Earlier.attributeType,
        read: { bytes, record in
          guard let value = Earlier(row: bytes).flatMap(convert) else { return false }
          SchemaAttribute.record(record).pointee[keyPath: keyPath] = value
          return true
        },
        append: { bytes, buffer in
          guard let value = Earlier(row: bytes).flatMap(convert), !value.isNil else { return false }
          value.append(to: &buffer)
          return true
        })
    }
  }

  /// The converter of values that were of another type; nil if the schema gives none.
  func converter(from type: AttributeType) -> AttributeConverter? {
    for make in converters {
      let converter = make()
      if converter.from == type { return converter }
    }
    return nil
  }

  @inlinable @inline(__always)
  static func append<Value: AttributeRepresentable>(
    _ value: Value, to writer: inout RowWriter
  ) {
    if value.isNil { writer.appendNil() } else { writer.append { value.append(to: &$0) } }
  }

  // The offset is that of a stored property of this type, as the key path says.
  @inlinable @inline(__always)
  static func field<Value>(
    of record: UnsafeRawPointer, at offset: Int, as type: Value.Type
  ) -> UnsafePointer<Value> {
    (record + offset).assumingMemoryBound(to: type)
  }

  @inlinable @inline(__always)
  static func field<Value>(
    of record: UnsafeMutableRawPointer, at offset: Int, as type: Value.Type
  ) -> UnsafeMutablePointer<Value> {
    (record + offset).assumingMemoryBound(to: type)
  }

  // Only a codec of this record's type has its attributes, and hands them such records.
  @inlinable @inline(__always)
  static func record(_ record: UnsafeRawPointer) -> UnsafePointer<R> {
    record.assumingMemoryBound(to: R.self)
  }

  @inlinable @inline(__always)
  static func record(_ record: UnsafeMutableRawPointer) -> UnsafeMutablePointer<R> {
    record.assumingMemoryBound(to: R.self)
  }
}

/// The parts of an attribute's declaration beside its name and its property.
@usableFromInline
struct AttributeOptions<Value: AttributeRepresentable>: Sendable {
  @usableFromInline var isRequired = false
  @usableFromInline var defaultValue: Value?
  @usableFromInline var unknownValue: Value?
  @usableFromInline var earlierName: String?
  @usableFromInline var inverse: String?
  @usableFromInline var deleteRule = DeleteRule.nullify
  @usableFromInline var isChecked = false
  /// The conversions from types of earlier versions.
  @usableFromInline var converters: [@Sendable () -> AttributeConverter] = []

  @usableFromInline
  init(renamedFrom earlierName: String?) {
    self.earlierName = earlierName
  }
}

/// Converts values of an attribute that were of another type.
@usableFromInline
struct AttributeConverter: Sendable {
  /// The type that they were of.
  let from: AttributeType
  /// Sets the attribute of a record, unless there is no value for one of the earlier type.
  let read: AttributeAccess.Read
  /// Appends the bytes of the new value, and returns whether there is one.
  let append: @Sendable (RawSpan, inout RowBuffer) -> Bool
}

/// What is done to an attribute of a record whose type the caller knows: without the type in them,
/// these can be kept and called without finding out about it each time.
@usableFromInline
package enum AttributeAccess {
  @usableFromInline package typealias Append =
    @Sendable (UnsafeRawPointer, inout RowWriter) -> Void
  /// Returns whether the type of the attribute has a value for the bytes. If it has none, the attribute is as it was.
  @usableFromInline package typealias Read =
    @Sendable (RawSpan, UnsafeMutableRawPointer) -> Bool
  /// Returns what ``Read`` returns.
  package typealias Clear = @Sendable (UnsafeMutableRawPointer) -> Bool
}

/// What is done to the identifier of a record whose type the caller knows.
@usableFromInline
struct IdentifierAccess: Sendable {
  let read: @Sendable (UnsafeRawPointer) -> RecordIdentifier
  /// Answers whether it is one that such a record can have.
  let set: @Sendable (RecordIdentifier, UnsafeMutableRawPointer) -> Bool

  @usableFromInline
  init(
    read: @escaping @Sendable (UnsafeRawPointer) -> RecordIdentifier,
    set: @escaping @Sendable (RecordIdentifier, UnsafeMutableRawPointer) -> Bool
  ) {
    self.read = read
    self.set = set
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
