import DaybookEssentials
import DaybookJournal
import DaybookStore

/// A curve of a chart: a value that changes with the transactions of a journal.
struct Curve: Hashable {
  /// A value, from a transaction until the next point.
  struct Point: Hashable {
    var sequence: UInt64
    /// The value; nil if there is none, for example while a row is not in the list.
    var value: Double?
  }

  /// The name of the curve in a chart with several curves.
  var name: String
  /// The points, in the order of their transactions.
  private(set) var points: [Point] = []

  init(_ name: String) { self.name = name }

  /// Adds a point, unless the value is the same as before.
  mutating func append(_ value: Double?, after sequence: UInt64) {
    guard points.isEmpty ? value != nil : points[points.count - 1].value != value else { return }
    points.append(Point(sequence: sequence, value: value))
  }

  /// The last value; nil if there is none.
  var last: Double? { points.last?.value }

  /// Divides a range of transactions into equal parts, and returns the last value of each part. A
  /// value is nil if the curve has none there.
  ///
  /// - Complexity: O(*n* + *count*)
  func values(from first: UInt64, through last: UInt64, count: Int) -> [Double?] {
    let length = Double(last - first + 1)
    var values: [Double?] = []
    var next = 0
    for part in 0..<count {
      let end = Double(first) + length * Double(part + 1) / Double(count) - 1
      while next < points.count, Double(points[next].sequence) <= end.rounded(.up) { next += 1 }
      values.append(next == 0 ? nil : points[next - 1].value)
    }
    return values
  }
}

/// A chart of curves over the transactions of a journal.
struct Chart {
  /// The kind of the values, which determines how they are printed.
  enum Quantity: Hashable {
    case number, date
    /// A position in a list. The first position is at the top of the chart.
    case rank
  }

  var title: String
  var curves: [Curve]
  var quantity = Quantity.number
  /// The first and the last transaction, with their times.
  var first: (sequence: SequenceNumber, time: JournalTime)
  var last: (sequence: SequenceNumber, time: JournalTime)

  /// The range of all values; nil if no curve has a value.
  var range: ClosedRange<Double>? {
    let values = curves.flatMap { $0.points.compactMap(\.value) }
    guard let least = values.min(), let greatest = values.max() else { return nil }
    return least...greatest
  }

  /// Returns a value as text.
  func label(of value: Double) -> String {
    switch quantity {
    case .rank: "\(Int(value))"
    case .date:
      ValueText.text(of: AttributeValue.date(Date(timeIntervalSinceReferenceDate: value))) ?? ""
    case .number:
      value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
  }

  /// Returns the height of a value: 0 at the bottom of the chart, and 1 at its top.
  func height(of value: Double, in range: ClosedRange<Double>) -> Double {
    let part = Chart.part(of: value, in: range)
    return quantity == .rank ? 1 - part : part
  }

  /// Returns the position of a value in a range: 0 at its start, and 1 at its end. For a range
  /// that is too small to divide, it is 0.5.
  static func part(of value: Double, in range: ClosedRange<Double>) -> Double {
    // The bounds are halved first, because their difference can be too large for a `Double`.
    let part =
      (value / 2 - range.lowerBound / 2) / (range.upperBound / 2 - range.lowerBound / 2)
    return part.isFinite ? min(max(part, 0), 1) : 0.5
  }
}
