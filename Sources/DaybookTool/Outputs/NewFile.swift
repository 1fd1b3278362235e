import DaybookJournal
import Glibc

/// A file that gets its name only when all of it is written, and takes no other's.
///
/// Until then it stands beside its place under another name, and is removed if it is not finished.
final class NewFile {
  private let path: String
  private let temporaryPath: String
  private let descriptor: Int32

  /// Begins a file.
  ///
  /// - Parameter source: The file that the new one is made of. Who may not read that may not read this.
  /// - Throws: ``ToolError`` with `refused`, if there is one of that name or none can be made.
  init(_ path: String, madeOf source: String) throws(ToolError) {
    self.path = path
    // A path with a zero in it would end there for the system.
    guard !path.utf8.contains(0) else {
      throw ToolError(.refused, "\(DiskError(.create, path: path, code: EINVAL))")
    }
    var status = stat()
    guard lstat(path, &status) != 0 else { throw NewFile.exists(path) }
    temporaryPath =
      path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    // What comes from standard input has the permissions of any new file.
    let isFile = source != "-" && stat(source, &status) == 0
    let permissions = isFile ? status.st_mode & 0o666 : 0o666
    descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    guard descriptor >= 0 else {
      throw ToolError(.refused, "\(DiskError(.create, path: path, code: errno))")
    }
  }

  // The name beside the place is removed whether the file has got its own or not.
  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(temporaryPath)
  }

  func write(_ bytes: [UInt8]) throws(ToolError) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw ToolError(.refused, "\(DiskError(.write, path: path, code: errno))")
      }
    }
  }

  /// Gives the file its name.
  func finish() throws(ToolError) {
    guard fsync(descriptor) == 0 else {
      throw ToolError(.refused, "\(DiskError(.sync, path: path, code: errno))")
    }
    // A link, unlike a change of name, takes no name that another file has got meanwhile.
    if link(temporaryPath, path) == 0 { return }
    switch errno {
    case EEXIST: throw NewFile.exists(path)
    case EPERM, EOPNOTSUPP, ENOSYS: try claimName()
    default: throw ToolError(.refused, "\(DiskError(.link, path: path, code: errno))")
    }
  }

  /// Gives the file its name where hard links are refused: an empty file claims the name, and is replaced.
  private func claimName() throws(ToolError) {
    let claim = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard claim >= 0 else {
      if errno == EEXIST { throw NewFile.exists(path) }
      throw ToolError(.refused, "\(DiskError(.create, path: path, code: errno))")
    }
    close(claim)
    guard rename(temporaryPath, path) == 0 else {
      let code = errno
      unlink(path)
      throw ToolError(.refused, "\(DiskError(.rename, path: path, code: code))")
    }
  }

  private static func exists(_ path: String) -> ToolError {
    ToolError(
      .refused,
      "\(path): a file of this name exists. Nothing was changed. "
        + "Choose another name, or move the file away.")
  }
}
