import DaybookJournal

/// One call that a ``SimulatedDisk`` received.
public struct DiskCall: Hashable, Sendable {
  /// The operation of the call.
  public let operation: DiskError.Operation
  /// The path that the caller passed: for a rename the source, for a link the new name.
  public let path: String
  /// The offset in the file, for reads and writes; the new size, for truncations.
  public let offset: UInt64?
  /// The number of requested bytes, for reads, writes and mappings.
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
  /// The operation with its arguments, as in `write /disk/banks.daybook at 4096, 512 bytes`.
  public var description: String {
    var text = "\(operation.rawValue) \(path)"
    if let offset { text += " at \(offset)" }
    if let byteCount { text += ", \(byteCount) bytes" }
    return text
  }
}
