import FoundationEssentials
import Testing

@testable import DaybookStore

@Suite struct `Days of the calendar` {
  /// Returns the number of days of a month by the textbook rule.
  private func dayCount(_ year: Int64, _ month: Int) -> Int {
    let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  @Test func `every day from the year -400 to 3000 has its number`() {
    var number: Int64 = 0
    for year in -400..<Int64(1970) {
      for month in 1...12 { number -= Int64(dayCount(year, month)) }
    }
    #expect(number == -865_625)
    var wrong: [String] = []
    for year in Int64(-400)...3000 {
      for month in 1...12 {
        let count = dayCount(year, month)
        if CivilDay.dayCount(year: year, month: month) != count { wrong.append("\(year)-\(month)") }
        for day in 1...count {
          let civil = CivilDay(daysSince1970: number)
          if civil.year != year || civil.month != month || civil.day != day
            || civil.daysSince1970 != number
          {
            wrong.append("\(number): \(civil)")
          }
          number += 1
        }
      }
    }
    #expect(wrong == [])
    #expect(number == CivilDay(year: 3001, month: 1, day: 1).daysSince1970)
  }

  @Test func `days repeat every 400 years`() {
    for year in [Int64(2015), 2016, 2000, 1900] {
      for eras in [Int64(1), -10, 1_000_000, -250_000_000] {
        let near = CivilDay(year: year, month: 2, day: 28)
        let far = CivilDay(year: year + 400 * eras, month: 2, day: 28)
        #expect(far.daysSince1970 - near.daysSince1970 == eras * 146_097)
        #expect(CivilDay(daysSince1970: far.daysSince1970) == far)
      }
    }
  }
}

@Suite struct `Date periods of sections` {
  private func names(_ text: String, _ offset: Int = 0) throws -> [String] {
    let date = try DateText.date(text)
    return DatePeriod.allCases.map { $0.name(ofKey: $0.key(of: date, offsetMinutes: offset)) }
  }

  @Test(
    arguments: [
      ("2015-10-27T12:10:26Z", 0, ["2015-10-27", "2015-W44", "2015-10", "2015"]),
      ("2015-12-31T23:30Z", 0, ["2015-12-31", "2015-W53", "2015-12", "2015"]),
      ("2015-12-31T23:30Z", 60, ["2016-01-01", "2015-W53", "2016-01", "2016"]),
      ("2016-01-01T00:30Z", -60, ["2015-12-31", "2015-W53", "2015-12", "2015"]),
      ("2016-01-03T23:59:59.999999Z", 0, ["2016-01-03", "2015-W53", "2016-01", "2016"]),
      ("2016-01-04", 0, ["2016-01-04", "2016-W01", "2016-01", "2016"]),
      ("2018-12-31", 0, ["2018-12-31", "2019-W01", "2018-12", "2018"]),
      ("2000-12-31T23:59:59.99999999999999Z", 0, ["2000-12-31", "2000-W52", "2000-12", "2000"]),
      ("0000-01-01", 0, ["0000-01-01", "-000001-W52", "0000-01", "0000"]),
      ("-0001-12-31", 0, ["-000001-12-31", "-000001-W52", "-000001-12", "-000001"]),
      ("+010000-01-01", 0, ["+010000-01-01", "9999-W52", "+010000-01", "+010000"]),
      ("NaN", 0, ["NaN", "NaN", "NaN", "NaN"]),
      ("Infinity", 0, ["Infinity", "Infinity", "Infinity", "Infinity"]),
      (
        "-123456789012345678-01-01", 0,
        ["-Infinity", "-Infinity", "-Infinity", "-Infinity"]
      ),
    ])
  func `date periods have the expected names`(
    _ text: String, _ offset: Int, _ expected: [String]
  ) throws {
    #expect(try names(text, offset) == expected)
  }

  @Test func `weeks start on Monday and the first contains the fourth of January`() throws {
    for year in Int64(1900)...2100 {
      let fourth = CivilDay(year: year, month: 1, day: 4).daysSince1970
      let date = Date(timeIntervalSince1970: Double(fourth * 86_400))
      let key = DatePeriod.week.key(of: date)
      #expect(DatePeriod.week.name(ofKey: key) == "\(year)-W01")
      for day in 0..<14 {
        let other = Date(timeIntervalSince1970: Double((fourth + Int64(day)) * 86_400))
        // The first of January 1970 was a Thursday, three days after Monday.
        let isMonday = (fourth + Int64(day) + 3) % 7 == 0
        let before = DatePeriod.week.key(of: other - 1)
        #expect(DatePeriod.week.key(of: other) == before + (isMonday ? 1 : 0))
      }
    }
  }

  @Test func `keys of date periods are in the order of time`() {
    let moments: [Double] = [
      -.infinity, -0x1p61, -1e12, -1e9, -1, 0, 1e9, 1e12, 0x1p61, .infinity, .nan,
    ]
    for period in DatePeriod.allCases {
      let keys = moments.map { period.key(of: Date(timeIntervalSinceReferenceDate: $0)) }
      #expect(keys == keys.sorted())
      for key in keys { #expect(!period.name(ofKey: key).isEmpty) }
    }
  }
}
