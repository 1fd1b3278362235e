import Daybook
import DaybookResults
import Foundation

extension SectionKind {
  /// The day of a date where clocks are set by a time zone, at each date as they are then.
  ///
  /// ```swift
  /// .by(\Bank.closeDate, each: .day(in: TimeZone(identifier: "America/New_York") ?? .gmt))
  /// ```
  ///
  /// A zone that follows the settings of a device is taken as it is now.
  public static func day(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.day, ClockZone(zone.asItIsNow)))
  }

  /// The week of a date where clocks are set by a time zone, as ISO 8601 has it: from Monday to Sunday.
  public static func week(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.week, ClockZone(zone.asItIsNow)))
  }

  /// The month of a date where clocks are set by a time zone.
  public static func month(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.month, ClockZone(zone.asItIsNow)))
  }

  /// The year of a date where clocks are set by a time zone.
  public static func year(in zone: TimeZone) -> SectionKind {
    SectionKind(.zoned(.year, ClockZone(zone.asItIsNow)))
  }
}

extension TimeZone {
  /// The zone itself, or the one that it stands for, if that may become another.
  fileprivate var asItIsNow: TimeZone { self == .autoupdatingCurrent ? .current : self }
}
