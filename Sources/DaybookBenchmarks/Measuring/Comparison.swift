import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The figures of an earlier run, read from its file, and their comparison with the figures of this
/// run.
///
/// The comparison uses the ratios to the yardsticks. Each run has measured its own yardsticks, so
/// runs on machines of different speed can be compared. For a measurement without a yardstick, the
/// comparison uses the figures themselves.
struct Comparison {
  /// A measurement of the earlier run.
  private struct Row {
    var work: String
    var unit: String
    var yardstick: String
    var figure: Double
    var ratio: Double?
    var verdict: String
  }

  /// The error of a file that cannot be read.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  private let rows: [Row]

  /// - Parameter path: The path of a file that the option `--json` has written.
  init(_ path: String) throws {
    let file: any DiskFile
    let bytes: [UInt8]
    do throws(DiskError) {
      file = try SystemDisk().open(path, for: .reading)
      let byteCount = try file.status().byteCount
      bytes = try CopiedImage(file, byteCount: byteCount)
        .view(at: 0, atLeast: Int(byteCount)).copy()
    } catch { throw Unreadable(description: "\(error)") }
    guard let value = try? JSONValue(bytes), case .array(let measurements)? = value["measurements"]
    else { throw Unreadable(description: "\(path) holds no figures that --json wrote.") }
    rows = measurements.compactMap { measurement in
      guard let work = Comparison.string(measurement["work"]),
        let unit = Comparison.string(measurement["unit"]),
        let yardstick = Comparison.string(measurement["yardstick"]),
        let verdict = Comparison.string(measurement["verdict"]),
        let figure = Measurement.Quantity.allCases.lazy
          .compactMap({ Comparison.number(measurement[$0.key]) }).first
      else { return nil }
      return Row(
        work: work, unit: unit, yardstick: yardstick, figure: figure,
        ratio: Comparison.number(measurement["ratio"]), verdict: verdict)
    }
  }

  private static func string(_ value: JSONValue?) -> String? {
    guard case .string(let contents)? = value else { return nil }
    return contents
  }

  private static func number(_ value: JSONValue?) -> Double? {
    guard case .number? = value, let digits = value?.text else { return nil }
    return Double(digits)
  }

  /// Returns a table with a line for each measurement that both runs contain. Each line contains
  /// the factor of the improvement or of the loss.
  func table(_ measurements: [Measurement]) -> String {
    let head = ["work", "then", "now", "is", "verdict then", "now"]
    let lines = measurements.compactMap { now -> [String]? in
      let then = rows.first {
        $0.work == now.work && $0.unit == now.unit && $0.yardstick == now.yardstick
      }
      guard let then else { return nil }
      let hasRatio = then.ratio != nil && now.ratio.isFinite && now.hasYardstick
      let old = hasRatio ? then.ratio ?? 0 : then.figure
      let new = hasRatio ? now.ratio : now.ours
      return [
        now.work, Report.compared(old, of: now, isRatio: hasRatio),
        Report.compared(new, of: now, isRatio: hasRatio),
        change(from: old, to: new, of: now, isRatio: hasRatio),
        then.verdict, now.verdict.rawValue,
      ]
    }
    return Report.aligned([head] + lines)
  }

  /// Returns a text such as `1.30x better` or `1.05x worse`. The text is `the same` for a change of
  /// less than 5 %, because two runs of the same program can differ by this much.
  private func change(
    from old: Double, to new: Double, of measurement: Measurement, isRatio: Bool
  ) -> String {
    guard old > 0, new > 0 else { return "" }
    // For rates, a higher ratio is better. For all other figures, a lower value is better.
    let gain = measurement.isRate && isRatio ? new / old : old / new
    if gain > 0.95, gain < 1.05 { return "the same" }
    return gain > 1 ? "\(Report.times(gain)) better" : "\(Report.times(1 / gain)) worse"
  }
}
