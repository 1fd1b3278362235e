/// The parts of an ISO 8601 string: the date, the time and the offset from UTC. ``DateText`` and
/// ``JournalTimeText`` convert the parts to a number. The accepted forms are:
///
/// ```
/// 2015-10-27                        the start of the day, in UTC
/// 2015-10-27T12:10                  no offset: UTC
/// 2015-10-27t12:10:26,25z           either case, point or comma
/// 2015-10-27T12:10:26.25+02:00      also +0200 and +02
/// -000044-03-15, +012015-10-27      with a sign: four digits or more
/// ```
///
/// For all other strings, the initializer throws an error with a sentence.
struct CivilReading {
  /// The year; nil if it has too many digits for 64-bit arithmetic.
  private(set) var year: Int64?
  private(set) var month = 0
  private(set) var day = 0
  /// The number of seconds from midnight UTC of the day to the time. It can be negative or more
  /// than a day, because the offset is subtracted.
  private(set) var secondOfDay: Int64 = 0
  /// The range of the digits of the year without leading zeros, and whether the year has a minus
  /// sign.
  private(set) var yearDigits = 0..<0
  private(set) var isYearNegative = false
  /// The range of the digits of the fraction, without trailing zeros.
  private(set) var fraction = 0..<0

  private var offset = 0
  private var yearOfEra: Int64 = 0

  /// Parses a whole string.
  ///
  /// - Complexity: O(*n*)
  init(_ string: Span<UInt8>) throws(TextError) {
    try readYear(string)
    try expect("-", named: "'-' after the year", in: string)
    month = try readPair("the month", in: string)
    guard month >= 1, month <= 12 else {
      throw outOfRange("months are 01 to 12, not \(pair(month)).", in: string)
    }
    try expect("-", named: "'-' after the month", in: string)
    day = try readPair("the day", in: string)
    let dayCount = CivilDay.dayCount(year: yearOfEra, month: month)
    guard day >= 1, day <= dayCount else { throw dayError(dayCount: dayCount, in: string) }
    if offset < string.count {
      guard string[offset] | 0x20 == UInt8(ascii: "t") else {
        throw .expected("'T' or the end after the day", in: string, at: offset)
      }
      offset += 1
      try readTime(string)
      try readOffset(string)
    }
    guard offset == string.count else {
      throw .expected("the end", in: string, at: offset)
    }
  }

  /// The number of seconds after the start of 1970 in UTC, without the fraction; nil if the year
  /// has too many digits for 64-bit arithmetic.
  var secondsSince1970: Int64? {
    guard let year else { return nil }
    return CivilDay(year: year, month: month, day: day).daysSince1970 * 86_400 + secondOfDay
  }

  private mutating func readYear(_ string: Span<UInt8>) throws(TextError) {
    var isSigned = false
    if offset < string.count,
      string[offset] == UInt8(ascii: "-") || string[offset] == UInt8(ascii: "+")
    {
      isSigned = true
      isYearNegative = string[offset] == UInt8(ascii: "-")
      offset += 1
    }
    let begin = offset
    var first = offset
    var number: Int64 = 0
    while let digit = Self.digit(in: string, at: offset) {
      if number == 0, digit == 0, first == offset { first += 1 }
      // The length of February depends only on the position of the year in an era of 400 years. For
      // example, the years 2000 and -2000 have the same position. So the remainder of the year is
      // enough to check the day.
      if offset - first < 12 {
        number = number * 10 + digit
        yearOfEra = number
      } else {
        if offset - first == 12 { yearOfEra %= 400 }
        yearOfEra = (yearOfEra * 10 + digit) % 400
      }
      offset += 1
      if !isSigned, offset - begin == 4 { break }
    }
    guard offset - begin >= 4 else {
      throw .expected(
        "a year of \(isSigned ? "four digits or more" : "four digits")", in: string, at: offset)
    }
    if !isSigned, Self.digit(in: string, at: offset) != nil {
      throw TextError(
        .form, sentence: "a year of more than four digits must start with '+' or '-'.", in: string,
        at: 0)
    }
    yearDigits = first..<offset
    if isYearNegative, yearDigits.isEmpty {
      throw TextError(.form, sentence: "the year 0 cannot have the sign '-'.", in: string, at: 0)
    }
    // 200 thousand million years are 6.3 × 10¹⁸ seconds, which fits in 64 bits.
    if yearDigits.count <= 12, number <= 200_000_000_000 {
      year = isYearNegative ? -number : number
    }
  }

