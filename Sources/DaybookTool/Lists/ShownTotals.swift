import Daybook
@_spi(Tools) import DaybookStore

extension JSONWriter {
  /// Writes the totals as an object, with a key for each measure.
  mutating func write(_ totals: Totals<DynamicRecord>) {
    beginObject()
    for (measure, value) in zip(totals.measures, totals) {
      key(measure.name)
      write(value)
    }
    endObject()
  }

  /// Writes the value of a total.
  mutating func write(_ total: TotalValue) {
    switch total {
    case .null: writeNull()
    case .overflow: write("overflow")
    case .value(let value): write(value)
    case .integer(let number):
      let digits = Array("\(number)".utf8)
      write(text: digits.span.bytes)
    }
  }
}

extension Totals where R == DynamicRecord {
  /// The totals as text, as in `count 3, sum:amount 12.5`.
  var line: String {
    zip(measures, self).map { "\($0.name) \(ShownTotals.cell($1))" }.joined(separator: ", ")
  }
}

/// Functions that convert totals to text.
enum ShownTotals {
  /// Returns the value of a total in the form that a text journal uses.
  static func cell(_ total: TotalValue) -> String {
    switch total {
    case .null: "nil"
    case .overflow: "overflow"
    case .integer(let number): "\(number)"
    case .value(let value): ValueText.text(of: value) ?? "nil"
    }
  }
}
