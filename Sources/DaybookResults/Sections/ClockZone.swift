import DaybookEssentials

/// A time zone by whose clocks dates are put into sections.
package struct ClockZone: Hashable, Sendable {
  private let zone: TimeZone
  /// What clocks show more than UTC at one moment. Zones are equal that have one name, and those of
  /// some seconds are named by their minutes.
  private let secondsIn2001: Int

  package init(_ zone: TimeZone) {
    self.zone = zone
    secondsIn2001 = zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: 0))
  }

  /// How many seconds more than UTC clocks show at a date.
  func seconds(at date: Date) -> Int { zone.secondsFromGMT(for: date) }
}

extension ClockZone: CustomStringConvertible {
  /// The zone's name: `Europe/Vienna`.
  package var description: String { zone.identifier }
}
