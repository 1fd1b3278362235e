import Daybook
import DaybookFoundation
import DaybookResults
import DaybookTesting
import Foundation
import TestSupport
import Testing

/// Sections in a time zone agree with its calendar, before and after every change of its offset.
@Suite struct `Sections in time zones` {
  private static let zones = [
    "America/New_York", "Europe/Vienna", "Pacific/Apia", "Asia/Kolkata", "America/St_Johns",
    "Africa/Monrovia", "Australia/Lord_Howe", "UTC",
  ]

  private func zone(_ name: String) throws -> TimeZone {
    try #require(TimeZone(identifier: name), "\(name)")
  }

  /// Returns dates near changes of the offset, and random dates between 1890 and 2110.
  private func moments(_ zone: TimeZone, _ random: inout SplitMix64) -> [Date] {
    var moments: [Date] = []
    var change = Date(timeIntervalSinceReferenceDate: -3.5e9)
    while let next = zone.nextDaylightSavingTimeTransition(after: change), next > change,
      next.timeIntervalSinceReferenceDate < 3.4e9, moments.count < 60
    {
      let hour = Double(Int(random.next() % 48) - 24)
      moments += [next, next - 0.001, next - 1, next + hour * 3600]
      let leap = Double(random.next() % 200_000_000)
      change = next + leap
    }
    for _ in 0..<60 {
      let seconds = Double(Int64(random.next() % 6_900_000_000_000)) / 1000 - 3.5e9
      moments.append(Date(timeIntervalSinceReferenceDate: seconds))
    }
    return moments
  }

  /// Returns the name of a date's section by the calendar.
  private func name(_ kind: String, of date: Date, _ calendar: Calendar) throws -> String {
    let parts = calendar.dateComponents(
      [.year, .month, .day, .weekOfYear, .yearForWeekOfYear], from: date)
    func text(_ number: Int?, _ width: Int) throws -> String {
      let digits = "\(try #require(number))"
      return String(repeating: "0", count: width - digits.count) + digits
    }
    let year = try text(parts.year, 4)
    switch kind {
    case "day": return "\(year)-\(try text(parts.month, 2))-\(try text(parts.day, 2))"
    case "week": return "\(try text(parts.yearForWeekOfYear, 4))-W\(try text(parts.weekOfYear, 2))"
    case "month": return "\(year)-\(try text(parts.month, 2))"
    default: return year
    }
  }

  @Test func `sections in time zones agree with the calendar of the zone`() throws {
    var random = SplitMix64(seed: 2011_12_30)
    for zoneName in `Sections in time zones`.zones {
      let zone = try zone(zoneName)
      var calendar = Calendar(identifier: .iso8601)
      calendar.timeZone = zone
      let moments = moments(zone, &random)
      let store = try store(moments.enumerated().map { Stop(id: $0, time: $1) })
      let kinds: [(String, SectionKind)] = [
        ("day", .day(in: zone)), ("week", .week(in: zone)), ("month", .month(in: zone)),
        ("year", .year(in: zone)),
      ]
      for (kind, sections) in kinds {
        let controller = FetchedResultsController(
          fetchRequest: ListRequest<Stop>(
            sortedBy: [.ascending(\Stop.time)], sectionedBy: .by(\Stop.time, each: sections)),
          context: store.makeContext())
        try controller.performFetch()
        var expected: [String: [Date]] = [:]
        for date in moments.sorted() {
          expected[try name(kind, of: date, calendar), default: []].append(date)
        }
        let shown = try #require(controller.sections)
        #expect(shown.map(\.name) == expected.keys.sorted(), "\(zoneName), by \(kind)")
        for section in shown {
          #expect(
            section.objects.map(\.time) == expected[section.name],
            "\(zoneName), \(kind) \(section.name)")
        }
      }
    }
  }

  private func names(_ sectioning: Sectioning, _ dates: [Date?]) throws -> [String] {
    let store = try store(dates.enumerated().map { Stop(id: $0, departure: $1) })
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Stop>(sortedBy: [.ascending(\Stop.id)], sectionedBy: sectioning),
      context: store.makeContext())
    try controller.performFetch()
    return try #require(controller.sections).map(\.name)
  }

  @Test func `sections in time zones are in chronological order`() throws {
    let zone = try zone("America/New_York")
    let seconds = [
      0, -1e11, 4e11, .infinity, -.infinity, .nan, 4.6e18, -4.6e18, 5e18, 1e15, -0.0, 18000,
    ]
    let dates = seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
    let years = try names(.by(\Stop.departure, each: .year(in: zone)), [nil] + dates)
    #expect(
      years == [
        "", "-Infinity", "-145768195131", "-001168", "2000", "2001", "+014676", "+31690739",
        "+145768199132", "Infinity", "NaN",
      ])
    #expect(
      try names(
        .by(\Stop.departure, each: .day(in: zone), descending: true), [nil, dates[0], dates[11]])
        == ["2001-01-01", "2000-12-31", ""])
  }

  @Test func `sections in time zones depend on the zone`() throws {
    let (york, vienna) = (try zone("America/New_York"), try zone("Europe/Vienna"))
    #expect(SectionKind.day(in: york) == .day(in: york))
    #expect(SectionKind.day(in: york) != .day(in: vienna))
    #expect(SectionKind.day(in: york) != .week(in: york))
    #expect(SectionKind.day(in: .autoupdatingCurrent) == .day(in: .current))
    let odd = try #require(TimeZone(secondsFromGMT: 75))
    let minute = try #require(TimeZone(secondsFromGMT: 60))
    #expect(SectionKind.day(in: odd) != .day(in: minute))
    let late = Date(timeIntervalSinceReferenceDate: -76)
    #expect(try names(.by(\Stop.departure, each: .day(in: odd)), [late]) == ["2000-12-31"])
    #expect(try names(.by(\Stop.departure, each: .day(in: odd)), [late + 1]) == ["2001-01-01"])
  }

  @Test func `sections in time zones require dates`() throws {
    let store = try store([])
    #expect {
      try store.snapshot.fetch(
        ListRequest<Stop>(
          sortedBy: [.ascending(\Stop.id)], sectionedBy: .by(\Stop.name, each: .week(in: .gmt))))
    } throws: {
      "\($0)"
        == "sections by name: sections by week need dates; the type is string."
    }
  }

  @Test func `sections in time zones are not cached`() throws {
    try TemporaryDirectory.with { directory in
      let store = try Store(at: directory.path("stops.daybook"), records: Stop.self)
      let controller = FetchedResultsController(
        fetchRequest: ListRequest<Stop>(
          sortedBy: [.ascending(\Stop.id)], sectionedBy: .by(\Stop.departure, each: .week(in: .gmt))
        ),
        context: store.makeContext(), cacheName: "stops")
      try controller.performFetch()
      let origin = try #require(controller.cacheStatistics).origin
      #expect("\(origin)" == "not cached because its sections depend on a time zone")
      try store.closeAndWait()
    }
  }
}
