import DaybookEssentials
import DaybookStore

/// An exact sum of numbers of one type, which is rounded only when it is read.
///
/// The sum is an integer times a power of a base: of two for integers and floating-point numbers,
/// of ten for decimals. The exponent is at most that of each number in the sum, so no number is
/// rounded. If the sum becomes zero, the exponent starts again with the next number. The integer
/// has 128 bits as long as that is enough, and any size otherwise. The result does not depend on
/// the order of the numbers.
///
/// NaN and infinities are recorded apart. No number is ever subtracted from a sum. To remove a
/// number, the caller adds the remaining numbers again.
struct ExactSum: Sendable {
  enum Base: Sendable {
    case two
    case ten
  }

  /// The values without digits that were added.
  private struct Specials: OptionSet {
    let rawValue: UInt8
    static let notANumber = Specials(rawValue: 1)
    static let infinity = Specials(rawValue: 2)
    static let negativeInfinity = Specials(rawValue: 4)
  }

  private let base: Base
  private var specials: Specials = []
  private var exponent: Int32 = 0
  /// The integer, if `long` is nil.
  private var short: Int128 = 0
  /// The integer, if it needed more than 128 bits.
  private var long: WideInteger?

  init(_ base: Base) { self.base = base }

  /// Creates a sum whose integer fits 128 bits.
  @inline(__always)
  init(_ base: Base, fixed: FixedSum) {
    self.base = base
    (short, exponent) = (fixed.integer, fixed.exponent)
    specials = Specials(rawValue: fixed.specials)
  }

  /// The sum as numbers of a fixed size; nil if the integer needs more than 128 bits.
  var fixed: FixedSum? {
    long == nil
      ? FixedSum(integer: short, exponent: exponent, specials: specials.rawValue) : nil
  }

  // MARK: Adding

  @inline(__always)
  mutating func add(_ number: Int128) { add(number, exponent: 0) }

  @inline(__always)
  mutating func add(_ number: Double) {
    let bits = number.bitPattern
    let exponent = Int32(truncatingIfNeeded: bits >> 52 & 0x7FF)
    guard exponent < 0x7FF else {
      specials.insert(number.isNaN ? .notANumber : number > 0 ? .infinity : .negativeInfinity)
      return
    }
    let fraction = Int128(bits & (1 << 52 - 1) | (exponent == 0 ? 0 : 1 << 52))
    add(number < 0 ? -fraction : fraction, exponent: max(exponent, 1) - 1075)
  }

  mutating func add(_ number: PackedDecimal) {
    guard number.tail < 512 else {
      specials.insert(.notANumber)
      return
    }
    let digits = UInt128(number.high) << 64 | UInt128(number.low)
    let isNegative = number.tail & 256 != 0
    let exponent = Int32(number.tail & 255) - 128
    if let short = Int128(exactly: digits) {
      add(isNegative ? -short : short, exponent: exponent)
    } else {
      add(WideInteger(isNegative: isNegative, magnitude: digits), exponent: exponent)
    }
  }

  @inline(__always)
  mutating func add(_ other: borrowing ExactSum) {
    specials.formUnion(other.specials)
    // Most sums in one column have one exponent.
    if long == nil, other.long == nil, exponent == other.exponent {
      let (sum, isOverflow) = short.addingReportingOverflow(other.short)
      if !isOverflow {
        short = sum
        return
      }
    }
    addAny(other)
  }

  private mutating func addAny(_ other: borrowing ExactSum) {
    if let long = other.long {
      add(long, exponent: other.exponent)
    } else {
      add(other.short, exponent: other.exponent)
    }
  }

  @inline(__always)
  private mutating func add(_ number: Int128, exponent: Int32) {
    if number == 0 { return }
    if long == nil {
      if exponent == self.exponent || short == 0 {
        let (sum, isOverflow) = short.addingReportingOverflow(number)
        if !isOverflow {
          (short, self.exponent) = (sum, exponent)
          return
        }
      } else if addScaled(number, exponent: exponent) {
        return
      }
    }
    add(
      WideInteger(isNegative: number < 0, magnitude: number.magnitude), exponent: exponent)
  }

