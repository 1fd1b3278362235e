import DaybookStore
import DaybookEssentials

/// The exact value of a number of any type, so that numbers of different types are compared without
/// rounding.
///
/// A finite number is its digits, multiplied by a power of two and a power of ten. For example, the
/// Double 0.75 is 3 times two to the power of -2. The Decimal 0.75 is 75 times ten to the power of
/// -2. NaN is equal to itself and greater than all other numbers. Zero has no sign.
package enum ExactNumber: Sendable {
  case finite(isNegative: Bool, digits: UInt128, twos: Int, tens: Int)
  case infinite(isNegative: Bool)
  case notANumber

  /// Creates the number of a value; nil if the value is not a number.
  package init?(_ value: AttributeValue) {
    switch value {
    case .int(let number):
      self = .finite(
        isNegative: number < 0, digits: UInt128(number.magnitude), twos: 0, tens: 0)
    case .uint(let number):
      self = .finite(isNegative: false, digits: UInt128(number), twos: 0, tens: 0)
    case .float(let number): self.init(Double(number))
    case .double(let number): self.init(number)
    case .decimal(let number): self.init(PackedDecimal(number))
    default: return nil
    }
  }

  package init(_ number: Double) {
    if number.isNaN {
      self = .notANumber
    } else if number.isInfinite {
      self = .infinite(isNegative: number < 0)
    } else if number == 0 {
      self = .finite(isNegative: false, digits: 0, twos: 0, tens: 0)
    } else {
      let isNormal = number.isNormal
      let digits = number.significandBitPattern | (isNormal ? 1 << 52 : 0)
      let twos = (isNormal ? Int(number.exponentBitPattern) : 1) - 1075
      self = .finite(
        isNegative: number < 0, digits: UInt128(digits >> digits.trailingZeroBitCount),
        twos: twos + digits.trailingZeroBitCount, tens: 0)
    }
  }

  package init(_ number: PackedDecimal) {
    if number.tail >= 512 {
      self = .notANumber
    } else {
      let digits = UInt128(number.high) << 64 | UInt128(number.low)
      self = .finite(
        isNegative: digits != 0 && number.tail & 256 != 0, digits: digits, twos: 0,
        tens: Int(number.tail & 255) - 128)
    }
  }

  /// Returns a negative number, 0 or a positive number if the first number is less than, equal to
  /// or greater than the second number.
  package static func compare(_ one: ExactNumber, to other: ExactNumber) -> Int {
    switch (one, other) {
    case (.notANumber, .notANumber): return 0
    case (.notANumber, _): return 1
    case (_, .notANumber): return -1
    case (
      .finite(let isNegative, let digits, let twos, let tens),
      .finite(let otherIsNegative, let otherDigits, let otherTwos, let otherTens)
    ):
      let (sign, otherSign) = (
        digits == 0 ? 0 : isNegative ? -1 : 1, otherDigits == 0 ? 0 : otherIsNegative ? -1 : 1
      )
      if sign != otherSign || sign == 0 { return sign - otherSign }
      if twos == otherTwos, tens == otherTens {
        return digits == otherDigits ? 0 : (digits < otherDigits ? -1 : 1) * sign
      }
      // Numbers of very different magnitudes are compared only by their bit counts.
      let bits = bitCount(digits, twos: twos, tens: tens)
      let otherBits = bitCount(otherDigits, twos: otherTwos, tens: otherTens)
      if abs(bits - otherBits) > 2 { return bits < otherBits ? -sign : sign }
      // Both numbers are multiplied by the same powers of two and ten, so that they become whole
      // numbers.
      let (twosMin, tensMin) = (min(twos, otherTwos), min(tens, otherTens))
      if let short = scaled(digits, twos: twos - twosMin, tens: tens - tensMin),
        let otherShort = scaled(otherDigits, twos: otherTwos - twosMin, tens: otherTens - tensMin)
      {
        return short == otherShort ? 0 : short < otherShort ? -sign : sign
      }
      let magnitude = BigMagnitude(digits, twos: twos - twosMin, tens: tens - tensMin)
      let otherMagnitude = BigMagnitude(
        otherDigits, twos: otherTwos - twosMin, tens: otherTens - tensMin)
      return BigMagnitude.compare(magnitude, to: otherMagnitude) * sign
    default: return one.infiniteSign - other.infiniteSign
    }
  }

  /// Returns the approximate number of bits before the binary point, with an error of at most
  /// one.
  private static func bitCount(_ digits: UInt128, twos: Int, tens: Int) -> Double {
    Double(128 - digits.leadingZeroBitCount + twos) + Double(tens) * 3.321928094887362
  }

  /// Returns the product of digits, a power of two and a power of ten; nil if the product needs
  /// more than 128 bits.
  private static func scaled(_ digits: UInt128, twos: Int, tens: Int) -> UInt128? {
    var digits = digits
    guard tens < 39 else { return nil }
    for _ in 0..<tens {
      let (tenfold, overflowed) = digits.multipliedReportingOverflow(by: 10)
      if overflowed { return nil }
      digits = tenfold
    }
    return twos <= digits.leadingZeroBitCount ? digits << UInt128(twos) : nil
  }

  private var infiniteSign: Int {
    if case .infinite(let isNegative) = self { isNegative ? -1 : 1 } else { 0 }
  }

  /// The number as digits and a power of ten; nil if the number is not finite, or if its digits
  /// need more than 128 bits.
  package var decimalParts: (isNegative: Bool, digits: UInt128, tens: Int)? {
    guard case .finite(let isNegative, var digits, var twos, var tens) = self else { return nil }
    if digits == 0 { return (false, 0, 0) }
    while twos < 0 {
      twos += 1
      if digits & 1 == 0 {
        digits >>= 1
        continue
      }
      let (fivefold, overflowed) = digits.multipliedReportingOverflow(by: 5)
      if overflowed { return nil }
      (digits, tens) = (fivefold, tens - 1)
    }
    while twos > 0 {
      twos -= 1
      if digits % 5 == 0 {
        (digits, tens) = (digits / 5, tens + 1)
      } else if digits.leadingZeroBitCount > 0 {
        digits <<= 1
      } else {
        return nil
      }
    }
    while digits % 10 == 0 { (digits, tens) = (digits / 10, tens + 1) }
    return (isNegative, digits, tens)
  }
}

