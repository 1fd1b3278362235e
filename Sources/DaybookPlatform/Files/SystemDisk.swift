import DaybookCLibrary

/// The disk of this machine.
public struct SystemDisk: Disk {
  /// The disk of this machine.
  public init() {}

  /// Opens the file or directory that is there; see ``Disk``.
  public func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile {
    // Without O_NONBLOCK, opening a FIFO for reading would wait for a writer.
    let flags = (access == .reading ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK
    let descriptor = DaybookCLibrary.open(path, flags)
    guard descriptor >= 0 else { throw DiskError(.open, path: path, code: errno) }
    return SystemFile(descriptor: descriptor, path: path, for: access)
  }

  /// Creates a file where there was none; see ``Disk``.
  public func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = DaybookCLibrary.open(path, flags, mode_t(permissions))
    guard descriptor >= 0 else { throw DiskError(.create, path: path, code: errno) }
    return SystemFile(descriptor: descriptor, path: path, for: .readingAndWriting)
  }

  /// Gives a file another name in one step; see ``Disk``.
  public func rename(_ source: String, to target: String) throws(DiskError) {
    guard DaybookCLibrary.rename(source, target) == 0 else {
      throw DiskError(.rename, path: source, code: errno)
    }
  }

  /// Gives a file a second name; see ``Disk``.
  public func link(_ source: String, to target: String) throws(DiskError) {
    guard DaybookCLibrary.link(source, target) == 0 else {
      throw DiskError(.link, path: target, code: errno)
    }
  }

  /// Takes a name away; see ``Disk``.
  public func remove(_ path: String) throws(DiskError) {
    guard DaybookCLibrary.unlink(path) == 0 else {
      throw DiskError(.remove, path: path, code: errno)
    }
  }

  /// The names in a directory; see ``Disk``.
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

  /// What stands at a path, links followed; see ``Disk``.
  public func status(of path: String) throws(DiskError) -> FileStatus {
    var information = stat()
    guard stat(path, &information) == 0 else {
      throw DiskError(.status, path: path, code: errno)
    }
    return FileStatus(information)
  }

  /// The path with every link followed; see ``Disk``.
  public func resolve(_ path: String) throws(DiskError) -> String {
    // A name that is not there at the first look and no link at the second was made in between, by
    // someone who is first to create the file: then it is looked at again.
    for _ in 0..<resolvingAttemptMax {
      if let resolved = realPath(path) { return resolved }
      guard errno == ENOENT else { throw DiskError(.resolve, path: path, code: errno) }
      var information = stat()
      guard lstat(path, &information) == 0 else { break }
      if information.st_mode & S_IFMT == S_IFLNK {
        // The name is there and what it leads to is not.
        throw DiskError(.resolve, path: path, code: ENOENT)
      }
    }
    let (directory, name) = FilePaths.split(path)
    guard let resolved = realPath(directory) else {
      throw DiskError(.resolve, path: directory, code: errno)
    }
    return FilePaths.join(resolved, name: name)
  }

  /// How often a name may come and go while it is resolved.
  private var resolvingAttemptMax: Int { 100 }

  private func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Makes the names in a directory durable; see ``Disk``.
  public func syncDirectory(_ path: String) throws(DiskError) {
    let descriptor = DaybookCLibrary.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw DiskError(.syncDirectory, path: path, code: errno) }
    defer { DaybookCLibrary.close(descriptor) }
    guard FileDescriptor.syncDirectory(descriptor) == 0 else {
      throw DiskError(.syncDirectory, path: path, code: errno)
    }
  }

  /// Hears of changes to the files in a directory; see ``Disk``.
  public func watch(_ directory: String) throws(DiskError) -> any DiskWatch {
    try DirectoryWatch(directory: directory)
  }
}

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
