/// The number of a transaction in its journal. The first transaction has 1, and there are no gaps.
/// The number 0 is before the first.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
  /// The number as an integer.
  public let rawValue: UInt64

  /// Creates a sequence number from an integer.
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates a sequence number from an integer.
  @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// The number before the first transaction.
  public static let zero = SequenceNumber(0)

  /// The number after this one. After the largest number, it is 0, which no transaction has. Only a
  /// forged journal contains the largest number.
  @inlinable public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }
}

extension SequenceNumber: Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Returns a Boolean value that indicates whether one transaction is before the other.
  @inlinable
  public static func < (one: SequenceNumber, other: SequenceNumber) -> Bool {
    one.rawValue < other.rawValue
  }

  /// Creates a sequence number from an integer literal.
  @inlinable public init(integerLiteral value: UInt64) { rawValue = value }

  /// The number in decimal.
  public var description: String { "\(rawValue)" }
}
