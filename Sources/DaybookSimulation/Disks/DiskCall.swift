import DaybookJournal

/// One call that a ``SimulatedDisk`` received.
public struct DiskCall: Hashable, Sendable {
  /// The operation of the call.
  public let operation: DiskError.Operation
  /// The path that the caller passed. For a rename it is the source, and for a link it is the new
  /// name.
  public let path: String
  /// The offset in the file for reads and writes, and the new size for truncations; otherwise nil.
  public let offset: UInt64?
  /// The number of requested bytes for reads, writes and mappings; otherwise nil.
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
  /// The operation with its arguments, for example `write /disk/banks.daybook at 4096, 512 bytes`.
  public var description: String {
    var line = "\(operation.rawValue) \(path)"
    if let offset { line += " at \(offset)" }
    if let byteCount { line += ", \(byteCount) bytes" }
    return line
  }
}
