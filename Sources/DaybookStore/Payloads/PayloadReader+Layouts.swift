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

  /// Returns whether the flags of a payload indicate an idempotency key.
  package static func hasKey(_ bytes: RawSpan) -> Bool {
    PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0).contains(.key)
  }

  /// Returns whether a payload may contain zeros in place of changes.
  static func hasGaps(_ bytes: RawSpan) -> Bool {
    bytes.number(at: 0, as: UInt8.self) == PayloadWriter.versionWithGaps
  }

  /// Returns whether the metadata of a payload may record a version of the data.
  static func mayHaveDataVersion(_ bytes: RawSpan) -> Bool {
    (bytes.number(at: 0, as: UInt8.self) ?? 0) >= PayloadWriter.versionWithMigrations
  }
}
