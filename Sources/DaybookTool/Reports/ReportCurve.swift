/// A curve of a number over the steps of a report, as inline SVG.
enum ReportCurve {
  private static let (width, height) = (1000.0, 60.0)
  /// The largest number of pieces into which the values are divided. A piece has at most two
  /// points. More pieces than columns of a screen show nothing new.
  private static let pointCountMax = 1000

  /// Returns the path of a curve that keeps each value until the next step.
  ///
  /// - Parameter values: The value at the start and after each step; nil for a gap.
  static func path(_ values: [Double?]) -> String {
    let known = values.compactMap { $0 }.filter(\.isFinite)
    guard let low = known.min(), let high = known.max() else { return "" }
    let last = Double(max(1, values.count - 1))
    var path = ""
    var isDrawing = false
    func append(_ value: Double?, at index: Int) {
      guard let value, value.isFinite else {
        isDrawing = false
        return
      }
      let x = ReportCurve.string(Double(index) / last * width)
      let y = ReportCurve.string(
        3 + (1 - Chart.part(of: value, in: low...high)) * (height - 6))
      path += isDrawing ? "H\(x)V\(y)" : "M\(x) \(y)"
      isDrawing = true
    }
    let size = max(1, (values.count + pointCountMax - 1) / pointCountMax)
    for start in stride(from: 0, to: values.count, by: size) {
      let piece = values[start..<min(start + size, values.count)]
      // The curve shows the extremes of each piece, so that no peak is lost.
      let indexes = size == 1 ? [start] : extremes(of: piece)
      for index in indexes { append(values[index], at: index) }
    }
    if isDrawing { path += "H\(ReportCurve.string(width))" }
    return path
  }

  private static func extremes(of piece: ArraySlice<Double?>) -> [Int] {
    let known = piece.indices.filter { piece[$0]?.isFinite == true }
    guard let low = known.min(by: { piece[$0] ?? 0 < piece[$1] ?? 0 }),
      let high = known.max(by: { piece[$0] ?? 0 < piece[$1] ?? 0 })
    else { return [piece.startIndex] }
    return low == high ? [low] : [min(low, high), max(low, high)]
  }

  /// Returns a number with at most one fraction digit.
  private static func string(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  /// Returns the lowest and the highest value as texts; nil without a number.
  static func range(_ values: [Double?]) -> (low: String, high: String)? {
    let known = values.compactMap { $0 }.filter(\.isFinite)
    guard let low = known.min(), let high = known.max() else { return nil }
    return (number(low), number(high))
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
