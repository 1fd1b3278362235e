import DaybookEssentials

/// The kind of the identifiers of an entity.
///
/// The raw values are stored in layouts on disk, and never change their meaning.
public enum IdentifierKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A signed integer of up to 64 bits.
  case int = 1
  /// An unsigned integer of up to 64 bits.
  case uint = 2
  /// A string, in its composed normal form.
  case string = 3
  /// A universally unique identifier.
  case uuid = 4

  /// The name of the kind in a text journal.
  public var name: String { "\(self)" }

  /// Creates the kind that has a name in a text journal; nil if no kind has this name.
  public init?(name: String) {
    guard let kind = IdentifierKind.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The number of bytes of each identifier in a row; nil for strings, which have different
  /// lengths.
  package var byteCount: Int? {
    switch self {
    case .int, .uint: 8
    case .uuid: 16
    case .string: nil
    }
  }
}

/// The identifier of a record: an integer, a string or a UUID.
///
/// A string is stored in its composed normal form (NFC). Therefore the two spellings of é, as one
/// character and as e with an accent, are the same identifier.
public enum RecordIdentifier: Hashable, Sendable {
  /// A signed integer.
  case int(Int64)
  /// An unsigned integer.
  case uint(UInt64)
  /// A string. Use ``init(_:)-(String)`` to create it, because that normalizes the string.
  case string(String)
  /// A universally unique identifier.
  case uuid(UUID)

  /// Creates an identifier from a string.
  public init(_ string: String) { self = .string(NormalizedText.text(of: string)) }

  /// The kind of the identifier.
  public var kind: IdentifierKind {
    switch self {
    case .int: .int
    case .uint: .uint
    case .string: .string
    case .uuid: .uuid
    }
  }
}

extension RecordIdentifier: CustomStringConvertible {
  /// The number, the string, or the UUID in upper case.
  public var description: String {
    switch self {
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .string(let string): string
    case .uuid(let uuid): uuid.uuidString
    }
  }
}

/// A type that identifies records: a ``RecordIdentifying`` type, or ``RecordIdentifier``.
public protocol RecordIdentifierConvertible: Hashable, Sendable {
  /// The value as a ``RecordIdentifier``.
  var recordIdentifier: RecordIdentifier { get }
  /// Creates a value from an identifier; nil if the identifier has a different kind or is out of
  /// range.
  init?(_ identifier: RecordIdentifier)
}

/// A Swift type that identifies records: the integers, `String` and `UUID`, and types with one of
/// these as their raw value.
///
/// ```swift
/// struct ISBN: RawRepresentable, RecordIdentifying { var rawValue = "" }
/// ```
///
/// A type of your own must represent every identifier of the journal. An enumeration cannot do so.
public protocol RecordIdentifying: RecordIdentifierConvertible {
  /// The kind of the identifiers in a journal.
  static var _identifierKind: IdentifierKind { get }
}

extension RecordIdentifier: RecordIdentifierConvertible {
  /// The identifier itself.
  public var recordIdentifier: RecordIdentifier { self }
  /// Creates a copy of an identifier.
  public init(_ identifier: RecordIdentifier) { self = identifier }
}

extension RecordIdentifying where Self: FixedWidthInteger {
  /// The kind `int` for signed integers, and `uint` for unsigned integers.
  public static var _identifierKind: IdentifierKind { isSigned ? .int : .uint }
  /// The integer as an identifier of 64 bits.
  public var recordIdentifier: RecordIdentifier {
    Self.isSigned ? .int(Int64(truncatingIfNeeded: self)) : .uint(UInt64(truncatingIfNeeded: self))
  }
  /// Creates an integer from an identifier; nil if the identifier has a different kind or is out of
  /// range.
  public init?(_ identifier: RecordIdentifier) {
    switch identifier {
    case .int(let number) where Self.isSigned: self.init(exactly: number)
    case .uint(let number) where !Self.isSigned: self.init(exactly: number)
    default: return nil
    }
  }
}

extension RecordIdentifying where Self: RawRepresentable, RawValue: RecordIdentifying {
  /// The kind of the raw values.
  public static var _identifierKind: IdentifierKind { RawValue._identifierKind }
  /// The raw value as an identifier.
  public var recordIdentifier: RecordIdentifier { rawValue.recordIdentifier }
  /// Creates a value from its raw value; nil if no value has that raw value.
  public init?(_ identifier: RecordIdentifier) {
    guard let raw = RawValue(identifier) else { return nil }
    self.init(rawValue: raw)
  }
}

extension Int: RecordIdentifying {}
extension Int8: RecordIdentifying {}
extension Int16: RecordIdentifying {}
extension Int32: RecordIdentifying {}
extension Int64: RecordIdentifying {}
extension UInt: RecordIdentifying {}
extension UInt8: RecordIdentifying {}
extension UInt16: RecordIdentifying {}
extension UInt32: RecordIdentifying {}
extension UInt64: RecordIdentifying {}

extension String: RecordIdentifying {
  /// `string`
  public static var _identifierKind: IdentifierKind { .string }
  /// The string as an identifier, in its composed normal form.
  public var recordIdentifier: RecordIdentifier { RecordIdentifier(self) }
  /// Creates a string from an identifier; nil if the identifier has a different kind.
  public init?(_ identifier: RecordIdentifier) {
    guard case .string(let string) = identifier else { return nil }
    self = string
  }
}

extension UUID: RecordIdentifying {
  /// `uuid`
  public static var _identifierKind: IdentifierKind { .uuid }
  /// The UUID as an identifier.
  public var recordIdentifier: RecordIdentifier { .uuid(self) }
  /// Creates a UUID from an identifier; nil if the identifier has a different kind.
  public init?(_ identifier: RecordIdentifier) {
    guard case .uuid(let uuid) = identifier else { return nil }
    self = uuid
  }
}
