import DaybookJournal
import DaybookPlatform

/// The conversion of measurements to a table, which users read, and to JSON, which a later run can
/// compare.
enum Report {
  static func table(_ measurements: [Measurement]) -> String {
    let head = ["work", "ours", "yardstick", "is", "spread", "ratio", "promise", "verdict"]
    let rows = measurements.map { measurement in
      [
        measurement.work, figure(measurement.ours, of: measurement) + " a " + measurement.unit,
        measurement.yardstick,
        measurement.theirs > 0 ? figure(measurement.theirs, of: measurement) : "",
        percent(measurement.spread), ratio(measurement), promise(measurement.promise),
        measurement.verdict.rawValue,
      ]
    }
    return aligned([head] + rows)
  }

  /// Returns rows of cells as lines with aligned columns.
  static func aligned(_ rows: [[String]]) -> String {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    let lines = rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        .joined(separator: "  ").trimmingTrailingSpaces
    }
    return lines.joined(separator: "\n")
  }

  static func json(_ measurements: [Measurement]) -> String {
    let rows = measurements.map { measurement in
      let fields = [
        ("work", quoted(measurement.work)),
        ("yardstick", quoted(measurement.yardstick)),
        ("unit", quoted(measurement.unit)),
        (measurement.quantity.key, decimal(measurement.ours)),
        (measurement.quantity.yardstickKey, decimal(measurement.theirs)),
        ("yardstickSpread", decimal(measurement.spread)),
        ("ratio", measurement.ratio.isFinite ? decimal(measurement.ratio, digits: 4) : "null"),
        ("promise", quoted(promise(measurement.promise))),
        ("verdict", quoted(measurement.verdict.rawValue)),
      ]
      return "    {" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
    return "{\n  \"measurements\": [\n" + rows.joined(separator: ",\n") + "\n  ]\n}\n"
  }

  static func write(_ contents: String, to path: String) throws(DiskError) {
    guard path != "-" else {
      print(contents, terminator: "")
      return
    }
    let file = try FileDescriptor.create(path, permissions: 0o644)
    defer { file.close() }
    try file.writeAll(Array(contents.utf8).span.bytes)
  }

  private static func promise(_ promise: Measurement.Promise) -> String {
    switch promise {
    case .atMost(let limit): "time at most \(decimal(limit))x"
    case .atLeast(let limit): "rate at least \(decimal(limit))x"
    case .perSecond(let limit): "\(decimal(limit / 1e6, digits: 0)) million a second"
    case .within(let limit): "within \(time(limit))"
    case .bytesAtMost(let limit): "at most \(bytes(limit, digits: 0))"
    case .countAtMost(let limit): "at most \(decimal(limit, digits: 0))"
    case .none: "none"
    }
  }

  /// Returns the ratio in the unit of the promise.
  private static func ratio(_ measurement: Measurement) -> String {
    switch measurement.promise {
    case .perSecond: "\(decimal(measurement.ratio / 1e6)) million"
    case .within: time(measurement.ratio)
    case .bytesAtMost, .countAtMost: ""
    case .none where !measurement.ratio.isFinite: ""
    case .atMost, .atLeast, .none: decimal(measurement.ratio)
    }
  }

  private static func figure(_ figure: Double, of measurement: Measurement) -> String {
    switch measurement.quantity {
    case .nanoseconds: time(figure)
    case .bytes: bytes(figure, digits: 1)
    case .count: decimal(figure, digits: 1)
    }
  }

  private static func bytes(_ count: Double, digits: Int) -> String {
    count < 1e6
      ? "\(decimal(count, digits: digits)) bytes" : "\(decimal(count / 1e6, digits: 1)) MB"
  }

  /// Returns a figure in the form of the comparison table.
  static func compared(_ figure: Double, of measurement: Measurement, isRatio: Bool) -> String {
    guard isRatio else { return self.figure(figure, of: measurement) }
    switch measurement.promise {
    case .perSecond: return "\(decimal(figure / 1e6)) million"
    case .within: return time(figure)
    case .bytesAtMost: return "\(decimal(figure, digits: 1)) bytes"
    case .countAtMost: return decimal(figure, digits: 1)
    case .atMost, .atLeast, .none: return times(figure)
    }
  }

  /// Returns a factor as text, for example `1.30x`.
  static func times(_ factor: Double) -> String { "\(decimal(factor))x" }

  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1000: "\(decimal(nanoseconds, digits: 1)) ns"
    case ..<1_000_000: "\(decimal(nanoseconds / 1000, digits: 1)) µs"
    default: "\(decimal(nanoseconds / 1_000_000, digits: 2)) ms"
    }
  }

  private static func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }

  /// Returns a number with a fixed number of digits after the point.
  private static func decimal(_ number: Double, digits: Int = 2) -> String {
    let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let scaled = Int((number * scale).rounded())
    if digits == 0 { return "\(scaled)" }
    let fraction = String(abs(scaled) % Int(scale))
    let padding = String(repeating: "0", count: digits - fraction.count)
    return "\(number < 0 ? "-" : "")\(abs(scaled) / Int(scale)).\(padding)\(fraction)"
  }

  private static func quoted(_ string: String) -> String { "\"\(string)\"" }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var line = self
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension Measurement.Quantity {
  /// The key of a figure in JSON.
  var key: String {
    switch self {
    case .nanoseconds: "nanoseconds"
    case .bytes: "bytes"
    case .count: "count"
    }
  }

  /// The key of the yardstick's figure in JSON.
  fileprivate var yardstickKey: String {
    switch self {
    case .nanoseconds: "yardstickNanoseconds"
    case .bytes: "yardstickBytes"
    case .count: "yardstickCount"
    }
  }
}
