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
