import DaybookEssentials

/// A Swift type that can be an attribute of a record.
///
/// `Bool`, the integers, `Float`, `Double`, `Decimal`, `String`, `Date`, `UUID`, `Data`, `URL` and
/// ``Reference`` are, and so are optionals of these and arrays of these. An enumeration with a raw
/// value becomes one by saying so:
///
/// ```swift
/// enum Flavour: String, AttributeRepresentable { case sweet, sour }
/// ```
///
/// A newer program may write a raw value for which the enumeration has no case. The journal keeps this value.
/// Reading the record throws ``StoreError`` with `unknownValue`, unless the schema declares a substitute:
/// see ``RecordSchema/attribute(_:at:required:default:unknown:renamedFrom:)``. A `Codable` type becomes an
/// attribute as a ``CodableAttribute``.
public protocol AttributeRepresentable: Sendable {
  /// What it is in a journal.
  static var attributeType: AttributeType { get }
  /// Whether there need not be a value.
  static var isOptional: Bool { get }
  /// Whether there is no value.
  var isNil: Bool { get }
  /// Appends the bytes of a value that is not nil, of the width that its type has.
  func append(to buffer: inout RowBuffer)
  /// Creates a value from its bytes in a row, or nil if the type cannot represent the value.
  init?(row bytes: RawSpan)
}

/// A Swift type that holds one value, so that there can be arrays of it.
public protocol ScalarRepresentable: AttributeRepresentable {
  /// What each is in a journal.
  static var scalarType: ScalarType { get }
}

extension AttributeRepresentable {
  /// False: there is always a value.
  @inlinable public static var isOptional: Bool { false }
  /// False: there is a value.
  @inlinable public var isNil: Bool { false }
}

extension ScalarRepresentable {
  /// One value.
  public static var attributeType: AttributeType { .scalar(scalarType) }
}

extension AttributeRepresentable where Self: RawRepresentable, RawValue: AttributeRepresentable {
  /// That of the raw value.
  public static var attributeType: AttributeType { RawValue.attributeType }
  /// Appends the raw value.
  public func append(to buffer: inout RowBuffer) { rawValue.append(to: &buffer) }
  /// The value with the raw value in these bytes.
  public init?(row bytes: RawSpan) {
    guard let raw = RawValue(row: bytes) else { return nil }
    self.init(rawValue: raw)
  }
}

extension ScalarRepresentable where Self: RawRepresentable, RawValue: ScalarRepresentable {
  /// That of the raw value.
  public static var scalarType: ScalarType { RawValue.scalarType }
}

extension Optional: AttributeRepresentable where Wrapped: AttributeRepresentable {
  /// That of the value.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// True.
  public static var isOptional: Bool { true }
  /// Whether there is no value.
  @inlinable public var isNil: Bool { self?.isNil ?? true }
  /// Appends the value.
  @inlinable
  public func append(to buffer: inout RowBuffer) {
    guard let self else { preconditionFailure("nil has no bytes") }
    self.append(to: &buffer)
  }
  /// The value in these bytes.
  @inlinable
  public init?(row bytes: RawSpan) {
    guard let value = Wrapped(row: bytes) else { return nil }
    self = .some(value)
  }
}

extension Array: AttributeRepresentable where Element: ElementRepresentable {
  /// Several values, in order.
  public static var attributeType: AttributeType { Element.arrayType }
  /// Appends the values.
  public func append(to buffer: inout RowBuffer) {
    ElementList.append(count: count, byteCount: Element.elementByteCount, to: &buffer) {
      self[$0].append(to: &$1)
    }
  }
  /// Creates an array from its bytes in a row, or nil if the type of the elements cannot represent one of them.
  public init?(row bytes: RawSpan) {
    self = []
    guard let list = ElementList(bytes, byteCount: Element.elementByteCount) else { return nil }
    reserveCapacity(list.count)
    for index in 0..<list.count {
      let range = list.range(index, in: bytes)
      guard let element = Element(row: bytes.extracting(range)) else { return nil }
      append(element)
    }
  }
}

/// A Swift type that there can be arrays of as attributes: one value, or a reference.
public protocol ElementRepresentable: AttributeRepresentable {
  /// What an array of it is in a journal.
  static var arrayType: AttributeType { get }
  /// How many bytes each takes, or nil if that depends on the value.
  static var elementByteCount: Int? { get }
}

extension ElementRepresentable where Self: ScalarRepresentable {
  /// Several values.
  public static var arrayType: AttributeType { .array(scalarType) }
  /// The width of the scalar.
  public static var elementByteCount: Int? { scalarType.byteCount }
}

/// A Swift type of one's own that is stored whole, as data: its `Codable` form in JSON.
///
/// ```swift
/// struct Address: CodableAttribute { var street = "", city = "" }
///
/// static let schema = RecordSchema<Person>("Person").attribute("home", at: \.home)
/// ```
///
/// The store sees one value of type `data`: it cannot look inside, so what is to be filtered or
/// sorted by is better an attribute of its own. Two values are equal to it if their JSON is, with the
/// keys of objects in order; the order of a `Set` is not the same in each process, and so a set is
/// better an array.
///
/// Data that cannot be decoded is treated like a raw value without a case; see ``AttributeRepresentable``.
///
/// The type's `encode(to:)` must not throw. If it does, the program stops.
public protocol CodableAttribute: Codable, ScalarRepresentable, ElementRepresentable {}

extension CodableAttribute {
  /// Data.
  public static var scalarType: ScalarType { .data }

  /// Appends the value in JSON.
  public func append(to buffer: inout RowBuffer) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do {
      try encoder.encode(self).append(to: &buffer)
    } catch {
      preconditionFailure("\(Self.self) cannot be encoded: \(error)")
    }
  }

  /// The value in JSON in these bytes; nil if it is none of this type.
  public init?(row bytes: RawSpan) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    guard let data = Data(row: bytes), let value = try? decoder.decode(Self.self, from: data) else {
      return nil
    }
    self = value
  }
}
