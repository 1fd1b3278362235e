/// One call of the operating system that did not do what it was asked.
public struct DiskError: Error, Hashable, Sendable {
  /// Which call it was.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case open, create, read, write, sync, truncate, status, map, lock, rename, link, remove, list
    case resolve, syncDirectory, watch, setPermissions
  }

  /// Which call it was.
  public let operation: Operation
  /// The file or directory it was about.
  public let path: String
  /// The system's number for what went wrong, as in `errno`.
  public let code: Int32

  /// An error, for disks of your own.
  public init(_ operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}

extension DiskError: CustomStringConvertible {
  /// `banks.daybook: write: No space left on device (28).`
  public var description: String { "\(path): \(operation.rawValue): \(reasonPhrase)." }

  /// A Boolean value that indicates whether the disk is full, or what this user may store on it.
  ///
  /// A file system that writes every block to a new place, such as btrfs, may find so only at a write or a sync,
  /// although the space had been filled before. Then it is not known what of a transaction is on the disk.
  public var isDiskFull: Bool { [Errno.noSpace, Errno.diskQuotaExceeded].contains(code) }

  /// The system's own words, with the number.
  package var reasonPhrase: String { "\(Errno.message(for: code)) (\(code))" }
}