  private mutating func readTime(_ string: Span<UInt8>) throws(TextError) {
    let hour = try readPair("the hour", in: string)
    guard hour <= 23 else { throw outOfRange("hours are 00 to 23, not \(pair(hour)).", in: string) }
    try expect(":", named: "':' after the hour", in: string)
    let minute = try readPair("the minute", in: string)
    guard minute <= 59 else {
      throw outOfRange("minutes are 00 to 59, not \(pair(minute)).", in: string)
    }
    secondOfDay = Int64(hour * 3600 + minute * 60)
    guard offset < string.count, string[offset] == UInt8(ascii: ":") else { return }
    offset += 1
    let second = try readPair("the second", in: string)
    guard second <= 59 else {
      let sentence =
        second == 60
        ? "second 60 is a leap second, which is not supported: seconds are 00 to 59."
        : "seconds are 00 to 59, not \(pair(second))."
      throw outOfRange(sentence, in: string)
    }
    secondOfDay += Int64(second)
    guard offset < string.count,
      string[offset] == UInt8(ascii: ".") || string[offset] == UInt8(ascii: ",")
    else { return }
    offset += 1
    let begin = offset
    var end = offset
    while let digit = Self.digit(in: string, at: offset) {
      offset += 1
      if digit != 0 { end = offset }
    }
    guard offset > begin else {
      throw .expected("a digit of the fraction", in: string, at: offset)
    }
    fraction = begin..<end
  }

  private mutating func readOffset(_ string: Span<UInt8>) throws(TextError) {
    guard offset < string.count else { return }
    let sign = string[offset]
    if sign | 0x20 == UInt8(ascii: "z") {
      offset += 1
      return
    }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      throw .expected("'Z', an offset such as +02:00 or the end", in: string, at: offset)
    }
    offset += 1
    let hour = try readPair("the hours of the offset", in: string)
    guard hour <= 23 else {
      throw outOfRange("the hours of an offset are 00 to 23, not \(pair(hour)).", in: string)
    }
    var minute = 0
    if offset < string.count {
      if string[offset] == UInt8(ascii: ":") { offset += 1 }
      minute = try readPair("the minutes of the offset", in: string)
      guard minute <= 59 else {
        throw outOfRange("the minutes of an offset are 00 to 59, not \(pair(minute)).", in: string)
      }
    }
    let seconds = Int64(hour * 3600 + minute * 60)
    secondOfDay += sign == UInt8(ascii: "+") ? -seconds : seconds
  }

  @inline(__always)
  private mutating func readPair(_ name: String, in string: Span<UInt8>) throws(TextError) -> Int {
    guard let tens = Self.digit(in: string, at: offset) else {
      throw .expected("two digits of \(name)", in: string, at: offset)
    }
    guard let ones = Self.digit(in: string, at: offset + 1) else {
      throw .expected("two digits of \(name)", in: string, at: offset + 1)
    }
    offset += 2
    return Int(tens * 10 + ones)
  }

  @inline(__always)
  private mutating func expect(
    _ character: Unicode.Scalar, named name: String, in string: Span<UInt8>
  ) throws(TextError) {
    guard offset < string.count, string[offset] == UInt8(ascii: character) else {
      throw .expected(name, in: string, at: offset)
    }
    offset += 1
  }

  @inline(__always)
  private static func digit(in string: Span<UInt8>, at offset: Int) -> Int64? {
    guard offset < string.count else { return nil }
    let value = string[offset] &- 48
    return value < 10 ? Int64(value) : nil
  }

  /// Returns an error for the two digits before the current offset.
  private func outOfRange(_ sentence: String, in string: Span<UInt8>) -> TextError {
    TextError(.range, sentence: sentence, in: string, at: offset - 2)
  }

  private func dayError(dayCount: Int, in string: Span<UInt8>) -> TextError {
    let names = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    // The message contains the year only for February, whose length depends on the year, and only
    // if the year fits in 64 bits.
    let ofYear = month == 2 ? year.map { " \($0)" } ?? " of that year" : ""
    return outOfRange(
      "\(names[month - 1])\(ofYear) has days 01 to \(dayCount), not \(pair(day)).", in: string)
  }

  private func pair(_ number: Int) -> String {
    (number < 10 ? "0" : "") + String(number)
  }
}
