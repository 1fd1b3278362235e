/// Which transaction of a journal something is: 1 for the first, without gaps; 0 is before the
/// first.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// The transaction of this number.
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The transaction of this number.
  @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Before the first transaction.
  public static let zero = SequenceNumber(0)

  /// The transaction after this one. After the largest, which only a forged journal names, it is 0,
  /// and no transaction has that.
  @inlinable public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }
}

extension SequenceNumber: Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Whether one transaction came before the other.
  @inlinable
  public static func < (one: SequenceNumber, other: SequenceNumber) -> Bool {
    one.rawValue < other.rawValue
  }

  /// The transaction of this number.
  @inlinable public init(integerLiteral value: UInt64) { rawValue = value }

  /// The number in decimal.
  public var description: String { "\(rawValue)" }
}
