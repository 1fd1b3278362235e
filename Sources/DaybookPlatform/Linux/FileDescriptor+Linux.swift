import Glibc

extension FileDescriptor {
  /// Creates a temporary file without a name, so that nothing is left of it however the process ends.
  package static func createUnnamedFile(in directory: String) throws(DiskError) -> FileDescriptor {
    // The flag O_TMPFILE, which the module of the C library does not have.
    let isUnnamed = 0o2000_0000 | O_DIRECTORY
    let unnamed = Glibc.open(directory, isUnnamed | O_RDWR | O_CLOEXEC, 0o600)
    if unnamed >= 0 { return FileDescriptor(unnamed, path: directory) }
    // Some file systems have named files only.
    var name = Array("\(directory)/daybook-XXXXXX".utf8CString)
    let named = mkstemp(&name)
    guard named >= 0 else { throw DiskError(.create, path: directory, code: errno) }
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return FileDescriptor(named, path: directory)
  }
}
