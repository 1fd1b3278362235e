import DaybookEssentials

/// The value of an attribute, whatever its type: for programs that do not know the record's type.
///
/// Two values are equal if a journal would not store the change from one to the other: numbers by
/// their bits, texts in whatever spelling by their composed normal form.
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
  /// Text.
  case string(String)
  /// A moment.
  case date(Date)
  /// A universally unique identifier.
  case uuid(UUID)
  /// Bytes.
  case data([UInt8])
  /// The text of a uniform resource locator.
  case url(String)
  /// The identifier of a record.
  case reference(RecordIdentifier)
  /// Several values, or the identifiers of several records.
  case array([AttributeValue])

  /// Whether there is no value.
  public var isNull: Bool { self == .null }
}

extension AttributeValue {
  /// Whether both are equal.
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
  /// The bits of the seconds since 2001.
  package var bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}

/// What an attribute of a record may hold.
public enum AttributeType: Hashable, Sendable {
  /// One value.
  case scalar(ScalarType)
  /// Any number of values, in order.
  case array(ScalarType)
  /// The identifier of one record of an entity.
  case reference(EntityReference)
  /// The identifiers of any number of records of an entity, in order.
  case references(EntityReference)

  /// How many bytes each value takes in a row, or nil if that depends on the value.
  package var byteCount: Int? {
    switch self {
    case .scalar(let type): type.byteCount
    case .reference(let target): target.identifierKind.byteCount
    case .array, .references: nil
    }
  }

  /// The entity that this refers to, if it does.
  public var target: EntityReference? {
    switch self {
    case .reference(let target), .references(let target): target
    case .scalar, .array: nil
    }
  }

  /// How the text journal calls it: `string`, `[int32]`, `ref:Bank`, `refs:Bank`.
  public var name: String {
    switch self {
    case .scalar(let type): type.name
    case .array(let type): "[\(type.name)]"
    case .reference(let target): "ref:\(target.entity)"
    case .references(let target): "refs:\(target.entity)"
    }
  }
}

/// The entity that a reference leads to, and what its identifiers are.
public struct EntityReference: Hashable, Sendable {
  /// The entity's name.
  public var entity: String
  /// What identifies its records.
  public var identifierKind: IdentifierKind

  /// A reference to an entity.
  public init(_ entity: String, identifierKind: IdentifierKind) {
    self.entity = entity
    self.identifierKind = identifierKind
  }
}

/// The type of one value, as the journal stores it.
///
/// The raw values stand in layouts on disk and never change their meaning.
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
  /// Text.
  case string = 13
  /// A moment, in seconds since the beginning of 2001.
  case date = 14
  /// A universally unique identifier.
  case uuid = 15
  /// Bytes.
  case data = 16
  /// A uniform resource locator, kept as its text.
  case url = 17

  /// How the text journal calls it.
  public var name: String { "\(self)" }

  /// The type that the text journal calls so, or nil; `int` is `int64`.
  public init?(name: String) {
    if name == "int" {
      self = .int64
    } else if let type = ScalarType.allCases.first(where: { $0.name == name }) {
      self = type
    } else {
      return nil
    }
  }

  /// How many bytes each value takes, or nil if that depends on the value.
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
