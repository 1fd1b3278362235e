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
