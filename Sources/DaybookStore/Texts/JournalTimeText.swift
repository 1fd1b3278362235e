import DaybookJournal

extension JournalTime {
  /// Creates the exact time of a string in ISO 8601, such as `2015-10-27T12:10:26Z`. A date without
  /// a time means the start of the day, and a time without an offset is in UTC.
  ///
  /// - Throws: ``TextError`` if the string is not a time, if the fraction has more than nine
  ///   digits, or if the time does not fit in 64 bits of nanoseconds
  public init(_ string: String) throws(TextError) { self = try JournalTimeText.time(string) }
}

/// The conversion between times of the journal and strings in ISO 8601 and UTC, exact to the
/// nanosecond.
package enum JournalTimeText {
  /// Returns the string of a time, with the fewest fraction digits that represent it exactly.
  package static func text(of time: JournalTime) -> String {
    characters(of: time).string
  }

  /// Appends the string of a time to bytes.
  package static func append(_ time: JournalTime, to output: inout [UInt8]) {
    characters(of: time).append(to: &output)
  }

  private static func characters(of time: JournalTime) -> ShortText {
    let (seconds, rest) = time.nanoseconds.flooringDivision(by: 1_000_000_000)
    var result = ShortText()
    DateText.appendMoment(seconds, to: &result)
    if rest > 0 {
      var (number, width) = (rest.magnitude, 9)
      while number % 10 == 0 {
        number /= 10
        width -= 1
      }
      result.append(".")
      result.append(number, digitCount: width)
    }
    result.append("Z")
    return result
  }

  /// Returns the exact time of a string; see ``CivilReading`` for the accepted forms.
  ///
  /// - Complexity: O(*n*)
  /// - Throws: ``TextError``, also if the time does not fit in 64 bits of nanoseconds, or if the
  ///   fraction has more than nine digits, not counting trailing zeros
  package static func time(_ string: String) throws(TextError) -> JournalTime {
    try time(string.utf8Span.span)
  }

  /// Returns the exact time of the UTF-8 bytes of a string.
  package static func time(_ string: Span<UInt8>) throws(TextError) -> JournalTime {
    let reading = try CivilReading(string)
    guard reading.fraction.count <= 9 else {
      throw TextError(
        .precision,
        sentence: "a time has at most 9 fraction digits, not \(reading.fraction.count).",
        in: string, at: reading.fraction.lowerBound)
    }
    var nanoseconds: Int64 = 0
    for index in reading.fraction { nanoseconds = nanoseconds * 10 + Int64(string[index] - 48) }
    for _ in reading.fraction.count..<9 { nanoseconds *= 10 }
    let isLate = !reading.isYearNegative
    guard let seconds = reading.secondsSince1970 else { throw outside(isLate: isLate, in: string) }
    let total = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
    guard let exact = Int64(exactly: total) else { throw outside(isLate: seconds > 0, in: string) }
    return JournalTime(nanoseconds: exact)
  }

  private static func outside(isLate: Bool, in string: Span<UInt8>) -> TextError {
    let limit =
      isLate
      ? "out of range; the latest time is 2262-04-11T23:47:16.854775807Z."
      : "out of range; the earliest time is 1677-09-21T00:12:43.145224192Z."
    return TextError(.range, sentence: limit, in: string, at: 0)
  }
}
