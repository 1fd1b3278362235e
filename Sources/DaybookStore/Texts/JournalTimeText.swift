import DaybookJournal

extension JournalTime {
  /// Creates the exact time of a string in ISO 8601, such as `2015-10-27T12:10:26Z`. A date without
  /// a time means the start of the day, and a time without an offset is in UTC.
  ///
  /// - Throws: ``TextError`` if the string is not a time, if the fraction has more than nine
  ///   digits, or if the time does not fit in 64 bits of nanoseconds
  public init(_ text: String) throws(TextError) { self = try JournalTimeText.time(text) }
}

/// The conversion between times of the journal and strings in ISO 8601 and UTC, exact to the
/// nanosecond.
package enum JournalTimeText {
  /// Returns the string of a time, with the fewest fraction digits that represent it exactly.
  package static func text(of time: JournalTime) -> String {
    shortText(of: time).string
  }

  /// Appends the string of a time to bytes.
  package static func append(_ time: JournalTime, to output: inout [UInt8]) {
    shortText(of: time).append(to: &output)
  }

  private static func shortText(of time: JournalTime) -> ShortText {
    let (seconds, rest) = time.nanoseconds.flooringDivision(by: 1_000_000_000)
    var text = ShortText()
    DateText.appendMoment(seconds, to: &text)
    if rest > 0 {
      var (number, width) = (rest.magnitude, 9)
      while number % 10 == 0 {
        number /= 10
        width -= 1
      }
      text.append(".")
      text.append(number, digitCount: width)
    }
    text.append("Z")
    return text
  }

  /// Returns the exact time of a string; see ``CivilReading`` for the accepted forms.
  ///
  /// - Complexity: O(*n*)
  /// - Throws: ``TextError``, also if the time does not fit in 64 bits of nanoseconds, or if the
  ///   fraction has more than nine digits, not counting trailing zeros
  package static func time(_ text: String) throws(TextError) -> JournalTime {
    try time(text.utf8Span.span)
  }

  /// Returns the exact time of the UTF-8 bytes of a string.
  package static func time(_ text: Span<UInt8>) throws(TextError) -> JournalTime {
    let reading = try CivilReading(text)
    guard reading.fraction.count <= 9 else {
      throw TextError(
        .precision,
        sentence: "a time has at most 9 fraction digits, not \(reading.fraction.count).",
        in: text, at: reading.fraction.lowerBound)
    }
    var nanoseconds: Int64 = 0
    for index in reading.fraction { nanoseconds = nanoseconds * 10 + Int64(text[index] - 48) }
    for _ in reading.fraction.count..<9 { nanoseconds *= 10 }
    let isLate = !reading.isYearNegative
    guard let seconds = reading.secondsSince1970 else { throw outside(isLate: isLate, in: text) }
    let total = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
    guard let exact = Int64(exactly: total) else { throw outside(isLate: seconds > 0, in: text) }
    return JournalTime(nanoseconds: exact)
  }

  private static func outside(isLate: Bool, in text: Span<UInt8>) -> TextError {
    let limit =
      isLate
      ? "out of range; the latest time is 2262-04-11T23:47:16.854775807Z."
      : "out of range; the earliest time is 1677-09-21T00:12:43.145224192Z."
    return TextError(.range, sentence: limit, in: text, at: 0)
  }
}
