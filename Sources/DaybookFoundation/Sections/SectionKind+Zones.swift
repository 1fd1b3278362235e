import Daybook
import DaybookResults
import Foundation

extension SectionKind {
  /// Returns sections by the day of a date in a time zone, with the zone's offset at that date.
  ///
  /// ```swift
  /// .by(\Bank.closeDate, each: .day(in: TimeZone(identifier: "America/New_York") ?? .gmt))
  /// ```
  ///
  /// A zone that follows the settings of the device is replaced by its current zone.
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
  /// The zone; for a zone that follows the settings of the device, the current zone.
  fileprivate var asItIsNow: TimeZone { self == .autoupdatingCurrent ? .current : self }
}
