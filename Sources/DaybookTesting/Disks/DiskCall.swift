import DaybookJournal

/// One call that a ``SimulatedDisk`` has heard.
public struct DiskCall: Hashable, Sendable {
  /// Which call it was.
  public let operation: DiskError.Operation
  /// The path it was about, as the caller gave it: of a rename the source, of a link the new name.
  public let path: String
  /// Where in the file, for reads and writes; the new size, for truncations.
  public let offset: UInt64?
  /// How many bytes were asked for, for reads, writes and mappings.
  public let byteCount: Int?

  init(
    _ operation: DiskError.Operation, at path: String, offset: UInt64? = nil, byteCount: Int? = nil
  ) {
    self.operation = operation
    self.path = path
    self.offset = offset
    self.byteCount = byteCount
  }

  func error(_ code: Int32) -> DiskError { DiskError(operation, path: path, code: code) }
}

extension DiskCall: CustomStringConvertible {
  /// `write /disk/banks.daybook at 4096, 512 bytes`
  public var description: String {
    var text = "\(operation.rawValue) \(path)"
    if let offset { text += " at \(offset)" }
    if let byteCount { text += ", \(byteCount) bytes" }
    return text
  }
}
