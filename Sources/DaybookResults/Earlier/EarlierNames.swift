import DaybookStore

// The names of version 0.2. They are removed in version 0.4.

extension SectionKind {
  /// Returns sections by the day of a date on clocks with a constant offset from UTC.
  @available(*, deprecated, message: "Use day(utcOffset: .seconds(60 * minutes)).")
  public static func day(minutesFromUTC minutes: Int) -> SectionKind {
    .day(utcOffset: .seconds(60 * Int64(minutes)))
  }

  /// Returns sections by the week of a date on clocks with a constant offset from UTC.
  @available(*, deprecated, message: "Use week(utcOffset: .seconds(60 * minutes)).")
  public static func week(minutesFromUTC minutes: Int) -> SectionKind {
    .week(utcOffset: .seconds(60 * Int64(minutes)))
  }

  /// Returns sections by the month of a date on clocks with a constant offset from UTC.
  @available(*, deprecated, message: "Use month(utcOffset: .seconds(60 * minutes)).")
  public static func month(minutesFromUTC minutes: Int) -> SectionKind {
    .month(utcOffset: .seconds(60 * Int64(minutes)))
  }

  /// Returns sections by the year of a date on clocks with a constant offset from UTC.
  @available(*, deprecated, message: "Use year(utcOffset: .seconds(60 * minutes)).")
  public static func year(minutesFromUTC minutes: Int) -> SectionKind {
    .year(utcOffset: .seconds(60 * Int64(minutes)))
  }
}

extension Sectioning {
  /// Returns sections by a closure, which returns the name of a record's section, or nil.
  @available(*, deprecated, message: "Use computed(id:version:).")
  public static func named<R: Record>(
    _ name: String, version: Int, descending: Bool = false,
    makeSection: @escaping @Sendable (R) -> String?
  ) -> Sectioning {
    computed(id: name, version: version, descending: descending, makeSection: makeSection)
  }
}

extension FetchPlan {
  /// The earlier name of ``limit``.
  @available(*, deprecated, renamed: "limit")
  public var wantedCount: Int? { limit }
}
