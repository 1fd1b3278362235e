extension PayloadReader {
  /// Returns all layouts in a payload that was read without a defect, also those that earlier
  /// payloads contain.
  static func layouts(in bytes: RawSpan) -> [Layout] {
    let flags = PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0)
    guard flags.contains(.layouts), let (count, end) = bytes.variableNumber(at: 2) else {
      return []
    }
    var layouts: [Layout] = []
    var offset = end
    while layouts.count < count, let (layout, end) = Layout.read(bytes, at: offset) {
      layouts.append(layout)
      offset = end
    }
    return layouts
  }
}
