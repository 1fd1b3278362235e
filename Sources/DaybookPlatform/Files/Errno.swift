import Glibc

/// Error numbers of the operating system, with their messages.
///
/// The names are those of the C constants in words. The numbers are plain integers, as in ``DiskError/code``.
package enum Errno {
  /// The number of the last call that failed on this thread.
  package static var last: Int32 { errno }

  /// The operating system's message for a number.
  package static func message(for code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package static var badFileDescriptor: Int32 { EBADF }
  package static var directoryNotEmpty: Int32 { ENOTEMPTY }
  package static var diskQuotaExceeded: Int32 { EDQUOT }
  package static var fileExists: Int32 { EEXIST }
  package static var fileNameTooLong: Int32 { ENAMETOOLONG }
  package static var fileTooLarge: Int32 { EFBIG }
  package static var functionNotImplemented: Int32 { ENOSYS }
  package static var inputOutputError: Int32 { EIO }
  package static var interrupted: Int32 { EINTR }
  package static var invalidArgument: Int32 { EINVAL }
  package static var isDirectory: Int32 { EISDIR }
  package static var noDevice: Int32 { ENODEV }
  package static var noSpace: Int32 { ENOSPC }
  package static var noSuchFile: Int32 { ENOENT }
  package static var notDirectory: Int32 { ENOTDIR }
  package static var notPermitted: Int32 { EPERM }
  package static var notSupported: Int32 { ENOTSUP }
  package static var operationNotSupported: Int32 { EOPNOTSUPP }
  package static var pipeClosed: Int32 { EPIPE }
  package static var resourceBusy: Int32 { EBUSY }
  package static var tooManyLinks: Int32 { ELOOP }
  package static var wouldDeadlock: Int32 { EDEADLK }
}
