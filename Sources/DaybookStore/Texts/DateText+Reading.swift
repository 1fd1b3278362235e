import DaybookEssentials

extension DateText {
  /// Returns the date that a string represents, rounded to the nearest Double; see ``CivilReading``
  /// for the accepted forms. The strings `NaN`, `Infinity` and `-Infinity` are accepted too.
  ///
  /// - Complexity: O(*n*)
  package static func date(_ string: String) throws(TextError) -> Date {
    try date(string.utf8Span.span)
  }

  /// Returns the date that UTF-8 bytes represent.
  package static func date(_ string: Span<UInt8>) throws(TextError) -> Date {
    if let special = NumberText.special(string) {
      return Date(timeIntervalSinceReferenceDate: special)
    }
    let reading = try CivilReading(string)
    let seconds =
      if let since1970 = reading.secondsSince1970 {
        nearest(since1970 - secondsFrom1970To2001, fraction: reading.fraction, in: string)
      } else {
        far(reading, in: string)
      }
    guard seconds.isFinite else {
      throw TextError(
        .range,
        sentence:
          "the date is out of range; the limit is 1.7976931348623157e+308 seconds from 2001.",
        in: string, at: 0)
    }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// Returns the Double that is nearest to a number of seconds plus the digits of a fraction.
  private static func nearest(
    _ seconds: Int64, fraction: Range<Int>, in string: Span<UInt8>
  ) -> Double {
    if fraction.isEmpty { return Double(seconds) }
    // An integer below 2⁵³ and a power of ten up to 10²² are exact as Doubles. The division of the
    // two is rounded only once, so its result is the Double that is nearest to the exact quotient.
    if fraction.count <= 15 {
      var number: Int64 = 0
      for index in fraction { number = number &* 10 &+ Int64(string[index] &- 48) }
      let power = powersOfTen[fraction.count]
      let (scaled, overflowed) = seconds.multipliedReportingOverflow(by: power)
      let total = scaled &+ number
      if !overflowed, scaled.magnitude < 1 << 53, total.magnitude < 1 << 53 {
        return Double(total) / Double(power)
      }
    }
    var digits = fraction.map { string[$0] }
    var magnitude = seconds
    if seconds < 0 {
      complement(&digits)
      magnitude = seconds + 1
    }
    let sign = seconds < 0 ? "-" : ""
    return nearest("\(sign)\(magnitude.magnitude).\(String(decoding: digits, as: UTF8.self))")
  }

  private static let powersOfTen: [Int64] = (0...15).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// Returns the Double that is nearest to a decimal, as the standard library parses it.
  private static func nearest(_ decimal: String) -> Double {
    guard let number = Double(decimal) else { preconditionFailure("'\(decimal)' is a number") }
    return number
  }

  /// Returns the number of seconds from 2001 to a point in time, as the nearest Double. The
  /// function is for years with too many digits for 64-bit arithmetic.
  private static func far(_ reading: CivilReading, in string: Span<UInt8>) -> Double {
    // A `Date` is a Double of at most 1.8 × 10³⁰⁸ seconds, so its year has fewer than 302 digits.
    // Without this limit, reading a long string would be very slow: the number of steps grows with
    // the square of the number of digits.
    guard reading.yearDigits.count <= 302 else {
      return reading.isYearNegative ? -.infinity : .infinity
    }
    var number = WideInteger(
      isNegative: reading.isYearNegative, digits: string.extracting(reading.yearDigits))
    if reading.month <= 2 { number.add(-1) }
    let yearOfEra = number.divideFlooring(by: 400)
    number.multiply(by: UInt32(CivilDay.daysOfEra))
    let dayOfEra = CivilDay.dayOfEra(
      yearFromMarch: Int(yearOfEra), month: reading.month, day: reading.day)
    number.add(Int64(dayOfEra - CivilDay.daysBefore1970))
    number.multiply(by: 86_400)
    number.add(reading.secondOfDay - secondsFrom1970To2001)
    var fraction = reading.fraction.map { string[$0] }
    if number.isBelowZero, !fraction.isEmpty {
      complement(&fraction)
      number.add(1)
    }
    let sign = number.isBelowZero ? "-" : ""
    let integer = String(decoding: number.magnitudeDigits, as: UTF8.self)
    return nearest("\(sign)\(integer).\(String(decoding: fraction + [48], as: UTF8.self))")
  }
}
