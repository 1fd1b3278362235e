import DaybookCLibrary

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

/// Error numbers of the operating system, with their messages.
///
/// The names are those of the C constants in words. The numbers are plain integers, as in ``DiskError/code``.
public enum Errno {
  /// The number of the last call that failed on this thread.
  public static var last: Int32 { errno }

  /// The operating system's message for a number.
  package static func message(for code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package static var badFileDescriptor: Int32 { EBADF }
  package static var directoryNotEmpty: Int32 { ENOTEMPTY }
  package static var diskQuotaExceeded: Int32 { EDQUOT }
  /// The code for: a file of the name exists.
  public static var fileExists: Int32 { EEXIST }
  package static var fileNameTooLong: Int32 { ENAMETOOLONG }
  package static var fileTooLarge: Int32 { EFBIG }
  /// The code for: the system does not have the function.
  public static var functionNotImplemented: Int32 { ENOSYS }
  package static var inputOutputError: Int32 { EIO }
  package static var interrupted: Int32 { EINTR }
  /// The code for: an argument is invalid.
  public static var invalidArgument: Int32 { EINVAL }
  package static var isDirectory: Int32 { EISDIR }
  package static var noDevice: Int32 { ENODEV }
  package static var noSpace: Int32 { ENOSPC }
  /// The code for: no file has the name.
  public static var noSuchFile: Int32 { ENOENT }
  package static var notDirectory: Int32 { ENOTDIR }
  /// The code for: the operation is not permitted.
  public static var notPermitted: Int32 { EPERM }
  package static var notSupported: Int32 { ENOTSUP }
  /// The code for: the operation is not supported.
  public static var operationNotSupported: Int32 { EOPNOTSUPP }
  /// The code for: the reader of a pipe has closed it.
  public static var pipeClosed: Int32 { EPIPE }
  package static var resourceBusy: Int32 { EBUSY }
  package static var tooManyLinks: Int32 { ELOOP }
  package static var wouldDeadlock: Int32 { EDEADLK }
}
