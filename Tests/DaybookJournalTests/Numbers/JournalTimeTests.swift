@_spi(Tools) import DaybookJournal
import Testing
import TestSupport

@Suite struct `A journal's times` {
  private func text(_ seconds: Int64, _ nanoseconds: Int64 = 0) -> String {
    JournalTime(nanoseconds: seconds * 1_000_000_000 + nanoseconds).description
  }

  @Test func `journal times are described in UTC`() {
    #expect(text(0) == "1970-01-01T00:00:00Z")
    #expect(text(86_399) == "1970-01-01T23:59:59Z")
    #expect(text(1_000_000_000) == "2001-09-09T01:46:40Z")
    #expect(text(1_767_225_600) == "2026-01-01T00:00:00Z")
  }

  @Test func `journal times before 1970 are described correctly`() {
    #expect(text(-1) == "1969-12-31T23:59:59Z")
    #expect(text(0, -1) == "1969-12-31T23:59:59.999999999Z")
    #expect(text(-1, 1) == "1969-12-31T23:59:59.000000001Z")
    #expect(text(-86_400) == "1969-12-31T00:00:00Z")
    #expect(text(-2_208_988_800) == "1900-01-01T00:00:00Z")
  }

  @Test func `the minimum and maximum journal times are described`() {
    #expect(JournalTime.distantPast.description == "1677-09-21T00:12:43.145224192Z")
    #expect(JournalTime(nanoseconds: .max).description == "2262-04-11T23:47:16.854775807Z")
  }

  @Test func `journal times have the leap days of the calendar`() {
    #expect(text(951_782_399) == "2000-02-28T23:59:59Z")
    #expect(text(951_782_400) == "2000-02-29T00:00:00Z")
    #expect(text(951_868_800) == "2000-03-01T00:00:00Z")
    #expect(text(1_709_164_800) == "2024-02-29T00:00:00Z")
    #expect(text(1_740_700_800) == "2025-02-28T00:00:00Z")
    #expect(text(1_740_787_200) == "2025-03-01T00:00:00Z")
    #expect(text(-2_203_977_600) == "1900-02-28T00:00:00Z")
    #expect(text(-2_203_891_200) == "1900-03-01T00:00:00Z")
    #expect(text(4_107_456_000) == "2100-02-28T00:00:00Z")
    #expect(text(4_107_542_400) == "2100-03-01T00:00:00Z")
  }

  @Test func `fractions of seconds have the fewest exact digits`() {
    #expect(text(0, 500_000_000) == "1970-01-01T00:00:00.5Z")
    #expect(text(0, 250_000_000) == "1970-01-01T00:00:00.25Z")
    #expect(text(0, 1_000_000) == "1970-01-01T00:00:00.001Z")
    #expect(text(0, 1) == "1970-01-01T00:00:00.000000001Z")
    #expect(text(0, 100) == "1970-01-01T00:00:00.0000001Z")
    #expect(text(0, 123_456_789) == "1970-01-01T00:00:00.123456789Z")
  }

  @Test func `journal times are ordered, and their distances are clamped`() {
    let moments = [Int64.min, -1, 0, 1, .max].map { JournalTime(nanoseconds: $0) }
    #expect(moments == moments.sorted())
    #expect(JournalTime.distantPast.nanoseconds(until: JournalTime(nanoseconds: .max)) == .max)
    #expect(moments[1].nanoseconds(until: moments[3]) == 2)
  }
}
