/// An integer of any size, computed digit by digit as on paper: the model of exact sums.
struct PlainInteger: Equatable {
  /// Decimal digits of nine places, the least significant first, without zeros at the end.
  private var digits: [Int64] = []
  private(set) var isNegative = false

  private static let base: Int64 = 1_000_000_000

  init(isNegative: Bool = false, _ magnitude: UInt128) {
    var rest = magnitude
    while rest > 0 {
      digits.append(Int64(rest % UInt128(PlainInteger.base)))
      rest /= UInt128(PlainInteger.base)
    }
    self.isNegative = isNegative && !digits.isEmpty
  }

  var isZero: Bool { digits.isEmpty }
  var isEven: Bool { (digits.first ?? 0) % 2 == 0 }

  /// The number of decimal digits.
  var digitCount: Int { digits.isEmpty ? 0 : 9 * (digits.count - 1) + "\(digits.last ?? 0)".count }

  var magnitude: PlainInteger {
    var magnitude = self
    magnitude.isNegative = false
    return magnitude
  }

  private init(signed digits: [Int64]) {
    // The sign of the highest digit is that of the integer, and then all digits get it.
    var digits = digits
    while digits.last == 0 { digits.removeLast() }
    isNegative = (digits.last ?? 0) < 0
    if isNegative { digits = digits.map { -$0 } }
    var carry: Int64 = 0
    for place in digits.indices {
      let sum = digits[place] + carry
      carry =
        sum >= 0 ? sum / PlainInteger.base : -((PlainInteger.base - 1 - sum) / PlainInteger.base)
      digits[place] = sum - carry * PlainInteger.base
    }
    while carry > 0 {
      digits.append(carry % PlainInteger.base)
      carry /= PlainInteger.base
    }
    while digits.last == 0 { digits.removeLast() }
    self.digits = digits
  }

  static func + (one: PlainInteger, other: PlainInteger) -> PlainInteger {
    func digit(_ number: PlainInteger, _ place: Int) -> Int64 {
      guard place < number.digits.count else { return 0 }
      return number.isNegative ? -number.digits[place] : number.digits[place]
    }
    return PlainInteger(
      signed: (0..<max(one.digits.count, other.digits.count)).map {
        digit(one, $0) + digit(other, $0)
      })
  }

  static prefix func - (one: PlainInteger) -> PlainInteger {
    var negated = one
    negated.isNegative = !one.isNegative && !one.isZero
    return negated
  }

  static func * (one: PlainInteger, factor: UInt32) -> PlainInteger {
    var product = PlainInteger(signed: one.digits.map { $0 * Int64(factor) })
    product.isNegative = one.isNegative && !product.isZero
    return product
  }

  func times(_ factor: UInt32, toThe exponent: Int) -> PlainInteger {
    let (chunk, rest) = (factor == 2 ? 30 : 9, factor == 2 ? exponent % 30 : exponent % 9)
    func power(_ exponent: Int) -> UInt32 {
      (0..<exponent).reduce(1) { power, _ in power * factor }
    }
    return (0..<exponent / chunk).reduce(self * power(rest)) { product, _ in product * power(chunk)
    }
  }

  /// Returns the quotient of the magnitudes, rounded down, and the remainder.
  func divided(by divisor: UInt32) -> (quotient: PlainInteger, remainder: Int64) {
    var quotient = magnitude
    var remainder: Int64 = 0
    for place in digits.indices.reversed() {
      let dividend = remainder * PlainInteger.base + digits[place]
      quotient.digits[place] = dividend / Int64(divisor)
      remainder = dividend % Int64(divisor)
    }
    while quotient.digits.last == 0 { quotient.digits.removeLast() }
    return (quotient, remainder)
  }
}

extension PlainInteger: Comparable {
  static func < (one: PlainInteger, other: PlainInteger) -> Bool { (one + -other).isNegative }
}
