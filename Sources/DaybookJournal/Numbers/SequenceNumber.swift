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

extension SequenceNumber: Strideable {
  /// Returns the number of transactions from this one to another; negative if that is earlier. A
  /// distance that does not fit is clamped.
  public func distance(to other: SequenceNumber) -> Int {
    rawValue <= other.rawValue
      ? Int(clamping: other.rawValue - rawValue) : -Int(clamping: rawValue - other.rawValue)
  }

  /// Returns the sequence number that is a number of transactions after this one; before it if the
  /// number is negative. A result that does not fit is clamped: nothing is before 0.
  public func advanced(by distance: Int) -> SequenceNumber {
    let (sum, isOver) =
      distance < 0
      ? rawValue.subtractingReportingOverflow(UInt64(distance.magnitude))
      : rawValue.addingReportingOverflow(UInt64(distance.magnitude))
    return SequenceNumber(isOver ? distance < 0 ? 0 : .max : sum)
  }

  /// Returns a Boolean value that indicates whether two numbers are equal.
  @inlinable
  public static func == (one: SequenceNumber, other: SequenceNumber) -> Bool {
    // The default of strides would compare distances.
    one.rawValue == other.rawValue
  }

  /// Returns the sequence number that is a number of transactions after another; see
  /// ``advanced(by:)``.
  ///
  /// ```swift
  /// let before = try store.snapshot(at: store.snapshot.sequence - 1)
  /// ```
  public static func + (number: SequenceNumber, distance: Int) -> SequenceNumber {
    number.advanced(by: distance)
  }

  /// Returns the sequence number that is a number of transactions before another. The result is at
  /// least 0.
  public static func - (number: SequenceNumber, distance: Int) -> SequenceNumber {
    distance == .min ? number.advanced(by: .max).advanced(by: 1) : number.advanced(by: -distance)
  }

  /// Returns the number of transactions from the second number to the first; see
  /// ``distance(to:)``.
  @_disfavoredOverload
  public static func - (later: SequenceNumber, earlier: SequenceNumber) -> Int {
    // In `number - 1`, the literal is a distance.
    earlier.distance(to: later)
  }
}
