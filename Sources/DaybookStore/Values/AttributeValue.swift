import DaybookEssentials

/// The value of an attribute of any type. Programs that do not have the record type use it to read
/// the attributes of a ``DynamicRecord``.
///
/// Two values are equal if a save would not record the change from the first value to the second.
/// `==` compares floating-point numbers and dates by their bits: -0 and 0 differ, and a NaN equals
/// itself. It compares strings by their composed normal form (NFC), so that two spellings of é are
/// equal.
public enum AttributeValue: Hashable, Sendable {
  /// No value.
  case null
  /// True or false.
  case bool(Bool)
  /// An integer of any signed type.
  case int(Int64)
  /// An integer of any unsigned type.
  case uint(UInt64)
  /// A floating-point number of 32 bits.
  case float(Float)
  /// A floating-point number of 64 bits.
  case double(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// A string.
  case string(String)
  /// A point in time.
  case date(Date)
  /// A universally unique identifier.
  case uuid(UUID)
  /// Bytes.
  case data([UInt8])
  /// The string of a uniform resource locator.
  case url(String)
  /// The identifier of a record.
  case reference(RecordIdentifier)
  /// Any number of scalars, or any number of references.
  case array([AttributeValue])

  /// A Boolean value that indicates whether the value is ``null``.
  public var isNull: Bool { self == .null }
}

extension AttributeValue {
  /// Returns whether two values are equal.
  public static func == (one: AttributeValue, other: AttributeValue) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.int(let one), .int(let other)): one == other
    case (.uint(let one), .uint(let other)): one == other
    case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
    case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
    case (.decimal(let one), .decimal(let other)): one == other || one.isNaN && other.isNaN
    case (.string(let one), .string(let other)): one == other
    case (.date(let one), .date(let other)): one.bits == other.bits
    case (.uuid(let one), .uuid(let other)): one == other
    case (.data(let one), .data(let other)): one == other
    case (.url(let one), .url(let other)): one == other
    case (.reference(let one), .reference(let other)): one == other
    case (.array(let one), .array(let other)): one == other
    default: false
    }
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .uint(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .decimal(let value): hasher.combine(value.isNaN ? Decimal.nan : value)
    case .string(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value.bits)
    case .uuid(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    }
  }
}

extension Date {
  /// The bit pattern of the date's seconds since the start of 2001 in UTC.
  package var bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}

/// The type of an attribute of a record.
public enum AttributeType: Hashable, Sendable {
  /// One value.
  case scalar(ScalarType)
  /// Any number of values, in order.
  case array(ScalarType)
  /// The identifier of one record of an entity.
  case reference(EntityReference)
  /// The identifiers of any number of records of an entity, in order.
  case references(EntityReference)

  /// The number of bytes of each value in a row; nil if values have different lengths.
  package var byteCount: Int? {
    switch self {
    case .scalar(let type): type.byteCount
    case .reference(let target): target.identifierKind.byteCount
    case .array, .references: nil
    }
  }

  /// The entity that the attribute refers to; nil if it is not a reference.
  public var target: EntityReference? {
    switch self {
    case .reference(let target), .references(let target): target
    case .scalar, .array: nil
    }
  }

  /// The name of the type in a text journal, for example `string`, `[int32]`, `ref:Bank` or
  /// `refs:Bank`.
  public var name: String {
    switch self {
    case .scalar(let type): type.name
    case .array(let type): "[\(type.name)]"
    case .reference(let target): "ref:\(target.entity)"
    case .references(let target): "refs:\(target.entity)"
    }
  }
}

/// The entity that a reference attribute refers to, with the kind of the entity's identifiers.
public struct EntityReference: Hashable, Sendable {
  /// The entity's name.
  public var entity: String
  /// The kind of the identifiers of its records.
  public var identifierKind: IdentifierKind

  /// Creates a description of the entity that a reference attribute refers to.
  public init(_ entity: String, identifierKind: IdentifierKind) {
    self.entity = entity
    self.identifierKind = identifierKind
  }
}

/// The type of a single value in a journal.
///
/// The raw values are stored in layouts on disk, and never change their meaning.
public enum ScalarType: UInt8, Hashable, Sendable, CaseIterable {
  /// True or false.
  case bool = 1
  /// A signed integer of 8 bits.
  case int8 = 2
  /// A signed integer of 16 bits.
  case int16 = 3
  /// A signed integer of 32 bits.
  case int32 = 4
  /// A signed integer of 64 bits.
  case int64 = 5
  /// An unsigned integer of 8 bits.
  case uint8 = 6
  /// An unsigned integer of 16 bits.
  case uint16 = 7
  /// An unsigned integer of 32 bits.
  case uint32 = 8
  /// An unsigned integer of 64 bits.
  case uint64 = 9
  /// A floating-point number of 32 bits.
  case float = 10
  /// A floating-point number of 64 bits.
  case double = 11
  /// A decimal number of up to 38 digits.
  case decimal = 12
  /// A string.
  case string = 13
  /// A point in time, stored as the seconds since the start of 2001 in UTC.
  case date = 14
  /// A universally unique identifier.
  case uuid = 15
  /// Bytes.
  case data = 16
  /// A uniform resource locator, stored as its string.
  case url = 17

  /// The name of the type in a text journal.
  public var name: String {
    // Each plan needs names. Interpolation would find the name of the case by reflection.
    switch self {
    case .bool: "bool"
    case .int8: "int8"
    case .int16: "int16"
    case .int32: "int32"
    case .int64: "int64"
    case .uint8: "uint8"
    case .uint16: "uint16"
    case .uint32: "uint32"
    case .uint64: "uint64"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal"
    case .string: "string"
    case .date: "date"
    case .uuid: "uuid"
    case .data: "data"
    case .url: "url"
    }
  }

  /// Creates the type that has a name in a text journal; nil if no type has this name. The name
  /// `int` means `int64`.
  public init?(name: String) {
    if name == "int" {
      self = .int64
    } else if let type = ScalarType.allCases.first(where: { $0.name == name }) {
      self = type
    } else {
      return nil
    }
  }

  /// The number of bytes of each value in a row; nil if values have different lengths.
  package var byteCount: Int? {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double, .date: 8
    case .uuid: 16
    case .decimal: 20
    case .string, .data, .url: nil
    }
  }
}