/// A whole number without a sign, of any size. Comparisons use it if the digits do not fit in 128
/// bits.
package struct BigMagnitude {
  /// The words, the lowest first. The last word is not 0.
  private var words: [UInt32] = []

  package init(_ digits: UInt128, twos: Int, tens: Int) {
    precondition(twos >= 0 && tens >= 0, "negative powers: \(twos) of 2, \(tens) of 10")
    var rest = digits
    while rest != 0 {
      words.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
    for _ in 0..<tens { multiply(by: 10) }
    for _ in 0..<twos / 31 { multiply(by: 1 << 31) }
    multiply(by: 1 << UInt32(twos % 31))
  }

  package mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for index in words.indices {
      let product = UInt64(words[index]) * UInt64(factor) + carry
      words[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry > 0 { words.append(UInt32(carry)) }
  }

  static func compare(_ one: BigMagnitude, to other: BigMagnitude) -> Int {
    if one.words.count != other.words.count { return one.words.count < other.words.count ? -1 : 1 }
    for index in one.words.indices.reversed() where one.words[index] != other.words[index] {
      return one.words[index] < other.words[index] ? -1 : 1
    }
    return 0
  }

  /// The decimal digits.
  package var text: String {
    var (rest, digits) = (words, [UInt8]())
    while !rest.isEmpty {
      var remainder: UInt64 = 0
      for index in rest.indices.reversed() {
        let dividend = remainder << 32 | UInt64(rest[index])
        rest[index] = UInt32(dividend / 10)
        remainder = dividend % 10
      }
      digits.append(48 + UInt8(remainder))
      while rest.last == 0 { rest.removeLast() }
    }
    return digits.isEmpty ? "0" : String(decoding: digits.reversed(), as: UTF8.self)
  }
}
