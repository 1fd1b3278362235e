/// An attribute of a record type: its name, and the closures that copy the property's value to a
/// row and from a row. `RecordSchema` creates it, and `RecordCodec` uses it.
///
/// ``append`` and ``read`` access a stored property at its offset in the record, because an offset
/// is much faster than a key path. For any other property, they use the key path, as all other
/// closures do.
///
/// `make` creates ``append`` and ``read``, which run most often. The function is inlinable. So the
/// compiler can specialize the two closures for the types of the record and of the value, when it
/// compiles the program that declares the schema. The initializer creates the other closures of the
/// attribute. They are compiled in this module and are not specialized.
@usableFromInline
package final class SchemaAttribute<R: Record>: Sendable {
  @usableFromInline package typealias Append = AttributeAccess.Append
  @usableFromInline package typealias Read = AttributeAccess.Read

  package let name: String
  /// The property of the record.
  let keyPath: PartialKeyPath<R> & Sendable
  /// A closure that returns the definition of the attribute. Its argument is the prototype: a
  /// record that `init()` of the record type has created.
  ///
  /// The definition of a reference needs the schema of the target, and that schema may refer back
  /// to this one. Therefore a store computes the definition when it is opened, and not when the
  /// schema is created.
  ///
  /// If an attribute declares no default and is not optional, the prototype's value is its default.
  let definition: @Sendable (R) -> AttributeDefinition
  /// A Boolean value that indicates whether the schema declares a default for the attribute.
  let hasDefault: Bool
  /// A closure that returns the substitute that the schema declares for values that the property's
  /// type cannot represent; nil if it declares none.
  let unknownSubstitute: @Sendable () -> AttributeValue?
  /// A closure that returns a test for values that the property's type cannot represent, and their
  /// substitute; nil if the type can represent every value and the schema declares no substitute.
  let unknownValues: @Sendable () -> UnknownValues?
  /// A closure that returns the type of a property with references that is declared as an attribute
  /// without references; nil for any other property.
  let misdeclaredType: @Sendable () -> AttributeType?
  /// A closure that returns whether the property of a record is nil.
  package let isNil: @Sendable (borrowing R) -> Bool
  /// A Boolean value that indicates whether the property can be nil.
  let isOptional: Bool
  /// A closure that appends the property of a record to a row.
  package let append: Append
  /// A closure that sets the property of a record to the value in the bytes of a row.
  package let read: Read
  /// A closure that sets the property to nil, if it is optional. Otherwise the property keeps its
  /// value.
  package let clear: AttributeAccess.Clear
  /// The closures that create the converters for earlier types of the attribute.
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
        guard let value = Value(_row: bytes) ?? unknownValue else { return false }
        SchemaAttribute.field(of: record, at: offset, as: Value.self).pointee = value
        return true
      }
    } else {
      append = { record, writer in
        SchemaAttribute.append(
          SchemaAttribute.record(record).pointee[keyPath: keyPath], to: &writer)
      }
      read = { bytes, record in
        guard let value = Value(_row: bytes) ?? unknownValue else { return false }
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
    let isAlwaysThere = !Value._isOptional
    let unknownValue = options.unknownValue
    hasDefault = options.defaultValue != nil
    definition = { prototype in
      let type = Value._attributeType
      var definition = AttributeDefinition(
        name, type: type, isRequired: options.isRequired || isAlwaysThere,
        renamedFrom: options.earlierName, inverse: options.inverse,
        // A reference without a declared rule remains if its target is deleted.
        ownDeleteRule: options.ownDeleteRule ?? (type.target == nil ? .nullify : .keep),
        whenTargetDeleted: options.whenTargetDeleted, isChecked: options.isChecked)
      let implied = isAlwaysThere ? prototype[keyPath: keyPath] : nil
      if let value = options.defaultValue ?? implied, !value._isNil {
        definition.defaultValue = value.attributeValue
      }
      return definition
    }
    misdeclaredType = {
      guard options.refusesReferences else { return nil }
      let type = Value._attributeType
      return type.target == nil ? nil : type
    }
    unknownSubstitute = { unknownValue?.attributeValue }
    unknownValues = {
      if unknownValue == nil, UnknownValues.isComplete(Value.self) { return nil }
      return UnknownValues(substitute: unknownValue) {
        SchemaAttribute.record($0).pointee[keyPath: keyPath]
      }
    }
    isNil = { $0[keyPath: keyPath]._isNil }
    isOptional = !isAlwaysThere
    // A codec calls `clear` for an attribute without bytes in the row, unless it sets a default
    // instead. An optional property is set to nil. Any other property keeps the value of the
    // prototype.
    clear = { record in
      if let none = Value.none {
        SchemaAttribute.record(record).pointee[keyPath: keyPath] = none
      }
      return true
    }
  }

  /// Returns a closure that creates a converter for values of an earlier type.
  static func converter<Earlier: AttributeRepresentable, Value: AttributeRepresentable>(
    at keyPath: WritableKeyPath<R, Value> & Sendable,
    converting convert: @escaping @Sendable (Earlier) -> Value?
  ) -> @Sendable () -> AttributeConverter {
    {
      AttributeConverter(
        from: Earlier._attributeType,
        read: { bytes, record in
          guard let value = Earlier(_row: bytes).flatMap(convert) else { return false }
          SchemaAttribute.record(record).pointee[keyPath: keyPath] = value
          return true
        },
        append: { bytes, buffer in
          guard let value = Earlier(_row: bytes).flatMap(convert), !value._isNil else {
            return false
          }
          value._append(to: &buffer)
          return true
        })
    }
  }

  /// Returns the converter for values of an earlier type; nil if the schema declares none.
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
    if value._isNil { writer.appendNil() } else { writer.append { value._append(to: &$0) } }
  }

  // The cast is valid: `MemoryLayout` computed the offset from the key path of a property of type
  // `Value`.
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

  // The cast is valid: only a codec of this record type uses the closures, and it passes records of
  // this type.
  @inlinable @inline(__always)
  static func record(_ record: UnsafeRawPointer) -> UnsafePointer<R> {
    record.assumingMemoryBound(to: R.self)
  }

  @inlinable @inline(__always)
  static func record(_ record: UnsafeMutableRawPointer) -> UnsafeMutablePointer<R> {
    record.assumingMemoryBound(to: R.self)
  }
}

