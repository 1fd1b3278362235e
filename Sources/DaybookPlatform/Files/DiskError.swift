import DaybookCLibrary

/// The error of a call of the operating system that failed.
public struct DiskError: Error, Hashable, Sendable {
  /// A kind of call of the file system.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// The call of ``Disk``, ``DiskFile`` or ``FileDescriptor`` that has this name.
    case open, create, read, write, sync, truncate, status, map, lock, rename, link, remove, list
    /// The call of ``Disk`` or ``DiskFile`` that has this name.
    case resolve, syncDirectory, watch, setPermissions
  }

  /// The call that failed.
  public let operation: Operation
  /// The path of the file or directory that the call was made for.
  public let path: String
  /// The error number of the system, as in `errno`.
  public let code: Int32

  /// Creates an error, for custom disks.
  public init(_ operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}

extension DiskError: CustomStringConvertible {
  /// A description such as `banks.daybook: write: No space left on device (28).`
  public var description: String { "\(path): \(operation.rawValue): \(reasonPhrase)." }

  /// A Boolean value that indicates whether the disk or the quota of this user is full.
  ///
  /// A journal fills its space with zeros in advance, so that usually only this filling finds a
  /// full disk. But a file system such as btrfs writes every block to a new position. Such a file
  /// system may report a full disk at a write or a sync into the filled space. Then it is unknown
  /// which part of a transaction is on the disk.
  public var isDiskFull: Bool { [Errno.noSpace, Errno.diskQuotaExceeded].contains(code) }

  /// The message of the system, with the error number.
  package var reasonPhrase: String { "\(Errno.message(for: code)) (\(code))" }
}

/// Error numbers of the operating system, with their messages.
///
/// The names spell out the C constants in words. The numbers are plain integers, as in
/// ``DiskError/code``.
public enum Errno {
  /// The error number of the last failed call on this thread.
  public static var last: Int32 { errno }

  /// Returns the message of the operating system for an error number.
  package static func message(for code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package static var badFileDescriptor: Int32 { EBADF }
  package static var directoryNotEmpty: Int32 { ENOTEMPTY }
  package static var diskQuotaExceeded: Int32 { EDQUOT }
  /// The error number for a file name that exists: `EEXIST`.
  public static var fileExists: Int32 { EEXIST }
  package static var fileNameTooLong: Int32 { ENAMETOOLONG }
  package static var fileTooLarge: Int32 { EFBIG }
  /// The error number for a function that the system does not have: `ENOSYS`.
  public static var functionNotImplemented: Int32 { ENOSYS }
  package static var inputOutputError: Int32 { EIO }
  package static var interrupted: Int32 { EINTR }
  /// The error number for an invalid argument: `EINVAL`.
  public static var invalidArgument: Int32 { EINVAL }
  package static var isDirectory: Int32 { EISDIR }
  package static var noDevice: Int32 { ENODEV }
  package static var noSpace: Int32 { ENOSPC }
  /// The error number for a file name that does not exist: `ENOENT`.
  public static var noSuchFile: Int32 { ENOENT }
  package static var notDirectory: Int32 { ENOTDIR }
  /// The error number for an operation that is not permitted: `EPERM`.
  public static var notPermitted: Int32 { EPERM }
  package static var notSupported: Int32 { ENOTSUP }
  /// The error number for an operation that is not supported: `EOPNOTSUPP`.
  public static var operationNotSupported: Int32 { EOPNOTSUPP }
  /// The error number for a file that the permissions protect: `EACCES`.
  public static var accessDenied: Int32 { EACCES }
  /// The error number for a file system that cannot be written: `EROFS`.
  public static var readOnlyFileSystem: Int32 { EROFS }
  /// The error number for a pipe that its reader has closed: `EPIPE`.
  public static var pipeClosed: Int32 { EPIPE }
  package static var resourceBusy: Int32 { EBUSY }
  package static var tooManyLinks: Int32 { ELOOP }
  package static var wouldDeadlock: Int32 { EDEADLK }
}
