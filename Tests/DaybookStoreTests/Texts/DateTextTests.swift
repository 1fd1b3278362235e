import DaybookSimulation
import FoundationEssentials
import Testing

@testable import DaybookStore

@Suite struct `Date strings` {
  private func text(_ seconds: Double) -> String {
    DateText.text(of: Date(timeIntervalSinceReferenceDate: seconds))
  }

  private func seconds(_ text: String) throws -> Double {
    try DateText.date(text).timeIntervalSinceReferenceDate
  }

  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00Z"),
      (-1, "2000-12-31T23:59:59Z"),
      (467_640_626, "2015-10-27T12:10:26Z"),
      (467_640_626.25, "2015-10-27T12:10:26.25Z"),
      (467_640_626.001, "2015-10-27T12:10:26.001Z"),
      (467_640_626.123456, "2015-10-27T12:10:26.123456Z"),
      (-0.1, "2000-12-31T23:59:59.9Z"),
      (0.1, "2001-01-01T00:00:00.1Z"),
      (1e-7, "2001-01-01T00:00:00.0000001Z"),
      (-1e-7, "2000-12-31T23:59:59.9999999Z"),
      (1.5e-7, "2001-01-01T00:00:00.00000015Z"),
      (-978_307_200, "1970-01-01T00:00:00Z"),
      (-978_307_199.5, "1970-01-01T00:00:00.5Z"),
      (-978_307_200.5, "1969-12-31T23:59:59.5Z"),
      (252_423_993_599, "9999-12-31T23:59:59Z"),
      (252_423_993_600, "+010000-01-01T00:00:00Z"),
      (-63_145_612_800, "-000001-12-31T00:00:00Z"),
      (-63_145_526_400, "0000-01-01T00:00:00Z"),
      (0x1p52, "+142715391-12-07T03:48:16Z"),
      (0x1p62, "+146138514314-06-20T07:45:04Z"),
      (-0x1p62, "-146138510313-07-15T16:14:56Z"),
      (.nan, "NaN"), (.infinity, "Infinity"), (-.infinity, "-Infinity"),
    ] as [(Double, String)])
  func `date strings are in UTC with the fewest digits that read back`(
    _ seconds: Double, _ expected: String
  ) throws {
    #expect(text(seconds) == expected)
    #expect(try self.seconds(expected).bitPattern == seconds.bitPattern)
  }

  @Test func `the smallest and the greatest dates read back`() throws {
    let least = Double.leastNonzeroMagnitude
    for magnitude in [
      least, 2 * least, 2.2250738585072014e-308, 1e-300, 0x1p53, 0x1p63, 0x1p64, 1e22, 1e300,
      Double.greatestFiniteMagnitude,
    ] {
      for seconds in [magnitude, -magnitude] {
        #expect(try self.seconds(text(seconds)) == seconds, "\(seconds)")
      }
    }
    #expect(text(least).utf8.count == "2001-01-01T00:00:00.Z".utf8.count + 324)
    #expect(text(-least).hasPrefix("2000-12-31T23:59:59.99999"))
    #expect(text(.greatestFiniteMagnitude).hasPrefix("+56966"))
  }

  @Test func `a negative zero is written and read as zero`() throws {
    #expect(text(-0.0) == "2001-01-01T00:00:00Z")
    #expect(try seconds("2001-01-01T00:00:00Z").sign == .plus)
  }

  @Test(
    arguments: [
      ("2015-10-27", "2015-10-27T00:00:00Z"),
      ("2015-10-27T12:10", "2015-10-27T12:10:00Z"),
      ("2015-10-27T12:10Z", "2015-10-27T12:10:00Z"),
      ("2015-10-27T12:10:26", "2015-10-27T12:10:26Z"),
      ("2015-10-27t12:10:26z", "2015-10-27T12:10:26Z"),
      ("2015-10-27T12:10:26,25Z", "2015-10-27T12:10:26.25Z"),
      ("2015-10-27T12:10:26.2500000000000000000000000000Z", "2015-10-27T12:10:26.25Z"),
      ("2015-10-27T12:10:26.0Z", "2015-10-27T12:10:26Z"),
      ("2015-10-27T12:10:26+02:00", "2015-10-27T10:10:26Z"),
      ("2015-10-27T12:10:26-0730", "2015-10-27T19:40:26Z"),
      ("2015-10-27T12:10:26.5+02", "2015-10-27T10:10:26.5Z"),
      ("2015-12-31T23:30-23:59", "2016-01-01T23:29:00Z"),
      ("2015-01-01T00:30+01", "2014-12-31T23:30:00Z"),
      ("-0044-03-15", "-000044-03-15T00:00:00Z"),
      ("+2015-10-27", "2015-10-27T00:00:00Z"),
      ("-000000000000000000044-03-15", "-000044-03-15T00:00:00Z"),
      ("+0000-03-15", "0000-03-15T00:00:00Z"),
      ("2016-02-29", "2016-02-29T00:00:00Z"),
      ("2000-02-29", "2000-02-29T00:00:00Z"),
      ("-0004-02-29", "-000004-02-29T00:00:00Z"),
    ])
  func `date strings are read with any offset and precision`(_ given: String, _ same: String)
    throws
  {
    #expect(try text(seconds(given)) == same)
  }

  @Test(
    arguments: [
      ("", 0, "expected a year of four digits, found the end."),
      ("tomorrow", 0, "expected a year of four digits, found 't'."),
      ("215-10-27", 3, "expected a year of four digits, found '-'."),
      ("+15-10-27", 3, "expected a year of four digits or more, found '-'."),
      ("20155-10-27", 0, "a year of more than four digits must start with '+' or '-'."),
      ("-0000-10-27", 0, "the year 0 cannot have the sign '-'."),
      ("2015", 4, "expected '-' after the year, found the end."),
      ("2015é10", 4, "expected '-' after the year, found U+00E9."),
      ("2015-1-27", 6, "expected two digits of the month, found '-'."),
      ("2015-00-27", 5, "months are 01 to 12, not 00."),
      ("2015-13-27", 5, "months are 01 to 12, not 13."),
      ("2015-10", 7, "expected '-' after the month, found the end."),
      ("2015-10-", 8, "expected two digits of the day, found the end."),
      ("2015-10-00", 8, "October has days 01 to 31, not 00."),
      ("2015-10-32", 8, "October has days 01 to 31, not 32."),
      ("2015-11-31", 8, "November has days 01 to 30, not 31."),
      ("2015-02-30", 8, "February 2015 has days 01 to 28, not 30."),
      ("1900-02-29", 8, "February 1900 has days 01 to 28, not 29."),
      ("2016-02-30", 8, "February 2016 has days 01 to 29, not 30."),
      ("-0005-02-29", 9, "February -5 has days 01 to 28, not 29."),
      ("+123456789012345678901-02-29", 26, "February of that year has days 01 to 28, not 29."),
      ("2015-10-27 12:10", 10, "expected 'T' or the end after the day, found U+0020."),
      ("2015-10-27T", 11, "expected two digits of the hour, found the end."),
      ("2015-10-27T12", 13, "expected ':' after the hour, found the end."),
      ("2015-10-27T24:00", 11, "hours are 00 to 23, not 24."),
      ("2015-10-27T23:60", 14, "minutes are 00 to 59, not 60."),
      (
        "2015-06-30T23:59:60Z", 17,
        "second 60 is a leap second, which is not supported: seconds are 00 to 59."
      ),
      ("2015-06-30T23:59:61Z", 17, "seconds are 00 to 59, not 61."),
      ("2015-06-30T23:59:5", 18, "expected two digits of the second, found the end."),
      ("2015-06-30T23:59:59.Z", 20, "expected a digit of the fraction, found 'Z'."),
      ("2015-06-30T23:59:59x", 19, "expected 'Z', an offset such as +02:00 or the end, found 'x'."),
      ("2015-06-30T23:59:59ZZ", 20, "expected the end, found 'Z'."),
      (
        "2015-06-30T23:59:59+", 20, "expected two digits of the hours of the offset, found the end."
      ),
      ("2015-06-30T23:59:59+24", 20, "the hours of an offset are 00 to 23, not 24."),
      (
        "2015-06-30T23:59:59+01:", 23,
        "expected two digits of the minutes of the offset, found the end."
      ),
      ("2015-06-30T23:59:59+01:60", 23, "the minutes of an offset are 00 to 59, not 60."),
      ("2015-06-30T23:59:59+01:00:00", 25, "expected the end, found ':'."),
      ("infinity", 0, "expected a year of four digits, found 'i'."),
    ])
  func `a string that is no date is refused with a message`(
    _ text: String, _ offset: Int, _ sentence: String
  ) {
    let error = #expect(throws: TextError.self) { try DateText.date(text) }
    #expect(error?.sentence == sentence)
    #expect(error?.scalarOffset == offset)
  }

  @Test func `years beyond the last date are refused`() {
    for digits in [302, 303, 100_000] {
      let text = "-" + String(repeating: "9", count: digits) + "-01-01"
      let error = #expect(throws: TextError.self) { try DateText.date(text) }
      #expect(
        error?.sentence
          == "the date is out of range; the limit is 1.7976931348623157e+308 seconds from 2001.")
      #expect(error?.reason == .range)
    }
  }

  @Test func `any bytes are read as a date or refused`() throws {
    var generator = SplitMix64(seed: 11)
    let alphabet = Array("0123456789-+T:.,zZ é".utf8)
    let valid = Array("2015-10-27T12:10:26.123456+02:00".utf8)
    for round in 0..<20_000 {
      var bytes = valid
      if round % 2 == 0 {
        bytes = (0..<Int(generator.next() % 40)).map { _ in
          alphabet[Int(generator.next() % UInt64(alphabet.count))]
        }
      } else {
        for _ in 0...generator.next() % 3 {
          bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(generator.next() % 256)
        }
      }
      if let date = try? DateText.date(bytes.span) {
        let text = DateText.text(of: date)
        #expect(try DateText.date(text) == date)
      }
      _ = try? JournalTimeText.time(bytes.span)
    }
  }

  @Test func `date strings equal those of Foundation`() throws {
    var generator = SplitMix64(seed: 12)
    for _ in 0..<2_000 {
      // Dates from 1589 on: before 1582 Foundation uses the Julian calendar.
      let seconds = Double(Int64(generator.next() % 265_000_000_000)) - 13_000_000_000
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let text = DateText.text(of: date)
      #expect(date.formatted(.iso8601) == text)
      #expect(try Date(text, strategy: .iso8601) == date)
      #expect(try DateText.date(date.formatted(.iso8601)) == date)
    }
  }
}
