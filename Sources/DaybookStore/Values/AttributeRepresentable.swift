import DaybookEssentials

/// A Swift type that can be an attribute of a record.
///
/// `Bool`, the integers, `Float`, `Double`, `Decimal`, `String`, `Date`, `UUID`, `Data`, `URL` and
/// ``Reference`` conform, and so do optionals and arrays of these. An enumeration with a raw value
/// only has to declare the conformance:
///
/// ```swift
/// enum Flavour: String, AttributeRepresentable { case sweet, sour }
/// ```
///
/// A newer program may write a raw value without a case in the enumeration. The journal keeps this
/// value. Reading the record throws ``StoreError`` with `unknownValue`, unless the schema declares
/// a substitute: see ``RecordSchema/attribute(_:at:required:default:unknown:renamedFrom:)``. A
/// `Codable` type becomes an attribute as a ``CodableAttribute``.
///
/// The library implements the requirements with an underscore for all these types. A program
/// neither implements nor calls them.
public protocol AttributeRepresentable: Sendable {
  /// The type of the attribute in a journal.
  static var _attributeType: AttributeType { get }
  /// A Boolean value that indicates whether a value of this type can be nil.
  static var _isOptional: Bool { get }
  /// A Boolean value that indicates whether the value is nil.
  var _isNil: Bool { get }
  /// Appends the bytes of the value to a row. The value must not be nil. If the attribute type has
  /// a fixed width, the method must append exactly that number of bytes.
  func _append(to buffer: inout RowBuffer)
  /// Creates a value from its bytes in a row, or nil if the type cannot represent the value.
  init?(_row bytes: RawSpan)
}

/// A Swift type whose values are single values and not arrays.
public protocol ScalarRepresentable: AttributeRepresentable {
  /// The type of one value in a journal.
  static var _scalarType: ScalarType { get }
}

extension AttributeRepresentable {
  /// False, because a type that is not `Optional` has no nil.
  @inlinable public static var _isOptional: Bool { false }
  /// False, because a type that is not `Optional` has no nil.
  @inlinable public var _isNil: Bool { false }
}

extension ScalarRepresentable {
  /// The attribute type of one value.
  public static var _attributeType: AttributeType { .scalar(_scalarType) }
}

extension AttributeRepresentable where Self: RawRepresentable, RawValue: AttributeRepresentable {
  /// The attribute type of the raw value.
  public static var _attributeType: AttributeType { RawValue._attributeType }
  /// Appends the raw value.
  public func _append(to buffer: inout RowBuffer) { rawValue._append(to: &buffer) }
  /// Creates a value from the bytes of its raw value; nil if no value has that raw value.
  public init?(_row bytes: RawSpan) {
    guard let raw = RawValue(_row: bytes) else { return nil }
    self.init(rawValue: raw)
  }
}

extension ScalarRepresentable where Self: RawRepresentable, RawValue: ScalarRepresentable {
  /// The scalar type of the raw value.
  public static var _scalarType: ScalarType { RawValue._scalarType }
}

extension Optional: AttributeRepresentable where Wrapped: AttributeRepresentable {
  /// The attribute type of the wrapped value.
  public static var _attributeType: AttributeType { Wrapped._attributeType }
  /// True, because an optional can be nil.
  public static var _isOptional: Bool { true }
  /// A Boolean value that indicates whether the value is nil.
  @inlinable public var _isNil: Bool { self?._isNil ?? true }
  /// Appends the bytes of the wrapped value.
  @inlinable
  public func _append(to buffer: inout RowBuffer) {
    guard let self else { preconditionFailure("nil has no bytes") }
    self._append(to: &buffer)
  }
  /// Creates the wrapped value from its bytes.
  @inlinable
  public init?(_row bytes: RawSpan) {
    guard let value = Wrapped(_row: bytes) else { return nil }
    self = .some(value)
  }
}

extension Array: AttributeRepresentable where Element: ElementRepresentable {
  /// The attribute type of an array of the elements' type.
  public static var _attributeType: AttributeType { Element._arrayType }
  /// Appends the elements as an ``ElementList``.
  public func _append(to buffer: inout RowBuffer) {
    ElementList.append(count: count, byteCount: Element._elementByteCount, to: &buffer) {
      self[$0]._append(to: &$1)
    }
  }
  /// Creates an array from its bytes in a row, or nil if the type of the elements cannot
  /// represent one of them.
  public init?(_row bytes: RawSpan) {
    self = []
    guard let list = ElementList(bytes, byteCount: Element._elementByteCount) else { return nil }
    reserveCapacity(list.count)
    for index in 0..<list.count {
      let range = list.range(index, in: bytes)
      guard let element = Element(_row: bytes.extracting(range)) else { return nil }
      append(element)
    }
  }
}

/// A Swift type that can be the element of an array attribute: a scalar, or a ``Reference``.
public protocol ElementRepresentable: AttributeRepresentable {
  /// The attribute type of an array in a journal.
  static var _arrayType: AttributeType { get }
  /// The number of bytes of each element; nil if elements have different lengths, as strings do.
  static var _elementByteCount: Int? { get }
}

extension ElementRepresentable where Self: ScalarRepresentable {
  /// The attribute type of an array of these scalars.
  public static var _arrayType: AttributeType { .array(_scalarType) }
  /// The number of bytes of the scalar; nil if its values have different lengths.
  public static var _elementByteCount: Int? { _scalarType.byteCount }
}

/// A `Codable` type that a store keeps as one value of type `data`, which contains JSON.
///
/// ```swift
/// struct Address: CodableAttribute { var street = "", city = "" }
///
/// static let schema = RecordSchema<Person>("Person").attribute("home", at: \.home)
/// ```
///
/// A filter or a sort key cannot use a part of the value. If a program filters or sorts by a
/// property, make that property a separate attribute. The store compares two values by their JSON,
/// which has the keys of objects in sorted order. Use an array instead of a `Set`: the order of a
/// set differs between processes, so that equal sets can have different JSON.
///
/// A store treats JSON that it cannot decode like a raw value without a case; see
/// ``AttributeRepresentable``.
///
/// The type's `encode(to:)` must not throw. If it throws, the program stops.
public protocol CodableAttribute: Codable, ScalarRepresentable, ElementRepresentable {}

extension CodableAttribute {
  /// The scalar type `data`.
  public static var _scalarType: ScalarType { .data }

  /// Appends the value as JSON.
  public func _append(to buffer: inout RowBuffer) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do {
      try encoder.encode(self)._append(to: &buffer)
    } catch {
      preconditionFailure("cannot encode \(Self.self): \(error)")
    }
  }

  /// Creates a value from JSON; nil if the JSON does not describe a value of this type.
  public init?(_row bytes: RawSpan) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    guard let data = Data(_row: bytes), let value = try? decoder.decode(Self.self, from: data)
    else {
      return nil
    }
    self = value
  }
}
