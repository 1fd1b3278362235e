import DaybookJournal
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Journal times as dates` {
  @Test func `a date and a time with one string are equal`() throws {
    for text in [
      "2026-11-21T13:45:00Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.5Z",
      "2001-01-01T00:00:00.25Z", "1678-01-01T00:00:00Z", "2262-01-01T00:00:00Z",
    ] {
      let time = try JournalTimeText.time(text)
      #expect(JournalTime(try DateText.date(text)) == time, "\(text)")
      #expect(try time.date == DateText.date(text), "\(text)")
    }
  }

  @Test func `a date out of the range of journal times has no time`() {
    for seconds in [Double.nan, .infinity, -.infinity, 1e10, -1.1e10, 1e300] {
      #expect(JournalTime(Date(timeIntervalSinceReferenceDate: seconds)) == nil, "\(seconds)")
    }
    let limits = [JournalTime(nanoseconds: .max), JournalTime(nanoseconds: .min)]
    for time in limits {
      let seconds = time.date.timeIntervalSince1970
      #expect(abs(seconds - Double(time.nanoseconds) / 1e9) < 1e-5)
    }
  }
}