  /// Adds a number with a different exponent if 128 bits are enough, and returns whether the number
  /// was added.
  @inline(__always)
  private mutating func addScaled(_ number: Int128, exponent: Int32) -> Bool {
    let least = min(exponent, self.exponent)
    guard let own = scaled(short, by: Int(self.exponent - least)),
      let other = scaled(number, by: Int(exponent - least))
    else { return false }
    let (sum, isOverflow) = own.addingReportingOverflow(other)
    if isOverflow { return false }
    (short, self.exponent) = (sum, least)
    return true
  }

  /// Returns a number times a power of the base; nil if that needs more than 128 bits.
  @inline(__always)
  private func scaled(_ number: Int128, by exponent: Int) -> Int128? {
    switch base {
    case .two:
      let room = (number < 0 ? ~number : number).leadingZeroBitCount - 1
      return exponent <= room ? number << Int128(exponent) : nil
    case .ten:
      guard exponent < ExactSum.powersOfTen.count else { return nil }
      let (product, isOverflow) = number.multipliedReportingOverflow(
        by: ExactSum.powersOfTen[exponent])
      return isOverflow ? nil : product
    }
  }

  private static let powersOfTen: [Int128] = (0...38).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  private mutating func add(_ number: WideInteger, exponent: Int32) {
    var own = long ?? WideInteger(isNegative: short < 0, magnitude: short.magnitude)
    if own.bitCount == 0 { self.exponent = exponent }
    let least = min(exponent, self.exponent)
    scale(&own, by: Int(self.exponent - least))
    var other = number
    scale(&other, by: Int(exponent - least))
    own.add(other)
    (short, self.exponent) = (0, least)
    long = own.bitCount == 0 ? nil : own
  }

  private func scale(_ number: inout WideInteger, by exponent: Int) {
    switch base {
    case .two: number.shiftLeft(by: exponent)
    case .ten: for _ in 0..<exponent { number.multiply(by: 10) }
    }
  }

  // MARK: Reading

  private var isNegative: Bool { long?.isBelowZero ?? (short < 0) }

  /// The sum of integers. 128 bits are enough for the integers of as many rows as a store can have.
  var integer: Int128 {
    precondition(long == nil && exponent == 0, "a sum of integers has the exponent \(exponent)")
    return short
  }

  /// Returns the sum divided by a count, rounded once to the nearest Double; half to even.
  func double(dividedBy count: Int = 1) -> Double {
    if !specials.isEmpty {
      switch specials {
      case .infinity: return .infinity
      case .negativeInfinity: return -.infinity
      default: return .nan
      }
    }
    var isExact = true
    var exponent = Int(exponent)
    var digits = short.magnitude
    if let long {
      let rest = max(0, long.bitCount - 128)
      (digits, isExact) = (long.bits(from: rest), long.isZero(before: rest))
      exponent += rest
    }
    if digits == 0 { return 0 }
    // With the highest bit set, the quotient has more bits than a Double.
    let shift = digits.leadingZeroBitCount
    let (quotient, remainder) = (digits << UInt128(shift)).quotientAndRemainder(
      dividingBy: UInt128(count))
    let magnitude = ExactSum.rounded(
      quotient, exponent: exponent - shift, isExact: isExact && remainder == 0)
    return isNegative ? -magnitude : magnitude
  }

  /// Returns digits times a power of two, rounded to the nearest Double; half to even.
  ///
  /// - Parameter isExact: A Boolean value that indicates whether the number has no part below the
  ///   digits.
  private static func rounded(_ digits: UInt128, exponent: Int, isExact: Bool) -> Double {
    let shift = digits.leadingZeroBitCount
    let aligned = digits << UInt128(shift)
    let top = UInt64(truncatingIfNeeded: aligned >> 64)
    let isExact = isExact && UInt64(truncatingIfNeeded: aligned) == 0
    /// The power of two of the highest bit.
    let highestExponent = exponent - shift + 127
    if highestExponent > 1023 { return .infinity }
    // Numbers below 2⁻¹⁰²² have fewer bits.
    let bitCount = highestExponent < -1022 ? 53 + highestExponent + 1022 : 53
    if bitCount < 0 { return 0 }
    var significand = bitCount == 0 ? 0 : top >> UInt64(64 - bitCount)
    let rest = top << UInt64(bitCount)
    let half: UInt64 = 1 << 63
    if rest > half || rest == half && (!isExact || significand & 1 == 1) { significand += 1 }
    return Double(
      sign: .plus, exponent: highestExponent - bitCount + 1, significand: Double(significand))
  }

