import DaybookEssentials

/// What identifies the records of an entity.
///
/// The raw values stand in layouts on disk and never change their meaning.
public enum IdentifierKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A signed integer of up to 64 bits.
  case int = 1
  /// An unsigned integer of up to 64 bits.
  case uint = 2
  /// Text, in its composed normal form.
  case string = 3
  /// A universally unique identifier.
  case uuid = 4

  /// How the text journal calls it.
  public var name: String { "\(self)" }

  /// The kind that the text journal calls so.
  public init?(name: String) {
    guard let kind = IdentifierKind.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// How many bytes each identifier takes, or nil if that depends on the identifier.
  package var byteCount: Int? {
    switch self {
    case .int, .uint: 8
    case .uuid: 16
    case .string: nil
    }
  }
}

/// The identifier of a record, whatever its type.
///
/// Texts are kept in their composed normal form, so that two spellings of one text are one
/// identifier.
public enum RecordIdentifier: Hashable, Sendable {
  /// A signed integer.
  case int(Int64)
  /// An unsigned integer.
  case uint(UInt64)
  /// Text. Make it with ``init(_:)-(String)``, which normalizes it.
  case string(String)
  /// A universally unique identifier.
  case uuid(UUID)

  /// The identifier that is a text.
  public init(_ text: String) { self = .string(NormalizedText.text(of: text)) }

  /// What it is.
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
  /// The number, the text, or the UUID in upper case.
  public var description: String {
    switch self {
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .string(let text): text
    case .uuid(let uuid): uuid.uuidString
    }
  }
}

/// A type whose values are identifiers of records: a ``RecordIdentifying`` type, or ``RecordIdentifier``.
public protocol RecordIdentifierConvertible: Hashable, Sendable {
  /// The identifier of any type that stands for this one.
  var recordIdentifier: RecordIdentifier { get }
  /// The identifier that another stands for; nil if it is of another kind or out of range.
  init?(_ identifier: RecordIdentifier)
}

/// A Swift type that identifies records: the integers, `String` and `UUID`.
public protocol RecordIdentifying: RecordIdentifierConvertible {
  /// What it is in a journal.
  static var identifierKind: IdentifierKind { get }
}

extension RecordIdentifier: RecordIdentifierConvertible {
  /// The identifier itself.
  public var recordIdentifier: RecordIdentifier { self }
  /// Creates a copy of an identifier.
  public init(_ identifier: RecordIdentifier) { self = identifier }
}

extension RecordIdentifying where Self: FixedWidthInteger {
  /// `int` or `uint`, as the integer has a sign or not.
  public static var identifierKind: IdentifierKind { isSigned ? .int : .uint }
  /// The integer in 64 bits.
  public var recordIdentifier: RecordIdentifier {
    Self.isSigned ? .int(Int64(truncatingIfNeeded: self)) : .uint(UInt64(truncatingIfNeeded: self))
  }
  /// The integer, if it is in range.
  public init?(_ identifier: RecordIdentifier) {
    switch identifier {
    case .int(let number) where Self.isSigned: self.init(exactly: number)
    case .uint(let number) where !Self.isSigned: self.init(exactly: number)
    default: return nil
    }
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
  public static var identifierKind: IdentifierKind { .string }
  /// The text in its composed normal form.
  public var recordIdentifier: RecordIdentifier { RecordIdentifier(self) }
  /// The text.
  public init?(_ identifier: RecordIdentifier) {
    guard case .string(let text) = identifier else { return nil }
    self = text
  }
}

extension UUID: RecordIdentifying {
  /// `uuid`
  public static var identifierKind: IdentifierKind { .uuid }
  /// The UUID.
  public var recordIdentifier: RecordIdentifier { .uuid(self) }
  /// The UUID.
  public init?(_ identifier: RecordIdentifier) {
    guard case .uuid(let uuid) = identifier else { return nil }
    self = uuid
  }
}
