import DaybookStore
import DaybookEssentials

/// What the rows of one section have in common.
///
/// ```swift
/// .by(\Bank.name, .letter)
/// .by(\Bank.closeDate, .month(minutesFromUTC: 120))
/// .by(\Bank.assets, .range(width: 1000))
/// ```
///
/// A section is what its rows have in common, exactly, and not its name: no text and an empty text are
/// two sections, and both are named by no letters.
///
/// | kind     | of                                  | name of a section |
/// | -------- | ----------------------------------- | ----------------- |
/// | `value`  | any single value                    | `Vienna`, `0`     |
/// | `letter` | texts                               | `É`               |
/// | `prefix` | texts                               | `Vie`             |
/// | `day`    | dates                               | `2015-10-27`      |
/// | `week`   | dates                               | `2015-W44`        |
/// | `month`  | dates                               | `2015-10`         |
/// | `year`   | dates                               | `2015`            |
/// | `range`  | integers, floats, doubles, decimals | `[0, 10)`         |
///
/// Days, weeks, months and years are those of UTC, of clocks that always show so many minutes more, or,
/// with `DaybookFoundation`, of a time zone.
///
/// Not every kind fits the type of every attribute, and a request that asks for one that does not says
/// so in a sentence.
public struct SectionKind: Hashable, Sendable {
  package enum Form: Hashable, Sendable {
    case value
    case letter
    case prefix(Int)
    case period(DatePeriod, minutesFromUTC: Int)
    case zoned(DatePeriod, ClockZone)
    case range(RangeWidth)
  }

  package let form: Form

  package init(_ form: Form) { self.form = form }

  /// The value itself.
  public static let value = SectionKind(.value)

  /// The first character of a text, in upper case where that is one character.
  public static let letter = SectionKind(.letter)

  /// The first characters of a text, or all that it has.
  public static func prefix(_ characterCount: Int) -> SectionKind {
    SectionKind(.prefix(characterCount))
  }

  /// The day of a date in UTC.
  public static var day: SectionKind { .day(minutesFromUTC: 0) }

  /// The day of a date where clocks show so many minutes more than UTC, at all times of the year.
  public static func day(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.day, minutesFromUTC: minutes))
  }

  /// The week of a date in UTC, as ISO 8601 has it: from Monday to Sunday.
  public static var week: SectionKind { .week(minutesFromUTC: 0) }

  /// The week of a date where clocks show so many minutes more than UTC.
  public static func week(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.week, minutesFromUTC: minutes))
  }

  /// The month of a date in UTC.
  public static var month: SectionKind { .month(minutesFromUTC: 0) }

  /// The month of a date where clocks show so many minutes more than UTC.
  public static func month(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.month, minutesFromUTC: minutes))
  }

  /// The year of a date in UTC.
  public static var year: SectionKind { .year(minutesFromUTC: 0) }

  /// The year of a date where clocks show so many minutes more than UTC.
  public static func year(minutesFromUTC minutes: Int) -> SectionKind {
    SectionKind(.period(.year, minutesFromUTC: minutes))
  }

  /// The range that a number lies in, of those of one width of which one begins at 0.
  public static func range(width: RangeWidth) -> SectionKind { SectionKind(.range(width)) }
}
