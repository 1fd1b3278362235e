import DaybookEssentials

/// The conversion of dates to strings in ISO 8601 and UTC. A string has as few digits as possible,
/// but enough for a reader to get an equal date.
///
/// A date is a Double: the seconds after the start of 2001. A reader converts a string to the
/// Double that is nearest to the string's exact value. The *interval* of a date contains the
/// numbers that are nearer to the date than to any other Double. So a string has enough digits if
/// its exact value is in this interval. One of three methods finds the string with the fewest
/// fraction digits:
///
/// 1. *Whole seconds* have no fraction digits. From 2⁵² seconds on, every date is whole.
/// 2. *From 2²³ seconds (97 days) on* the fraction is an integer F of at most 29 bits over a power
///    of two 2ˢ. The method tries k = 1, 2, … digits.
///
///    - The decimal of k digits nearest to F/2ˢ is n/10ᵏ, where n is F·10ᵏ/2ˢ rounded.
///    - It is in the interval if |n·2ˢ − F·10ᵏ|/(10ᵏ·2ˢ) is below 1/2ˢ⁺¹. The two sides are never
///      equal. If they were, n·2ˢ⁺¹ would be 10ᵏ times an odd number, and k would be above s. But
///      the loop ends before that, when 10ᵏ is above 2ˢ.
///    - All these numbers are exact in 64 bits.
///    - If a decimal of k digits is in the interval, the nearest decimal of k digits is in it too.
///      The reason is that the interval is symmetric about the date. The interval is asymmetric
///      only at powers of two, and these dates are whole here.
///    - A whole number is never in the interval, because the distance from a date with a fraction
///      to a whole number is at least 1/2ˢ. So k = 0 is not tried, and n is neither 0 nor 10ᵏ.
/// 3. *Nearer to 2001*, the method uses the shortest decimal of the Double, as Swift's
///    `description` returns it. The shortest decimal also has the fewest fraction digits:
///
///    - Among numbers with the same power of ten, a decimal with fewer fraction digits has fewer
///      digits.
///    - If the interval contains numbers with two powers of ten, it also contains the higher power.
///      Then the shortest decimal has one digit, d·10⁻ᵏ. A decimal with fewer fraction digits would
///      be at least 10⁻ᵏ⁺¹, which is greater by at least a ninth. Only the interval of 2 × 2⁻¹⁰⁷⁴
///      is that wide, and its description is 1e-323.
///
/// Before 2001 the number of seconds is negative. The string contains the seconds rounded down, and
/// the distance from there as the fraction: 10ᵏ − n, with the same number of digits. -0.0 is
/// written like 0.0, and is read as 0.0.
///
/// Years above 9999 or below 0 have a sign and at least six digits, as JavaScript reads them.
package enum DateText {
  /// The number of seconds from 1970 to 2001.
  static let secondsFrom1970To2001: Int64 = 978_307_200

  /// Returns the string of a date; NaN and infinities are `NaN`, `Infinity` and `-Infinity`.
  package static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    var short = ShortText()
    if write(seconds, to: &short) { return short.string }
    return String(decoding: longString(ofSeconds: seconds), as: UTF8.self)
  }

  /// Appends the string of a date to bytes.
  package static func append(_ date: Date, to output: inout [UInt8]) {
    let seconds = date.timeIntervalSinceReferenceDate
    var short = ShortText()
    if write(seconds, to: &short) { return short.append(to: &output) }
    output += longString(ofSeconds: seconds)
  }

  /// Writes a date with the first or the second method. Returns false if neither method applies, or
  /// if the distance from 2001 is 2⁶² seconds (146 thousand million years) or more.
  static func write(_ seconds: Double, to characters: inout ShortText) -> Bool {
    guard seconds.magnitude < 0x1p62 else { return false }
    var integer = Int64(seconds)
    guard Double(integer) != seconds else {
      appendMoment(integer + secondsFrom1970To2001, to: &characters)
      characters.append("Z")
      return true
    }
    guard seconds.magnitude >= 0x1p23 else { return false }
    let shift = 52 - UInt64(seconds.exponent)
    let significand = seconds.significandBitPattern | 1 << 52
    let numerator = significand & (1 << shift - 1)
    var power: UInt64 = 1
    var digitCount = 0
    var number: UInt64
    var difference: UInt64
    repeat {
      power &*= 10
      digitCount &+= 1
      let scaled = numerator &* power
      number = (scaled &+ 1 << (shift &- 1)) >> shift
      let rounded = number << shift
      difference = 2 &* (rounded > scaled ? rounded &- scaled : scaled &- rounded)
    } while difference > power
    if seconds < 0 {
      integer -= 1
      number = power - number
    }
    appendMoment(integer + secondsFrom1970To2001, to: &characters)
    characters.append(".")
    characters.append(number, digitCount: digitCount)
    characters.append("Z")
    return true
  }

  /// Returns the string of a date that `write` does not write: with the third method, or with
  /// ``WideInteger`` for a very distant date, or the name of a date that is not finite.
  static func longString(ofSeconds seconds: Double) -> [UInt8] {
    if seconds.isNaN { return Array("NaN".utf8) }
    if seconds.isInfinite { return Array((seconds < 0 ? "-Infinity" : "Infinity").utf8) }
    if seconds == seconds.rounded() { return farString(ofSeconds: seconds) }
    precondition(seconds.magnitude < 0x1p53, "\(seconds) is not whole")
    var integer = Int64(seconds)
    var digits = fractionDigits(of: seconds.magnitude)
    if seconds < 0 {
      integer -= 1
      complement(&digits)
    }
    var characters = ShortText()
    appendMoment(integer + secondsFrom1970To2001, to: &characters)
    characters.append(".")
    var output: [UInt8] = []
    characters.append(to: &output)
    return output + digits + [UInt8(ascii: "Z")]
  }

  /// Appends a point in time without its fraction and its `Z`.
  @inline(__always)
  static func appendMoment(_ secondsSince1970: Int64, to characters: inout ShortText) {
    let (days, rest) = secondsSince1970.flooringDivision(by: 86_400)
    let civil = CivilDay(daysSince1970: days)
    let second = Int(truncatingIfNeeded: rest)
    guard civil.year >= 0, civil.year <= 9999 else {
      append(civil, to: &characters)
      characters.append("T")
      return append(secondOfDay: second, to: &characters)
    }
    // Nearly all years have four digits. For them, appending eight bytes at a time is faster than
    // appending single bytes.
    let year = Int(truncatingIfNeeded: civil.year)
    let hyphen = UInt64(UInt8(ascii: "-"))
    let date = ShortText.pair(year / 100) | ShortText.pair(year % 100) << 16 | hyphen << 32
    characters.append(eight: date | ShortText.pair(civil.month) << 40 | hyphen << 56)
    let hour = UInt64(UInt8(ascii: "T")) << 16 | ShortText.pair(second / 3600) << 24
    let minute = UInt64(UInt8(ascii: ":")) << 40 | ShortText.pair(second / 60 % 60) << 48
    characters.append(eight: ShortText.pair(civil.day) | hour | minute)
    characters.append(":")
    characters.append(twoDigits: second % 60)
  }

  /// Appends a day as `2015-10-27`.
  static func append(_ civil: CivilDay, to characters: inout ShortText) {
    appendYear(civil.year, to: &characters)
    characters.append("-")
    characters.append(twoDigits: civil.month)
    characters.append("-")
    characters.append(twoDigits: civil.day)
  }

  /// Appends a year: four digits, or a sign and at least six digits.
  static func appendYear(_ year: Int64, to characters: inout ShortText) {
    if year >= 0, year <= 9999 {
      characters.append(twoDigits: Int(year / 100))
      characters.append(twoDigits: Int(year % 100))
    } else {
      characters.append(year < 0 ? "-" : "+")
      characters.append(year.magnitude, width: 6)
    }
  }

  private static func append(secondOfDay second: Int, to characters: inout ShortText) {
    characters.append(twoDigits: second / 3600)
    characters.append(":")
    characters.append(twoDigits: second / 60 % 60)
    characters.append(":")
    characters.append(twoDigits: second % 60)
  }

  /// Returns the fraction digits of the shortest decimal that a reader converts to the given
  /// number. The number must not be whole.
  private static func fractionDigits(of magnitude: Double) -> [UInt8] {
    var digits: [UInt8] = []
    var pointIndex: Int?
    var exponent = 0
    let description = magnitude.description
    for (index, byte) in description.utf8.enumerated() {
      if byte == UInt8(ascii: ".") {
        pointIndex = digits.count
      } else if byte == UInt8(ascii: "e") {
        // For numbers that are not whole, exponents occur only near 0: e-5 and below.
        exponent = Int(
          description.utf8.dropFirst(index + 1).reduce(0) { number, byte in
            byte == UInt8(ascii: "-") ? number : number * 10 + Int(byte) - 48
          })
        break
      } else {
        digits.append(byte)
      }
    }
    let integerCount = (pointIndex ?? digits.count) - exponent
    guard integerCount < 0 else { return Array(digits[integerCount...]).droppingTrailingZeros }
    return (Array(repeating: 48, count: -integerCount) + digits).droppingTrailingZeros
  }

  /// Replaces the digits of a number n by the digits of 10ᵏ − n, where k is the number of digits.
  /// For example, 25 becomes 75. The last digit must not be 0.
  static func complement(_ digits: inout [UInt8]) {
    for index in digits.indices {
      digits[index] = (index == digits.count - 1 ? 106 : 105) - digits[index]
    }
  }

  /// Returns the string of a date that is a whole number of seconds from 2001, at any distance.
  private static func farString(ofSeconds seconds: Double) -> [UInt8] {
    var number = WideInteger(seconds)
    number.add(secondsFrom1970To2001)
    let secondOfDay = number.divideFlooring(by: 86_400)
    number.add(Int64(CivilDay.daysBefore1970))
    let dayOfEra = number.divideFlooring(by: UInt32(CivilDay.daysOfEra))
    let civil = CivilDay(dayOfFirstEra: Int(dayOfEra))
    number.multiply(by: 400)
    number.add(civil.year)
    let year = number.magnitudeDigits
    var output: [UInt8] = []
    if number.isBelowZero || year.count > 4 {
      output.append(UInt8(ascii: number.isBelowZero ? "-" : "+"))
      output += Array(repeating: 48, count: max(0, 6 - year.count))
    } else {
      output += Array(repeating: 48, count: 4 - year.count)
    }
    output += year
    var characters = ShortText()
    characters.append("-")
    characters.append(twoDigits: civil.month)
    characters.append("-")
    characters.append(twoDigits: civil.day)
    characters.append("T")
    append(secondOfDay: Int(secondOfDay), to: &characters)
    characters.append("Z")
    characters.append(to: &output)
    return output
  }
}

extension [UInt8] {
  fileprivate var droppingTrailingZeros: [UInt8] {
    var digits = self
    while digits.last == 48 { digits.removeLast() }
    return digits
  }
}
