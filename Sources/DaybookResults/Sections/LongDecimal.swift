/// A decimal with any number of digits, for the bounds of sections by ranges of decimals. A
/// `Decimal` has too few digits for some bounds: a bound of a range of width 0.1 near 10³⁸ has 40
/// digits.
///
/// The value is the integer with the given digits, multiplied by 10 to the power of the exponent.
/// For example, 12.5 has the digits 1, 2, 5 and the exponent -1.
struct LongDecimal: Hashable, Sendable {
  /// The digits of the magnitude, from 0 to 9, the most significant first. Neither the first nor
  /// the last digit is 0. The value 0 has no digits.
  private(set) var digits: [UInt8]
  /// The exponent of the power of ten that the last digit counts.
  private(set) var exponent: Int
  private(set) var isNegative: Bool

  init(isNegative: Bool = false, digits: [UInt8], exponent: Int) {
    self.digits = Array(digits.drop { $0 == 0 })
    self.exponent = exponent
    while self.digits.last == 0 {
      self.digits.removeLast()
      self.exponent += 1
    }
    self.isNegative = isNegative && !self.digits.isEmpty
    if self.digits.isEmpty { self.exponent = 0 }
  }

  init(isNegative: Bool = false, _ digits: UInt128, exponent: Int) {
    self.init(
      isNegative: isNegative, digits: digits.description.utf8.map { $0 - 48 }, exponent: exponent)
  }

  /// Returns the digits down to a power of ten, the least significant first. Two numbers with the
  /// same lowest power can be added digit by digit.
  private func digits(downTo lowest: Int) -> [UInt8] {
    guard !digits.isEmpty else { return [] }
    return Array(repeating: 0, count: exponent - lowest) + digits.reversed()
  }

  /// The number of digits before the decimal point: 2 for 12.5, and 0 for 0.5. The value is
  /// negative for numbers below 0.1.
  private var pointOffset: Int { exponent + digits.count }

  static func + (one: LongDecimal, other: LongDecimal) -> LongDecimal {
    let lowest = min(one.exponent, other.exponent)
    var (large, small) = (one.digits(downTo: lowest), other.digits(downTo: lowest))
    var isNegative = one.isNegative
    if large.count < small.count
      || large.count == small.count && large.reversed().lexicographicallyPrecedes(small.reversed())
    {
      swap(&large, &small)
      isNegative = other.isNegative
    }
    let isSum = one.isNegative == other.isNegative
    var carry = 0
    for index in large.indices {
      let digit = index < small.count ? Int(small[index]) : 0
      let sum = Int(large[index]) + (isSum ? digit + carry : -digit - carry)
      carry = sum < 0 || sum > 9 ? 1 : 0
      large[index] = UInt8((sum + 10) % 10)
    }
    if isSum, carry > 0 { large.append(1) }
    return LongDecimal(isNegative: isNegative, digits: large.reversed(), exponent: lowest)
  }

  static prefix func - (one: LongDecimal) -> LongDecimal {
    LongDecimal(isNegative: !one.isNegative, digits: one.digits, exponent: one.exponent)
  }

  /// The decimal with all its digits, without an exponent.
  var text: String {
    let sign = isNegative ? "-" : ""
    if digits.isEmpty { return "0" }
    let digitString = String(decoding: digits.map { $0 + 48 }, as: UTF8.self)
    if exponent >= 0 { return sign + digitString + String(repeating: "0", count: exponent) }
    if pointOffset <= 0 {
      return sign + "0." + String(repeating: "0", count: -pointOffset) + digitString
    }
    return sign + digitString.prefix(pointOffset) + "." + digitString.dropFirst(pointOffset)
  }

  // MARK: Bytes

  /// The decimal as bytes. The bytes sort like the numbers if they are compared one by one.
  ///
  /// ```
  /// 0   u8    1 negative, 2 zero, 3 positive
  /// 1   u16   the power of ten above the first digit, plus 0x8000
  /// 3   u8    each digit, plus 1
  ///     u8    0
  /// ```
  ///
  /// For negative numbers, all bytes after the first are inverted. Zero consists of the first byte
  /// only.
  var orderBytes: [UInt8] {
    if digits.isEmpty { return [2] }
    let head = UInt16(0x8000 + pointOffset)
    let bytes =
      [UInt8(head >> 8), UInt8(truncatingIfNeeded: head)] + digits.map { $0 + 1 } + [0]
    return isNegative ? [1] + bytes.map(~) : [3] + bytes
  }

  /// Creates the decimal from bytes that ``orderBytes`` returned.
  init(orderBytes bytes: [UInt8]) {
    guard bytes.count > 3 else {
      self.init(0, exponent: 0)
      return
    }
    let isNegative = bytes[0] == 1
    let rest = isNegative ? bytes.dropFirst().map(~) : Array(bytes.dropFirst())
    let digits = rest.dropFirst(2).dropLast().map { $0 - 1 }
    let pointOffset = (Int(rest[0]) << 8 | Int(rest[1])) - 0x8000
    self.init(isNegative: isNegative, digits: digits, exponent: pointOffset - digits.count)
  }
}
