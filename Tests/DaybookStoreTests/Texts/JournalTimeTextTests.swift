import DaybookJournal
import DaybookSimulation
import Testing

@testable import DaybookStore

@Suite struct `Strings of journal times` {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"),
      (1, "1970-01-01T00:00:00.000000001Z"),
      (-1, "1969-12-31T23:59:59.999999999Z"),
      (1_445_947_826_250_000_000, "2015-10-27T12:10:26.25Z"),
      (.min, "1677-09-21T00:12:43.145224192Z"),
      (.max, "2262-04-11T23:47:16.854775807Z"),
    ] as [(Int64, String)])
  func `strings of journal times are exact in both directions`(_ nanoseconds: Int64, _ text: String)
    throws
  {
    let time = JournalTime(nanoseconds: nanoseconds)
    #expect(JournalTimeText.text(of: time) == text)
    #expect(try JournalTimeText.time(text) == time)
  }

  @Test func `strings of journal times equal the descriptions of the times`() throws {
    var generator = SplitMix64(seed: 31)
    for round in 0..<2_000 {
      let places: [Int64] = [1, 1_000, 1_000_000, 1_000_000_000]
      let number = Int64(bitPattern: generator.next())
      let time = JournalTime(nanoseconds: number - number % places[round % 4])
      let text = JournalTimeText.text(of: time)
      #expect(text == time.description)
      #expect(try JournalTimeText.time(text) == time)
    }
  }

  @Test func `offsets and trailing zeros do not change a time`() throws {
    let expected = try JournalTimeText.time("2015-10-27T12:10:26.25Z")
    for text in [
      "2015-10-27T14:10:26.25+02:00", "2015-10-27T12:10:26.25", "2015-10-27t12:10:26,250000000000z",
    ] {
      #expect(try JournalTimeText.time(text) == expected)
    }
  }

  @Test(
    arguments: [
      (
        "2015-10-27T12:10:26.0123456789Z", 20, TextError.Reason.precision,
        "a time has at most 9 fraction digits, not 10."
      ),
      (
        "2262-04-11T23:47:16.854775808Z", 0, .range,
        "out of range; the latest time is 2262-04-11T23:47:16.854775807Z."
      ),
      (
        "1677-09-21T00:12:43.145224191Z", 0, .range,
        "out of range; the earliest time is 1677-09-21T00:12:43.145224192Z."
      ),
      (
        "+99999999999999-01-01", 0, .range,
        "out of range; the latest time is 2262-04-11T23:47:16.854775807Z."
      ),
      (
        "-99999999999999-01-01", 0, .range,
        "out of range; the earliest time is 1677-09-21T00:12:43.145224192Z."
      ),
      ("NaN", 0, .form, "expected a year of four digits, found 'N'."),
    ])
  func `a time that cannot be represented is refused with a message`(
    _ text: String, _ offset: Int, _ reason: TextError.Reason, _ sentence: String
  ) {
    let error = #expect(throws: TextError.self) { try JournalTimeText.time(text) }
    #expect(error?.sentence == sentence)
    #expect(error?.reason == reason)
    #expect(error?.scalarOffset == offset)
  }
}
