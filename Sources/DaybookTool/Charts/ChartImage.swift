/// A chart as an image in SVG. The image needs no network, and contains no script.
struct ChartImage {
  private let chart: Chart

  init(_ chart: Chart) { self.chart = chart }

  // The sizes are in pixels.
  private static let (width, height) = (860.0, 400.0)
  private static let (left, right, top, bottom) = (90.0, 150.0, 56.0, 348.0)

  /// The text of the file.
  var svg: String {
    var image = SVGText(width: ChartImage.width, height: ChartImage.height, title: chart.title)
    image.add("<text class=\"title\" x=\"20\" y=\"30\">", text: chart.title, end: "</text>")
    if let range = chart.range {
      addAxes(range, to: &image)
      for (index, curve) in chart.curves.enumerated() {
        add(curve, color: index, in: range, to: &image)
      }
    } else {
      image.add("<text x=\"20\" y=\"60\">", text: "no values", end: "</text>")
    }
    return image.finished
  }

  private func x(_ sequence: UInt64) -> Double {
    let (first, last) = (chart.first.sequence.rawValue, chart.last.sequence.rawValue)
    let part = last > first ? Double(sequence - first) / Double(last - first) : 0
    return ChartImage.left + part * (ChartImage.width - ChartImage.right - ChartImage.left)
  }

  private func y(_ value: Double, in range: ClosedRange<Double>) -> Double {
    ChartImage.bottom
      - chart.height(of: value, in: range) * (ChartImage.bottom - ChartImage.top)
  }

  private func addAxes(_ range: ClosedRange<Double>, to image: inout SVGText) {
    let end = ChartImage.width - ChartImage.right
    var marks = [range.lowerBound, range.upperBound]
    if range.lowerBound < 0, range.upperBound > 0 { marks.append(0) }
    for value in Set(marks).sorted() {
      let y = SVGText.number(y(value, in: range))
      image.add(
        "<line class=\"grid\" x1=\"\(ChartImage.left)\" x2=\"\(end)\" y1=\"\(y)\" y2=\"\(y)\"/>")
      image.add(
        "<text class=\"axis end\" x=\"\(ChartImage.left - 8)\" y=\"\(y)\" dy=\"4\">",
        text: chart.label(of: value), end: "</text>")
    }
    for (x, anchor, moment) in [
      (ChartImage.left, "axis", chart.first), (end, "axis end", chart.last),
    ] {
      let line = ChartImage.bottom
      image.add(
        "<text class=\"\(anchor)\" x=\"\(x)\" y=\"\(line + 22)\">",
        text: "transaction \(moment.sequence)", end: "</text>")
      image.add(
        "<text class=\"\(anchor)\" x=\"\(x)\" y=\"\(line + 38)\">", text: moment.time.shownString,
        end: "</text>"
      )
    }
  }

  /// Adds a curve as steps, and its name at its end. The curve has a gap where it has no value.
  private func add(
    _ curve: Curve, color: Int, in range: ClosedRange<Double>, to image: inout SVGText
  ) {
    var path = ""
    var isDrawn = false
    for (index, point) in curve.points.enumerated() {
      let next =
        index + 1 < curve.points.count
        ? curve.points[index + 1].sequence : chart.last.sequence.rawValue
      guard let value = point.value else {
        isDrawn = false
        continue
      }
      let (start, end) = (SVGText.number(x(point.sequence)), SVGText.number(x(next)))
      path += "\(isDrawn ? "L" : "M")\(start) \(SVGText.number(y(value, in: range)))H\(end)"
      isDrawn = true
    }
    let hue = (color * 137 + 210) % 360
    image.add("<path style=\"stroke:hsl(\(hue) 60% 50%)\" d=\"\(path)\"/>")
    guard let last = curve.last else { return }
    let name =
      chart.curves.count == 1 ? chart.label(of: last) : "\(chart.label(of: last))  \(curve.name)"
    image.add(
      "<text class=\"axis\" x=\"\(ChartImage.width - ChartImage.right + 8)\" "
        + "y=\"\(SVGText.number(y(last, in: range)))\" dy=\"4\">", text: name, end: "</text>")
  }
}

/// The text of an SVG file.
struct SVGText {
  private(set) var lines: [String] = []

  init(width: Double, height: Double, title: String) {
    add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(SVGText.number(width))\" "
        + "height=\"\(SVGText.number(height))\" "
        + "viewBox=\"0 0 \(SVGText.number(width)) \(SVGText.number(height))\" role=\"img\">")
    add("<title>", text: title, end: "</title>")
    add(
      """
      <style>
      svg { background: #fff; font: 12px system-ui, sans-serif; fill: #334; }
      .title { font-size: 15px; font-weight: 600; }
      .axis { fill: #667; font-variant-numeric: tabular-nums; }
      .end { text-anchor: end; }
      .grid { stroke: #dde; }
      path { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
      .d0 { fill: #eef0f4; } .d1 { fill: #c6e3cf; } .d2 { fill: #86c79b; } .d3 { fill: #3f9d63; }
      .d4 { fill: #1d6b3e; }
      @media (prefers-color-scheme: dark) {
        svg { background: #16181d; fill: #dde; } .axis { fill: #99a; } .grid { stroke: #334; }
        .d0 { fill: #23262e; } .d1 { fill: #1c4a30; } .d2 { fill: #2a7a4b; } .d3 { fill: #46b072; }
        .d4 { fill: #a0ecbb; }
      }
      </style>
      """)
  }

  /// Adds a line of markup.
  mutating func add(_ markup: String) { lines.append(markup) }

  /// Adds an element with a text, which may contain any characters.
  mutating func add(_ start: String, text: String, end: String) {
    var escaped = ""
    for scalar in DisplayWidth.shown(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    lines.append(start + escaped + end)
  }

  /// The complete text.
  var finished: String { (lines + ["</svg>", ""]).joined(separator: "\n") }

  /// Returns a coordinate with at most one digit after the point.
  static func number(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}
