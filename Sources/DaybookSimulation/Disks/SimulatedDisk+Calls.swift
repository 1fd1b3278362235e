import DaybookJournal
import DaybookPlatform
import Synchronization

extension SimulatedDisk {
  private func perform<Result>(
    _ call: DiskCall,
    body: (inout SimulatedState) throws(DiskError) -> sending Result
  ) throws(DiskError) -> Result where Result: Sendable {
    try state.withLock { state throws(DiskError) in try state.perform(call, body: body) }
  }

  /// Opens an existing file or directory; see `Disk`.
  public func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile {
    let call = DiskCall(.open, at: path)
    let handle = try state.withLock { state throws(DiskError) in
      let number = try state.perform(call) { state throws(DiskError) in
        switch try state.name(at: path, for: call) {
        case .file(let number): return number
        case .directory(let number):
          guard access == .reading else { throw call.error(Errno.isDirectory) }
          return number
        case .link: throw call.error(Errno.tooManyLinks)
        }
      }
      return state.opened(number, at: path, for: access)
    }
    return SimulatedFile(handle, on: self)
  }

  /// Creates a file at a path that does not exist; see `Disk`.
  public func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile {
    let call = DiskCall(.create, at: path)
    let handle = try state.withLock { state throws(DiskError) in
      let number = try state.perform(call) { state throws(DiskError) in
        let absolutePath = try state.freePath(at: path, for: call)
        guard state.bytesFree > 0 else { throw call.error(Errno.noSpace) }
        let number = state.makeFile(permissions: permissions)
        state.names.perform(.add(absolutePath, .file(number)))
        return number
      }
      return state.opened(number, at: path, for: .readingAndWriting)
    }
    return SimulatedFile(handle, on: self)
  }

  /// Renames a file in one atomic step; see `Disk`.
  public func rename(_ source: String, to target: String) throws(DiskError) {
    let call = DiskCall(.rename, at: source)
    try perform(call) { state throws(DiskError) in
      let old = try state.names.resolvedPath(of: source, followingLast: false, for: call).path
      let new = try state.names.resolvedPath(of: target, followingLast: false, for: call).path
      guard let name = state.names.current[old] else { throw call.error(Errno.noSuchFile) }
      if case .directory = name { throw call.error(Errno.notSupported) }
      if case .directory = state.names.current[new] {
        // If the target is the directory that contains the file, Linux returns a different error.
        throw call.error(
          old.hasPrefix(FilePaths.join(new, name: "")) ? Errno.directoryNotEmpty : Errno.isDirectory
        )
      }
      // POSIX requires that a rename changes nothing if both names refer to the same file.
      guard state.names.current[new] != name else { return }
      state.names.perform(.rename(old, to: new, name))
    }
  }

  /// Adds a second name to a file; see `Disk`.
  public func link(_ source: String, to target: String) throws(DiskError) {
    let call = DiskCall(.link, at: target)
    try perform(call) { state throws(DiskError) in
      let old = try state.names.resolvedPath(of: source, followingLast: false, for: call).path
      guard let name = state.names.current[old] else { throw call.error(Errno.noSuchFile) }
      let new = try state.freePath(at: target, for: call)
      if case .directory = name { throw call.error(Errno.notPermitted) }
      state.names.perform(.add(new, name))
    }
  }

  /// Removes a name; see `Disk`.
  public func remove(_ path: String) throws(DiskError) {
    let call = DiskCall(.remove, at: path)
    try perform(call) { state throws(DiskError) in
      let absolutePath = try state.names.resolvedPath(of: path, followingLast: false, for: call)
        .path
      guard let name = state.names.current[absolutePath] else { throw call.error(Errno.noSuchFile) }
      if case .directory = name { throw call.error(Errno.isDirectory) }
      state.names.perform(.remove(absolutePath, name))
    }
  }

  /// Returns the names in a directory, sorted by their bytes; see `Disk`.
  public func list(_ directory: String) throws(DiskError) -> [String] {
    let call = DiskCall(.list, at: directory)
    return try perform(call) { state throws(DiskError) in
      state.names.list(try state.directory(at: directory, for: call))
    }
  }

  /// Returns the status of the file or directory at a path; see `Disk`.
  public func status(of path: String) throws(DiskError) -> FileStatus {
    let call = DiskCall(.status, at: path)
    return try perform(call) { state throws(DiskError) in
      switch try state.name(at: path, for: call) {
      case .file(let number), .directory(let number):
        if let status = state.status(of: number) { return status }
      case .link: break
      }
      throw call.error(Errno.noSuchFile)
    }
  }

  /// Returns the path with every symbolic link resolved; see `Disk`.
  public func resolve(_ path: String) throws(DiskError) -> String {
    let call = DiskCall(.resolve, at: path)
    return try perform(call) { state throws(DiskError) in
      let resolved = try state.names.resolvedPath(of: path, followingLast: true, for: call)
      // The last component of the path is a link, and the target of the link does not exist.
      guard !resolved.hasFollowedLink || state.names.current[resolved.path] != nil else {
        throw call.error(Errno.noSuchFile)
      }
      return resolved.path
    }
  }

  /// Syncs a directory, which makes the names in it durable; see `Disk`.
  ///
  /// A rename from one directory to a second one is one change. A sync of either directory makes it
  /// durable.
  public func syncDirectory(_ path: String) throws(DiskError) {
    let call = DiskCall(.syncDirectory, at: path)
    try state.withLock { state throws(DiskError) in
      let fault = try state.admit(call)
      let directory = try state.directory(at: path, for: call)
      switch fault {
      case .lie: break
      case .losePower: throw call.error(Errno.inputOutputError)
      default:
        state.names.syncDirectory(directory)
        state.collect()
      }
    }
  }

  /// Returns a watch that never waits; see `Disk`.
  public func watch(_ directory: String) throws(DiskError) -> any DiskWatch {
    let call = DiskCall(.watch, at: directory)
    try perform(call) { state throws(DiskError) in
      _ = try state.directory(at: directory, for: call)
    }
    return SimulatedWatch()
  }
}

/// A watch that never waits, because a simulated disk does not change while its caller waits.
final class SimulatedWatch: DiskWatch {
  func wait(milliseconds: Int) {}
  func wake() {}
}

extension SimulatedState {
  /// Returns the entry at a path, after following symbolic links.
  func name(at path: String, for call: DiskCall) throws(DiskError) -> SimulatedNames.Name {
    let resolved = try names.resolvedPath(of: path, followingLast: true, for: call)
    guard let name = names.current[resolved.path] else { throw call.error(Errno.noSuchFile) }
    return name
  }

  /// Returns the absolute path for a new entry. Throws an error if an entry exists there, also if
  /// it is a symbolic link without a target.
  fileprivate func freePath(at path: String, for call: DiskCall) throws(DiskError) -> String {
    let absolutePath = try names.resolvedPath(of: path, followingLast: false, for: call).path
    guard names.current[absolutePath] == nil else { throw call.error(Errno.fileExists) }
    return absolutePath
  }

  /// Returns the absolute path of a directory, after following symbolic links.
  fileprivate func directory(at path: String, for call: DiskCall) throws(DiskError) -> String {
    let absolutePath = try names.resolvedPath(of: path, followingLast: true, for: call).path
    switch names.current[absolutePath] {
    case .directory: return absolutePath
    case nil: throw call.error(Errno.noSuchFile)
    case .file, .link: throw call.error(Errno.notDirectory)
    }
  }
}
