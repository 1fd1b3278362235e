/// An integer of any size, with the few operations that the conversion of very distant dates needs.
///
/// The distance of a date from 2001 can be up to 1.8 × 10³⁰⁸ seconds, which is 5.7 × 10³⁰⁰ years.
struct WideInteger {
  /// The magnitude, as digits in base 2³²; the first digit is the lowest one.
  private var digits: [UInt32]
  private var isNegative: Bool

  /// Creates the integer that equals a Double, which must be whole.
  init(_ value: Double) {
    precondition(value.isFinite && value == value.rounded(), "\(value) is not an integer")
    isNegative = value < 0
    digits = []
    guard value != 0 else { return }
    let shift = Int(value.exponent) - 52
    var significand = value.significandBitPattern | 1 << 52
    if shift < 0 { significand >>= UInt64(-shift) }
    let wide = UInt128(significand) << UInt128(max(0, shift) % 32)
    digits = Array(repeating: 0, count: max(0, shift) / 32)
    digits += (0..<3).map { UInt32(truncatingIfNeeded: wide >> UInt128(32 * $0)) }
    trim()
  }

  /// Creates an integer from ASCII digits.
  ///
  /// - Complexity: O(*n*²) for *n* digits. Callers limit the number of digits.
  init(isNegative: Bool, digits text: Span<UInt8>) {
    self.isNegative = false
    digits = []
    for place in 0..<text.count {
      multiply(by: 10)
      add(Int64(text[place]) - 48)
    }
    self.isNegative = isNegative && !digits.isEmpty
  }

  /// The decimal digits of the integer, without its sign; `0` for zero.
  ///
  /// - Complexity: O(*n*²) for *n* digits
  var magnitudeText: [UInt8] {
    var rest = self
    rest.isNegative = false
    var reversed: [UInt8] = []
    repeat {
      var chunk = rest.divideFlooring(by: 1_000_000_000)
      for _ in 0..<9 {
        reversed.append(UInt8(48 + chunk % 10))
        chunk /= 10
      }
    } while !rest.digits.isEmpty
    while reversed.count > 1, reversed.last == 48 { reversed.removeLast() }
    return reversed.reversed()
  }

  /// A Boolean value that indicates whether the integer is negative.
  var isBelowZero: Bool { isNegative }

  mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for place in digits.indices {
      carry += UInt64(digits[place]) * UInt64(factor)
      digits[place] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry > 0 { digits.append(UInt32(carry)) }
    trim()
  }

  mutating func add(_ number: Int64) {
    if (number < 0) == isNegative {
      var carry = UInt128(number.magnitude)
      var place = 0
      while carry > 0 {
        if place == digits.count { digits.append(0) }
        carry += UInt128(digits[place])
        digits[place] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
        place += 1
      }
      return
    }
    if digits.count <= 2 {
      let magnitude = digits.reversed().reduce(UInt64(0)) { $0 << 32 | UInt64($1) }
      let sum = Int128(isNegative ? -1 : 1) * Int128(magnitude) + Int128(number)
      isNegative = sum < 0
      let rest = UInt64(sum.magnitude)
      digits = [UInt32(truncatingIfNeeded: rest), UInt32(truncatingIfNeeded: rest >> 32)]
      return trim()
    }
    // The magnitude has more than 64 bits here, so it is greater than the number. The borrow
    // therefore becomes 0 before the last digit is exceeded.
    var borrow = Int128(number.magnitude)
    var place = 0
    while borrow > 0 {
      let difference = Int128(digits[place]) - borrow
      digits[place] = UInt32(truncatingIfNeeded: difference)
      borrow = -(difference >> 32)
      place += 1
    }
    trim()
  }

  /// Replaces the integer by its quotient, rounded towards negative infinity. Returns the
  /// remainder, which is not negative.
  mutating func divideFlooring(by divisor: UInt32) -> UInt32 {
    var rest: UInt64 = 0
    for place in digits.indices.reversed() {
      rest = rest << 32 | UInt64(digits[place])
      digits[place] = UInt32(rest / UInt64(divisor))
      rest %= UInt64(divisor)
    }
    let wasNegative = isNegative
    trim()
    guard wasNegative, rest > 0 else { return UInt32(rest) }
    isNegative = true
    add(-1)
    return divisor - UInt32(rest)
  }

  private mutating func trim() {
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { isNegative = false }
  }
}
