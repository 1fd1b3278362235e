import DaybookStore
import DaybookEssentials

/// How wide the ranges are that numbers are put into.
///
/// ```swift
/// .range(width: 10)
/// .range(width: 0.25)
/// .range(width: .decimal(price))
/// ```
///
/// A width becomes a number of the attribute's type: the nearest of a float or a double, and exactly
/// itself of all others. A double that is to be a decimal is the one that its text writes, so `0.1` is
/// a tenth.
public enum RangeWidth: Hashable, Sendable {
  /// A whole number.
  case integer(Int)
  /// A number of 64 bits.
  case double(Double)
  /// A decimal.
  case decimal(Decimal)
}

extension RangeWidth: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A whole number.
  public init(integerLiteral width: Int) { self = .integer(width) }
  /// A number of 64 bits.
  public init(floatLiteral width: Double) { self = .double(width) }
}

extension RangeWidth: CustomStringConvertible {
  /// The number.
  public var description: String {
    switch self {
    case .integer(let width): "\(width)"
    case .double(let width): NumberText.text(of: width)
    case .decimal(let width): DecimalText.text(of: width)
    }
  }
}

extension RangeWidth {
  private func problem(_ reason: SectionProblem.Reason, _ type: ScalarType) -> SectionProblem {
    SectionProblem(reason, typeName: type.name)
  }

  private func requireAboveZero(_ type: ScalarType) throws(SectionProblem) {
    let isAboveZero =
      switch self {
      case .integer(let width): width > 0
      case .double(let width): width > 0 && width.isFinite
      case .decimal(let width): !width.isNaN && width > 0
      }
    guard isAboveZero else { throw problem(.widthNotAboveZero(self), type) }
  }

  /// The width of ranges of integers, which is up to 2⁶⁴ − 1.
  func whole(_ type: ScalarType) throws(SectionProblem) -> Int128 {
    try requireAboveZero(type)
    let whole: Int128?
    switch self {
    case .integer(let width): whole = Int128(width)
    case .double(let width):
      guard width == width.rounded() else { throw problem(.widthNotWhole(self), type) }
      whole = Int128(exactly: width)
    case .decimal(let width):
      let text = DecimalText.text(of: width)
      guard !text.utf8.contains(UInt8(ascii: ".")) else {
        throw problem(.widthNotWhole(self), type)
      }
      whole = Int128(text)
    }
    guard let whole, whole <= Int128(UInt64.max) else {
      throw problem(.widthOutOfReach(self), type)
    }
    return whole
  }

  /// The width of ranges of doubles, or of floats.
  func floating(_ type: ScalarType) throws(SectionProblem) -> Double {
    try requireAboveZero(type)
    var width: Double
    switch self {
    case .integer(let so): width = Double(so)
    case .double(let so): width = so
    case .decimal(let so): width = (try? NumberText.double(DecimalText.text(of: so))) ?? .infinity
    }
    if type == .float { width = Double(Float(width)) }
    guard width > 0, width.isFinite else { throw problem(.widthOutOfReach(self), type) }
    return width
  }

  /// The width of ranges of decimals.
  func decimal() throws(SectionProblem) -> Decimal {
    try requireAboveZero(.decimal)
    switch self {
    case .integer(let width): return Decimal(width)
    case .double:
      guard let width = try? DecimalText.decimal(description) else {
        throw problem(.widthOutOfReach(self), .decimal)
      }
      return width
    case .decimal(let width): return width
    }
  }
}
