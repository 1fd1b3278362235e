import DaybookEssentials
import DaybookStore

/// The value of a total: of a count, a number of different values, a sum, an average, a minimum or
/// a maximum.
///
/// ```swift
/// let totals = try store.snapshot.aggregate(request, .count, .sum(\.amount))
/// print(totals[.count].integer ?? 0, totals[.sum(\.amount)].decimal ?? 0)
/// ```
public enum TotalValue: Hashable, Sendable {
  /// No value: no row has one.
  case null
  /// A count, or a sum of integers, which is exact in 128 bits.
  case integer(Int128)
  /// Any other value. A sum or an average of floating-point numbers is a Double, the average of
  /// integers too. A sum or an average of decimals is a decimal. A minimum or a maximum has the
  /// type of its attribute.
  case value(AttributeValue)
  /// The total of decimals is not a decimal: it has too many digits, or it is too large. The total
  /// has a value again as soon as the sum fits.
  case overflow

  /// The integer; nil if the value is not one.
  public var integer: Int128? {
    switch self {
    case .integer(let number): number
    case .value(.int(let number)): Int128(number)
    case .value(.uint(let number)): Int128(number)
    default: nil
    }
  }

  /// The floating-point number; nil if the value is not one.
  public var double: Double? {
    switch self {
    case .value(.double(let number)): number
    case .value(.float(let number)): Double(number)
    default: nil
    }
  }

  /// The decimal; nil if the value is not one.
  public var decimal: Decimal? {
    if case .value(.decimal(let number)) = self { number } else { nil }
  }

  /// The total as an attribute value; null without a value, after an overflow, and for an integer
  /// that does not fit `Int64`.
  public var attributeValue: AttributeValue {
    switch self {
    case .integer(let number): Int64(exactly: number).map { .int($0) } ?? .null
    case .value(let value): value
    case .null, .overflow: .null
    }
  }
}

extension TotalValue: CustomStringConvertible {
  /// The value as text, as in `12.5`. The text is `nil` for ``null`` and `overflow` for
  /// ``overflow``.
  public var description: String {
    switch self {
    case .null: "nil"
    case .integer(let number): "\(number)"
    case .overflow: "overflow"
    case .value(.float(let number)): NumberText.text(of: number)
    case .value(.double(let number)): NumberText.text(of: number)
    case .value(.decimal(let number)): DecimalText.text(of: number)
    case .value(.date(let date)): DateText.text(of: date)
    case .value(.string(let string)), .value(.url(let string)): string
    case .value(.bool(let bool)): "\(bool)"
    case .value(.int(let number)): "\(number)"
    case .value(.uint(let number)): "\(number)"
    case .value(.uuid(let uuid)): "\(uuid)"
    case .value(.reference(let id)): "\(id)"
    case .value(let value): "\(value)"
    }
  }
}