/// The options of an attribute's declaration: all its parts besides the name and the property.
@usableFromInline
struct AttributeOptions<Value: AttributeRepresentable>: Sendable {
  @usableFromInline var isRequired = false
  @usableFromInline var defaultValue: Value?
  @usableFromInline var unknownValue: Value?
  @usableFromInline var earlierName: String?
  @usableFromInline var inverse: String?
  /// The rule for deletions of the record itself; nil if none is declared.
  @usableFromInline var ownDeleteRule: DeleteRule?
  @usableFromInline var whenTargetDeleted: DeleteRule?
  @usableFromInline var isChecked = false
  /// A Boolean value that indicates whether the property cannot contain references.
  @usableFromInline var refusesReferences = false
  /// The closures that create the converters for earlier types of the attribute.
  @usableFromInline var converters: [@Sendable () -> AttributeConverter] = []

  @usableFromInline
  init(renamedFrom earlierName: String?) {
    self.earlierName = earlierName
  }

  /// Declares what happens to a record if the target of its reference is deleted. The reference
  /// does not own the target.
  ///
  /// `nullify` and `none` are stored as `ownDeleteRule`, as in version 1 of the payload format.
  /// Programs that know only version 1 can therefore write to the journal.
  @usableFromInline
  mutating func declare(whenTargetDeleted rule: DeleteRule) {
    switch rule {
    case .nullify: (ownDeleteRule, whenTargetDeleted) = (.nullify, nil)
    case .keep: (ownDeleteRule, whenTargetDeleted) = (.keep, nil)
    case .cascade, .deny: (ownDeleteRule, whenTargetDeleted) = (.nullify, rule)
    }
  }
}

/// A converter for values of an attribute that had a different type in earlier layouts.
@usableFromInline
struct AttributeConverter: Sendable {
  /// The earlier type.
  let from: AttributeType
  /// Sets the property of a record to the converted value. It returns false if the earlier value
  /// cannot be converted.
  let read: AttributeAccess.Read
  /// Appends the bytes of the converted value. It returns false, and appends nothing, if the
  /// earlier value cannot be converted or if the result is nil.
  let append: @Sendable (RawSpan, inout RowBuffer) -> Bool
}

/// The types of closures that access one attribute of a record through a raw pointer. The caller
/// must pass a record of the type for which the closure was created. The signatures do not contain
/// the record type, so that a call does not need its metadata.
@usableFromInline
package enum AttributeAccess {
  @usableFromInline package typealias Append =
    @Sendable (UnsafeRawPointer, inout RowWriter) -> Void
  /// Sets the attribute to the value in the bytes. It returns false, and changes nothing, if the
  /// type of the attribute cannot represent the value.
  @usableFromInline package typealias Read =
    @Sendable (RawSpan, UnsafeMutableRawPointer) -> Bool
  /// Sets the attribute to nil or to its default, if the row has no value for it. The closure
  /// returns false in the same case as ``Read``.
  package typealias Clear = @Sendable (UnsafeMutableRawPointer) -> Bool
}

/// The closures that get and set the identifier of a record through a raw pointer. The caller must
/// pass a record of the type for which they were created.
@usableFromInline
struct IdentifierAccess: Sendable {
  let read: @Sendable (UnsafeRawPointer) -> RecordIdentifier
  /// A closure that sets the identifier of a record. It returns false, and changes nothing, if the
  /// record type cannot have the identifier.
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
  /// The value, converted to an ``AttributeValue``.
  package var attributeValue: AttributeValue {
    if _isNil { return .null }
    var buffer = RowBuffer()
    _append(to: &buffer)
    return AttributeValue(Self._attributeType, bytes: buffer.bytes.span.bytes) ?? .null
  }

  /// The value nil of an optional type. If the type is not optional, `none` is nil.
  package static var none: Self? { (Self.self as? any ExpressibleByNilLiteral.Type)?.none as? Self }
}

extension ExpressibleByNilLiteral {
  fileprivate static var none: Any { Self(nilLiteral: ()) }
}
