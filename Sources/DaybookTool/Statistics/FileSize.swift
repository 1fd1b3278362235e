import DaybookPlatform

/// The sizes of files.
enum FileSize {
  /// Returns the size of a regular file; nil for standard input and for other kinds of files.
  static func byteCount(of path: String) -> Int? {
    guard path != "-", let status = try? SystemDisk().status(of: path), status.kind == .file else {
      return nil
    }
    return Int(status.byteCount)
  }

  /// Returns the size of a regular file as text, for example `812 bytes`.
  static func string(of path: String) -> String? { byteCount(of: path).map(QuantityText.bytes) }
}
