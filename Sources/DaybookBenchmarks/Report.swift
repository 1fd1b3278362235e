import DaybookJournal
import Glibc

/// The measurements as a table for people and as JSON for programs.
enum Report {
  static func table(_ measurements: [Measurement]) -> String {
    let head = ["work", "ours", "yardstick", "is", "spread", "ratio", "promise", "verdict"]
    let rows = measurements.map { measurement in
      [
        measurement.work, time(measurement.ours) + " a " + measurement.unit, measurement.yardstick,
        time(measurement.theirs), percent(measurement.spread), decimal(measurement.ratio),
        promise(measurement.promise), measurement.verdict.rawValue,
      ]
    }
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    let lines = ([head] + rows).map { row in
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
        ("nanoseconds", decimal(measurement.ours)),
        ("yardstickNanoseconds", decimal(measurement.theirs)),
        ("yardstickSpread", decimal(measurement.spread)),
        ("ratio", decimal(measurement.ratio, digits: 4)),
        ("promise", quoted(promise(measurement.promise))),
        ("verdict", quoted(measurement.verdict.rawValue)),
      ]
      return "    {" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
    return "{\n  \"measurements\": [\n" + rows.joined(separator: ",\n") + "\n  ]\n}\n"
  }

  static func write(_ text: String, to path: String) throws(DiskError) {
    guard path != "-" else {
      print(text, terminator: "")
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw DiskError(.create, path: path, code: errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw DiskError(.write, path: path, code: errno)
    }
  }

  private static func promise(_ promise: Measurement.Promise) -> String {
    switch promise {
    case .atMost(let limit): "time at most \(decimal(limit))x"
    case .atLeast(let limit): "rate at least \(decimal(limit))x"
    case .none: "none"
    }
  }

  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1000: "\(decimal(nanoseconds, digits: 1)) ns"
    case ..<1_000_000: "\(decimal(nanoseconds / 1000, digits: 1)) µs"
    default: "\(decimal(nanoseconds / 1_000_000, digits: 2)) ms"
    }
  }

  private static func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }

  /// A number with a fixed count of digits behind the point.
  private static func decimal(_ number: Double, digits: Int = 2) -> String {
    let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let whole = Int((number * scale).rounded())
    let fraction = String(abs(whole) % Int(scale))
    let padding = String(repeating: "0", count: digits - fraction.count)
    return "\(number < 0 ? "-" : "")\(abs(whole) / Int(scale)).\(padding)\(fraction)"
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
