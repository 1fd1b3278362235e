/// The number of a transaction in its journal. The first transaction has the number 1, and each
/// later transaction has the next number. The number 0 means the state before the first
/// transaction.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
  /// The number as an integer.
  public let rawValue: UInt64

  /// Creates a sequence number from an integer.
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates a sequence number from an integer.
  @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// The number before the first transaction.
  public static let zero = SequenceNumber(0)

  /// The number after this one. After the largest number, it is 0, which is the number of no
  /// transaction. Only a forged journal contains the largest number.
  @inlinable public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }
}

extension SequenceNumber: Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Returns a Boolean value that indicates whether the first number is less than the second.
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
  /// Returns the number of transactions from this one to a second one; negative if the second one
  /// is earlier. A distance outside of the range of `Int` is clamped.
  public func distance(to other: SequenceNumber) -> Int {
    rawValue <= other.rawValue
      ? Int(clamping: other.rawValue - rawValue) : -Int(clamping: rawValue - other.rawValue)
  }

  /// Returns the sequence number that is `distance` transactions after this one. A negative
  /// distance returns an earlier number. The result is clamped, so it is never before 0.
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
    // The default implementation of `Strideable` would compare distances, which are clamped.
    one.rawValue == other.rawValue
  }

  /// Returns the sequence number that is `distance` transactions after `number`; see
  /// ``advanced(by:)``.
  ///
  /// ```swift
  /// let before = try store.snapshot(at: store.snapshot.sequence - 1)
  /// ```
  public static func + (number: SequenceNumber, distance: Int) -> SequenceNumber {
    number.advanced(by: distance)
  }

  /// Returns the sequence number that is `distance` transactions before `number`. The result is at
  /// least 0.
  public static func - (number: SequenceNumber, distance: Int) -> SequenceNumber {
    distance == .min ? number.advanced(by: .max).advanced(by: 1) : number.advanced(by: -distance)
  }

  /// Returns the number of transactions from `earlier` to `later`; see ``distance(to:)``.
  @_disfavoredOverload
  public static func - (later: SequenceNumber, earlier: SequenceNumber) -> Int {
    // This overload is disfavored, so that the literal in `number - 1` is a distance and not a
    // sequence number.
    earlier.distance(to: later)
  }
}
