import DaybookJournal

/// Functions that write sizes and durations as text. For a count with its noun, see ``Counted``.
enum QuantityText {
  /// Returns a number of bytes, for example `812 bytes` or `1801 bytes (1.8 KiB)`.
  static func bytes(_ count: Int) -> String {
    let exact = Counted.phrase(count, one: "byte", several: "bytes")
    guard count >= 1024 else { return exact }
    let units = ["KiB", "MiB", "GiB", "TiB"]
    let power = min((Int.bitWidth - 1 - count.leadingZeroBitCount) / 10, units.count)
    return "\(exact) (\(quotient(count, by: 1 << (10 * power))) \(units[power - 1]))"
  }

  /// Returns a quotient with one digit after the decimal point.
  static func quotient(_ dividend: Int, by divisor: Int) -> String {
    let tenths = (Int128(dividend) * 10 + Int128(divisor) / 2) / Int128(divisor)
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// Returns the duration between two times in its two largest units, for example `59 days, 3
  /// hours`. A duration of less than a minute is exact to the nanosecond.
  static func duration(from first: JournalTime, to last: JournalTime) -> String {
    let nanoseconds = (Int128(last.nanoseconds) - Int128(first.nanoseconds)).magnitude
    let seconds = Int(nanoseconds / 1_000_000_000)
    guard seconds >= 60 else {
      let fraction = Int(nanoseconds % 1_000_000_000)
      if fraction == 0 { return Counted.phrase(seconds, one: "second", several: "seconds") }
      var digits = String(String(1_000_000_000 + fraction).dropFirst())
      while digits.last == "0" { digits.removeLast() }
      return "\(seconds).\(digits) seconds"
    }
    let parts = [
      (seconds / 86_400, "day", "days"), (seconds / 3600 % 24, "hour", "hours"),
      (seconds / 60 % 60, "minute", "minutes"), (seconds % 60, "second", "seconds"),
    ]
    let phrases = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
    return phrases.map { Counted.phrase($0.0, one: $0.1, several: $0.2) }.joined(separator: ", ")
  }
}
