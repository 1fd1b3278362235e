import DaybookJournal

/// The number of changes on each day, as a calendar with a block for each year. Days are those of
/// UTC.
struct ActivityCalendar {
  private let title: String
  /// The number of changes of each day with changes. Days are counted from the start of 1970.
  private var counts: [Int64: Int] = [:]
  /// The largest number of changes on one day.
  private var most = 0

  init(_ title: String) { self.title = title }

  /// Counts the changes of a transaction.
  mutating func add(_ changeCount: Int, at time: JournalTime) {
    guard changeCount > 0 else { return }
    let day = time.nanoseconds / 86_400_000_000_000
    let isBeforeDay = time.nanoseconds % 86_400_000_000_000 < 0
    let count = counts[isBeforeDay ? day - 1 : day, default: 0] + changeCount
    counts[isBeforeDay ? day - 1 : day] = count
    most = max(most, count)
  }

  /// The days of a year: the number of its first day, and the number of days.
  private struct Year {
    let number: Int
    let first: Int64
    let dayCount: Int

    init(_ number: Int) {
      self.number = number
      first = Year.firstDay(number)
      dayCount = Int(Year.firstDay(number + 1) - first)
    }

    /// Returns the first day of a year after 1600.
    private static func firstDay(_ year: Int) -> Int64 {
      let before = year - 1
      return Int64(365 * before + before / 4 - before / 100 + before / 400) - 719_162
    }

    /// The weekday of the first day; 0 is a Monday.
    var firstWeekday: Int { Int(((first + 3) % 7 + 7) % 7) }

    var weekCount: Int { (firstWeekday + dayCount + 6) / 7 }

    /// Returns the number of the day at a position of the calendar; nil if that day belongs to a
    /// different year.
    func day(inWeek week: Int, weekday: Int) -> Int64? {
      let index = week * 7 + weekday - firstWeekday
      return index >= 0 && index < dayCount ? first + Int64(index) : nil
    }
  }

  /// The years with changes.
  private var years: [Year] {
    Set(counts.keys.map { TimeScale.date(ofDay: $0).year }).sorted().map { Year($0) }
  }

  private static let weekdays = ["Mon", "", "Wed", "", "Fri", "", "Sun"]

  /// Returns the level of a day: from 0 for no changes to 4 for the most changes.
  private func level(_ day: Int64) -> Int {
    guard let count = counts[day] else { return 0 }
    return min(4, 1 + 4 * (count - 1) / most)
  }

  private var summary: String {
    guard let busiest = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
      return "no changes"
    }
    let total = Counted.phrase(counts.values.reduce(0, +), one: "change", several: "changes")
    let days = Counted.phrase(counts.count, one: "day", several: "days")
    return "\(total) on \(days); the most on \(label(of: busiest.key)): \(busiest.value)"
  }

  private func label(of day: Int64) -> String {
    let date = TimeScale.date(ofDay: day)
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(date.year)-\(padded(date.month))-\(padded(date.day))"
  }

  /// Returns the calendar as lines of a terminal.
  func lines(on terminal: Terminal) -> [StyledLine] {
    let signs = Array(terminal.isPlain ? ".:+*#" : "·░▒▓█")
    var lines = [terminal.heading(title), StyledLine(summary)]
    for year in years {
      lines += [StyledLine(), terminal.heading("\(year.number)")]
      for (weekday, name) in ActivityCalendar.weekdays.enumerated() {
        var line = name.isEmpty ? "    " : "\(name) "
        for week in 0..<year.weekCount {
          line.append(year.day(inWeek: week, weekday: weekday).map { signs[level($0)] } ?? " ")
        }
        while line.last == " " { line.removeLast() }
        lines.append(StyledLine(line))
      }
    }
    return lines
  }

  /// The calendar as an image in SVG.
  var image: String {
    let years = years
    let (cell, block) = (14, 130)
    var image = SVGText(
      width: 860, height: Double(80 + block * max(1, years.count)), title: title)
    image.add("<text class=\"title\" x=\"20\" y=\"30\">", text: title, end: "</text>")
    image.add("<text class=\"axis\" x=\"20\" y=\"50\">", text: summary, end: "</text>")
    for (index, year) in years.enumerated() {
      let top = 66 + index * block
      image.add("<text x=\"20\" y=\"\(top + 11)\">", text: "\(year.number)", end: "</text>")
      for week in 0..<year.weekCount {
        for weekday in 0..<7 {
          guard let day = year.day(inWeek: week, weekday: weekday) else { continue }
          let count = Counted.phrase(counts[day] ?? 0, one: "change", several: "changes")
          image.add(
            "<rect class=\"d\(level(day))\" x=\"\(70 + week * cell)\" y=\"\(top + weekday * cell)\" "
              + "width=\"12\" height=\"12\" rx=\"2\"><title>", text: "\(label(of: day)): \(count)",
            end: "</title></rect>")
        }
      }
    }
    return image.finished
  }
}
