/// An integer of any size, with the few operations that exact sums and the
/// conversion of very distant dates need.
///
/// The distance of a date from 2001 can be up to 1.8 × 10³⁰⁸ seconds, which is 5.7 × 10³⁰⁰ years.
package struct WideInteger: Sendable {
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

  /// Creates an integer from its sign and its magnitude.
  package init(isNegative: Bool, magnitude: UInt128) {
    self.isNegative = isNegative
    digits = (0..<4).map { UInt32(truncatingIfNeeded: magnitude >> UInt128(32 * $0)) }
    trim()
  }

  /// Creates an integer from ASCII digits.
  ///
  /// - Complexity: O(*n*²) for *n* digits. Callers limit the number of digits.
  init(isNegative: Bool, digits characters: Span<UInt8>) {
    self.isNegative = false
    digits = []
    for index in 0..<characters.count {
      multiply(by: 10)
      add(Int64(characters[index]) - 48)
    }
    self.isNegative = isNegative && !digits.isEmpty
  }

  /// The decimal digits of the integer, without its sign; `0` for zero.
  ///
  /// - Complexity: O(*n*²) for *n* digits
  var magnitudeDigits: [UInt8] {
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
  package var isBelowZero: Bool { isNegative }

  /// The integer without its sign.
  package var magnitude: WideInteger {
    var magnitude = self
    magnitude.isNegative = false
    return magnitude
  }

  /// The number of bits of the magnitude; 0 for zero.
  package var bitCount: Int { 32 * digits.count - (digits.last?.leadingZeroBitCount ?? 0) }

  /// Returns the bits of the magnitude from a bit on, as far as 128 bits contain them.
  package func bits(from bit: Int) -> UInt128 {
    var bits: UInt128 = 0
    for index in (bit / 32..<digits.count).prefix(5) {
      let shift = 32 * index - bit
      let digit = UInt128(digits[index])
      bits |= shift < 0 ? digit >> UInt128(-shift) : digit << UInt128(shift)
    }
    return bits
  }

  /// Returns whether all bits of the magnitude before a bit are 0.
  package func isZero(before bit: Int) -> Bool {
    digits.prefix(bit / 32).allSatisfy { $0 == 0 }
      && (bit / 32 >= digits.count || digits[bit / 32] & (1 << UInt32(bit % 32) - 1) == 0)
  }

  /// Multiplies the integer by a power of two.
  package mutating func shiftLeft(by bitCount: Int) {
    guard !digits.isEmpty else { return }
    multiply(by: 1 << UInt32(bitCount % 32))
    digits.insert(contentsOf: repeatElement(0, count: bitCount / 32), at: 0)
  }

  /// Adds an integer.
  ///
  /// - Complexity: O(*n*) in the digits of both
  package mutating func add(_ other: WideInteger) {
    guard isNegative != other.isNegative else { return addMagnitude(other.digits) }
    let isSmaller =
      digits.count == other.digits.count
      ? digits.reversed().lexicographicallyPrecedes(other.digits.reversed())
      : digits.count < other.digits.count
    if isSmaller {
      let smaller = digits
      self = other
      subtractMagnitude(smaller)
    } else {
      subtractMagnitude(other.digits)
    }
  }

  private mutating func addMagnitude(_ other: [UInt32]) {
    var carry: UInt64 = 0
    var index = 0
    while index < other.count || carry > 0 {
      if index == digits.count { digits.append(0) }
      carry += UInt64(digits[index]) + (index < other.count ? UInt64(other[index]) : 0)
      digits[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
      index += 1
    }
  }

  /// Subtracts a magnitude that is not larger than this one.
  private mutating func subtractMagnitude(_ other: [UInt32]) {
    var borrow: Int64 = 0
    var index = 0
    while index < other.count || borrow < 0 {
      borrow += Int64(digits[index]) - (index < other.count ? Int64(other[index]) : 0)
      digits[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
      index += 1
    }
    trim()
  }

  package mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for index in digits.indices {
      carry += UInt64(digits[index]) * UInt64(factor)
      digits[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry > 0 { digits.append(UInt32(carry)) }
    trim()
  }

  mutating func add(_ number: Int64) {
    if (number < 0) == isNegative {
      var carry = UInt128(number.magnitude)
      var index = 0
      while carry > 0 {
        if index == digits.count { digits.append(0) }
        carry += UInt128(digits[index])
        digits[index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
        index += 1
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
    var index = 0
    while borrow > 0 {
      let difference = Int128(digits[index]) - borrow
      digits[index] = UInt32(truncatingIfNeeded: difference)
      borrow = -(difference >> 32)
      index += 1
    }
    trim()
  }

  /// Replaces the integer by its quotient, rounded towards negative infinity. Returns the
  /// remainder, which is not negative.
  package mutating func divideFlooring(by divisor: UInt32) -> UInt32 {
    var rest: UInt64 = 0
    for index in digits.indices.reversed() {
      rest = rest << 32 | UInt64(digits[index])
      digits[index] = UInt32(rest / UInt64(divisor))
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
