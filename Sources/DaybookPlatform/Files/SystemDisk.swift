import DaybookCLibrary

/// The file system of this machine.
public struct SystemDisk: Disk {
  /// Creates a disk for the file system of this machine.
  public init() {}

  /// Opens a file or directory that exists; see ``Disk/open(_:for:)``.
  public func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile {
    // Without O_NONBLOCK, opening a FIFO for reading would wait for a writer.
    let flags = (access == .reading ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK
    let descriptor = DaybookCLibrary.open(path, flags)
    guard descriptor >= 0 else { throw DiskError(.open, path: path, code: errno) }
    return SystemFile(descriptor: descriptor, path: path, for: access)
  }

  /// Creates a file that does not exist yet; see ``Disk/create(_:permissions:)``.
  public func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = DaybookCLibrary.open(path, flags, mode_t(permissions))
    guard descriptor >= 0 else { throw DiskError(.create, path: path, code: errno) }
    return SystemFile(descriptor: descriptor, path: path, for: .readingAndWriting)
  }

  /// Renames a file in one step; see ``Disk/rename(_:to:)``.
  public func rename(_ source: String, to target: String) throws(DiskError) {
    guard DaybookCLibrary.rename(source, target) == 0 else {
      throw DiskError(.rename, path: source, code: errno)
    }
  }

  /// Creates a second name for a file; see ``Disk/link(_:to:)``.
  public func link(_ source: String, to target: String) throws(DiskError) {
    guard DaybookCLibrary.link(source, target) == 0 else {
      throw DiskError(.link, path: target, code: errno)
    }
  }

  /// Removes a name of a file; see ``Disk/remove(_:)``.
  public func remove(_ path: String) throws(DiskError) {
    guard DaybookCLibrary.unlink(path) == 0 else {
      throw DiskError(.remove, path: path, code: errno)
    }
  }

  /// Returns the names in a directory; see ``Disk/list(_:)``.
  public func list(_ directory: String) throws(DiskError) -> [String] {
    guard let stream = opendir(directory) else {
      throw DiskError(.list, path: directory, code: errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw DiskError(.list, path: directory, code: errno) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  /// Returns the status of the file at a path, after following symbolic links; see
  /// ``Disk/status(of:)``.
  public func status(of path: String) throws(DiskError) -> FileStatus {
    var information = stat()
    guard stat(path, &information) == 0 else {
      throw DiskError(.status, path: path, code: errno)
    }
    return FileStatus(information)
  }

  /// Returns the path with every symbolic link resolved; see ``Disk/resolve(_:)``.
  public func resolve(_ path: String) throws(DiskError) -> String {
    // Between `realpath` and `lstat`, a different process may create the file. The name is then
    // missing for the first call, and is not a symbolic link for the second. In that case the loop
    // tries again.
    for _ in 0..<resolvingAttemptMax {
      if let resolved = realPath(path) { return resolved }
      guard errno == ENOENT else { throw DiskError(.resolve, path: path, code: errno) }
      var information = stat()
      guard lstat(path, &information) == 0 else { break }
      if information.st_mode & S_IFMT == S_IFLNK {
        // The link exists, but its target does not.
        throw DiskError(.resolve, path: path, code: ENOENT)
      }
    }
    let (directory, name) = FilePaths.split(path)
    guard let resolved = realPath(directory) else {
      throw DiskError(.resolve, path: directory, code: errno)
    }
    return FilePaths.join(resolved, name: name)
  }

  /// The number of attempts to resolve a name that other processes create or delete at the same
  /// time.
  private var resolvingAttemptMax: Int { 100 }

  private func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Syncs the names in a directory; see ``Disk/syncDirectory(_:)``.
  public func syncDirectory(_ path: String) throws(DiskError) {
    let descriptor = DaybookCLibrary.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw DiskError(.syncDirectory, path: path, code: errno) }
    defer { DaybookCLibrary.close(descriptor) }
    guard FileDescriptor.syncDirectory(descriptor) == 0 else {
      throw DiskError(.syncDirectory, path: path, code: errno)
    }
  }

  /// Observes changes to the files in a directory; see ``Disk/watch(_:)``.
  public func watch(_ directory: String) throws(DiskError) -> any DiskWatch {
    try DirectoryWatch(directory: directory)
  }
}

/// Calls that are not part of ``Disk``, because no journal needs them.
extension SystemDisk {
  /// Creates a directory that only this user can use.
  package func createDirectory(_ path: String) throws(DiskError) {
    guard mkdir(path, 0o700) == 0 else { throw DiskError(.create, path: path, code: errno) }
  }

  /// Creates an empty directory that only this user can use.
  ///
  /// - Parameter template: A path that ends with `XXXXXX`. The system replaces these characters
  ///   with others.
  /// - Returns: The path of the directory.
  public func createTemporaryDirectory(_ template: String) throws(DiskError) -> String {
    var bytes = Array(template.utf8CString)
    guard mkdtemp(&bytes) != nil else { throw DiskError(.create, path: template, code: errno) }
    return String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes a directory and its files. Files that cannot be removed stay.
  public func removeDirectoryWithFiles(_ path: String) {
    for name in (try? list(path)) ?? [] { try? remove(FilePaths.join(path, name: name)) }
    rmdir(path)
  }

  /// Returns a Boolean value that indicates whether a directory entry has this path. A symbolic
  /// link counts, even if its target does not exist.
  public func isNameTaken(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0
  }

  /// Returns a Boolean value that indicates whether a file or directory exists at a path. The path
  /// may contain any bytes.
  public func exists(_ path: UnsafePointer<CChar>) -> Bool { access(path, F_OK) == 0 }

  /// Writes the cached data of all file systems to their disks, and waits for the writes.
  package func syncAll() { sync() }
}
