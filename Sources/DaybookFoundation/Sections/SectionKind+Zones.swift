import Daybook
import DaybookResults
import Foundation

extension SectionKind {
  /// Returns sections by the day of a date in a time zone. The day is computed with the zone's
  /// offset at that date, so that daylight saving time is respected.
  ///
  /// ```swift
  /// .by(\Bank.closeDate, each: .day(in: TimeZone(identifier: "America/New_York") ?? .gmt))
  /// ```
  ///
  /// `TimeZone.autoupdatingCurrent`, which follows the settings of the device, is replaced by the
  /// current zone. So the sections of a list do not change with these settings.
  public static func day(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.day, ClockZone(zone.asItIsNow)))
  }

  /// Returns sections by the ISO 8601 week of a date in a time zone, from Monday to Sunday.
  public static func week(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.week, ClockZone(zone.asItIsNow)))
  }

  /// Returns sections by the month of a date in a time zone.
  public static func month(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.month, ClockZone(zone.asItIsNow)))
  }

  /// Returns sections by the year of a date in a time zone.
  public static func year(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.year, ClockZone(zone.asItIsNow)))
  }
}

extension TimeZone {
  /// The current zone if this zone follows the settings of the device; otherwise this zone.
  fileprivate var asItIsNow: TimeZone { self == .autoupdatingCurrent ? .current : self }
}
