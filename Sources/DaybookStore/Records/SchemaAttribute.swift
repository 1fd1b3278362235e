/// An attribute of a record type, with its name and the closures that write it to a row and read it
/// from a row.
///
/// A stored property is accessed at its offset in the record, which is much faster than a key path.
/// Any other property is accessed by its key path.
///
/// The closures that run for each record are created in the module of the schema, where the
/// compiler can specialize them for the record and the value. The others are created in this
/// module.
@usableFromInline
package final class SchemaAttribute<R: Record>: Sendable {
  @usableFromInline package typealias Append = AttributeAccess.Append
  @usableFromInline package typealias Read = AttributeAccess.Read

  package let name: String
  /// The property of the record.
  let keyPath: PartialKeyPath<R> & Sendable
  /// Returns the definition of the attribute.
  ///
  /// The definition of a reference needs the schema of the target, which may refer back. Therefore
  /// it is computed when a store is opened, and not when the schema is created.
  ///
  /// The prototype supplies the default of an attribute that declares none.
  let definition: @Sendable (R) -> AttributeDefinition
  /// A Boolean value that indicates whether the schema declares a default for the attribute.
  let hasDefault: Bool
  /// Returns the substitute that the schema declares for unknown values; nil if it declares none.
  let unknownSubstitute: @Sendable () -> AttributeValue?
  /// Returns the values that the property's type cannot represent; nil if it can represent all.
  let unknownValues: @Sendable () -> UnknownValues?
  package let isNil: @Sendable (borrowing R) -> Bool
  /// A Boolean value that indicates whether the property can be nil.
  let isOptional: Bool
  package let append: Append
  package let read: Read
  /// Sets the property to nil, if it is optional.
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
        renamedFrom: options.earlierName, inverse: options.inverse,
        ownDeleteRule: options.ownDeleteRule, whenDeleted: options.whenDeleted,
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
    // An optional without a value has no bytes, and clearing sets it to nil. Any other property
    // keeps the value of the prototype.
    clear = { record in
      if let none = Value.none {
        SchemaAttribute.record(record).pointee[keyPath: keyPath] = none
      }
      return true
    }
  }

  /// Returns a converter for values that had another type.
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

  /// Returns the converter for values of another type; nil if the schema declares none.
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

  // The offset belongs to a stored property of this type, because it was computed from the key
  // path.
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

  // Only a codec of this record type uses the closures, and it passes records of this type.
  @inlinable @inline(__always)
  static func record(_ record: UnsafeRawPointer) -> UnsafePointer<R> {
    record.assumingMemoryBound(to: R.self)
  }

  @inlinable @inline(__always)
  static func record(_ record: UnsafeMutableRawPointer) -> UnsafeMutablePointer<R> {
    record.assumingMemoryBound(to: R.self)
  }
}

/// The options of an attribute's declaration, besides its name and its property.
@usableFromInline
struct AttributeOptions<Value: AttributeRepresentable>: Sendable {
  @usableFromInline var isRequired = false
  @usableFromInline var defaultValue: Value?
  @usableFromInline var unknownValue: Value?
  @usableFromInline var earlierName: String?
  @usableFromInline var inverse: String?
  @usableFromInline var ownDeleteRule = DeleteRule.nullify
  @usableFromInline var whenDeleted: DeleteRule?
  @usableFromInline var isChecked = false
  /// The conversions from types of earlier versions.
  @usableFromInline var converters: [@Sendable () -> AttributeConverter] = []

  @usableFromInline
  init(renamedFrom earlierName: String?) {
    self.earlierName = earlierName
  }

  /// Declares the effect of deleting the target of a reference that owns nothing.
  ///
  /// `nullify` and `none` are stored in the form of the first version of the format, so that its
  /// programs can write to the journal.
  @usableFromInline
  mutating func declare(whenDeleted rule: DeleteRule) {
    switch rule {
    case .nullify: (ownDeleteRule, whenDeleted) = (.nullify, nil)
    case .none: (ownDeleteRule, whenDeleted) = (.none, nil)
    case .cascade, .deny: (ownDeleteRule, whenDeleted) = (.nullify, rule)
    }
  }
}

/// A converter for values of an attribute that had another type.
@usableFromInline
struct AttributeConverter: Sendable {
  /// The earlier type.
  let from: AttributeType
  /// Sets the attribute of a record, unless the earlier value cannot be converted.
  let read: AttributeAccess.Read
  /// Appends the bytes of the converted value, and returns whether there is a value.
  let append: @Sendable (RawSpan, inout RowBuffer) -> Bool
}

/// Closures that access an attribute of a record of a type that the caller knows. Their signatures
/// do not contain the record type, so calls do not need its metadata.
@usableFromInline
package enum AttributeAccess {
  @usableFromInline package typealias Append =
    @Sendable (UnsafeRawPointer, inout RowWriter) -> Void
  /// Returns whether the type of the attribute can represent the value in the bytes. Otherwise the
  /// attribute is unchanged.
  @usableFromInline package typealias Read =
    @Sendable (RawSpan, UnsafeMutableRawPointer) -> Bool
  /// Returns the same result as ``Read``.
  package typealias Clear = @Sendable (UnsafeMutableRawPointer) -> Bool
}

/// Closures that access the identifier of a record of a type that the caller knows.
@usableFromInline
struct IdentifierAccess: Sendable {
  let read: @Sendable (UnsafeRawPointer) -> RecordIdentifier
  /// Returns whether a record can have the identifier, and sets it in that case.
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
  /// The value as an ``AttributeValue``.
  package var attributeValue: AttributeValue {
    if isNil { return .null }
    var buffer = RowBuffer()
    append(to: &buffer)
    return AttributeValue(Self.attributeType, bytes: buffer.bytes.span.bytes) ?? .null
  }

  /// The empty value of an optional type; nil if the type is not optional.
  package static var none: Self? { (Self.self as? any ExpressibleByNilLiteral.Type)?.none as? Self }
}

extension ExpressibleByNilLiteral {
  fileprivate static var none: Any { Self(nilLiteral: ()) }
}
