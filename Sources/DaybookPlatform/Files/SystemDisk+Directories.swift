import DaybookCLibrary

/// Calls that a ``Disk`` does not have, as no journal needs them.
extension SystemDisk {
  /// Creates a directory that only this user can use.
  package func createDirectory(_ path: String) throws(DiskError) {
    guard mkdir(path, 0o700) == 0 else { throw DiskError(.create, path: path, code: errno) }
  }

  /// Creates an empty directory that only this user can use.
  ///
  /// - Parameter template: A path that ends with `XXXXXX`, for which other characters are chosen.
  /// - Returns: The path of the directory.
  public func createTemporaryDirectory(_ template: String) throws(DiskError) -> String {
    var bytes = Array(template.utf8CString)
    guard mkdtemp(&bytes) != nil else { throw DiskError(.create, path: template, code: errno) }
    return String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes a directory and its files. What cannot be removed stays.
  public func removeDirectoryWithFiles(_ path: String) {
    for name in (try? list(path)) ?? [] { try? remove(FilePaths.join(path, name: name)) }
    rmdir(path)
  }

  /// Returns whether a directory entry has this path. A link counts even if its target does not exist.
  public func isNameTaken(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0
  }

  /// Returns whether a path of any bytes leads to something.
  public func exists(_ path: UnsafePointer<CChar>) -> Bool { access(path, F_OK) == 0 }

  /// Writes the cached data of all file systems to their disks, and waits for the writes.
  package func syncAll() { sync() }
}