  /// The sum of decimals; nil if no decimal is equal to it.
  var decimal: Decimal? {
    if !specials.isEmpty { return .nan }
    guard var rest = long?.magnitude else {
      return ExactSum.decimal(isNegative: isNegative, short.magnitude, exponent: Int(exponent))
    }
    var exponent = Int(exponent)
    while rest.bitCount > 128 {
      guard rest.divideFlooring(by: 10) == 0 else { return nil }
      exponent += 1
    }
    return ExactSum.decimal(isNegative: isNegative, rest.bits(from: 0), exponent: exponent)
  }

  /// Returns the sum of decimals divided by a count, rounded once to 38 digits, half to even; nil
  /// if it is out of the range of decimals.
  func decimal(dividedBy count: Int) -> Decimal? {
    if !specials.isEmpty { return .nan }
    var exponent = Int(exponent)
    let divisor = UInt32(count)
    var remainder: UInt64
    var quotient: UInt128
    // The last of the digits that are dropped, and whether only zeros follow it.
    var (dropped, isExact): (UInt64?, Bool) = (nil, true)
    if let long {
      var rest = long.magnitude
      remainder = UInt64(rest.divideFlooring(by: divisor))
      while rest.bitCount > 128 {
        isExact = isExact && dropped ?? 0 == 0
        dropped = UInt64(rest.divideFlooring(by: 10))
        exponent += 1
      }
      quotient = rest.bits(from: 0)
    } else {
      let parts = short.magnitude.quotientAndRemainder(dividingBy: UInt128(divisor))
      (quotient, remainder) = (parts.quotient, UInt64(parts.remainder))
    }
    let end = UInt128(ExactSum.powersOfTen[38])
    while quotient >= end {
      isExact = isExact && dropped ?? 0 == 0
      dropped = UInt64(quotient % 10)
      quotient /= 10
      exponent += 1
    }
    let order: Int
    if let dropped {
      isExact = isExact && remainder == 0
      order = dropped != 5 ? (dropped < 5 ? -1 : 1) : isExact ? 0 : 1
    } else {
      while remainder > 0, quotient < end / 10, exponent > -128 {
        remainder *= 10
        quotient = quotient * 10 + UInt128(remainder / UInt64(divisor))
        remainder %= UInt64(divisor)
        exponent -= 1
      }
      let (twice, half) = (2 * remainder, UInt64(divisor))
      order = twice < half ? -1 : twice == half ? 0 : 1
    }
    if order > 0 || order == 0 && quotient & 1 == 1 { quotient += 1 }
    return ExactSum.decimal(isNegative: isNegative, quotient, exponent: exponent)
  }

  /// Returns a decimal; nil if its exponent is above the range.
  private static func decimal(isNegative: Bool, _ digits: UInt128, exponent: Int) -> Decimal? {
    var (digits, exponent) = (digits, exponent)
    if digits == 0 { return Decimal() }
    while exponent > 127 {
      let (tenfold, isOverflow) = digits.multipliedReportingOverflow(by: 10)
      if isOverflow { return nil }
      (digits, exponent) = (tenfold, exponent - 1)
    }
    return PackedDecimal(
      low: UInt64(truncatingIfNeeded: digits), high: UInt64(truncatingIfNeeded: digits >> 64),
      tail: UInt32(128 + exponent) | (isNegative ? 256 : 0)
    ).decimal
  }
}

/// The parts of an ``ExactSum`` whose integer fits 128 bits.
struct FixedSum: BitwiseCopyable {
  var integer: Int128 = 0
  var exponent: Int32 = 0
  var specials: UInt8 = 0
}
