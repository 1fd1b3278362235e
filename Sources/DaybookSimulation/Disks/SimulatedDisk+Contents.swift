import DaybookJournal
import DaybookPlatform
import Synchronization

/// Reads and changes that a test makes directly, and not through a call of the program. These
/// operations are not counted as calls, and no fault plan applies to them.
extension SimulatedDisk {
  /// The absolute paths of all files and symbolic links, sorted.
  public var paths: [String] {
    state.withLock { state in
      state.names.current.compactMap { path, name in
        if case .directory = name { nil } else { path }
      }.sorted()
    }
  }

  /// Returns the bytes of a file, including unsynced ones; nil if the file does not exist. The
  /// method follows symbolic links.
  public func contents(of path: String) -> [UInt8]? {
    state.withLock { state in state.file(at: path).flatMap { state.inodes[$0]?.cached } }
  }

  /// Creates a file, or replaces the bytes of an existing file. The bytes, the size and the name
  /// are durable immediately.
  ///
  /// The directory must exist.
  public func setContents(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      let absolutePath = state.absolutePath(of: path, followingLast: true)
      let number: UInt64
      if let found = state.file(at: absolutePath) {
        number = found
      } else {
        number = state.makeFile(permissions: 0o600)
        state.add(absolutePath, as: .file(number))
      }
      state.inodes[number]?.replace(with: bytes)
      state.names.sync(absolutePath)
    }
  }

  /// Creates a directory and its missing parents. The new directories are durable immediately.
  public func makeDirectory(_ path: String) {
    state.withLock { state in
      var prefix = path.hasPrefix("/") ? "/" : SimulatedDisk.workingDirectory
      for component in path.split(separator: "/") {
        prefix = FilePaths.join(prefix, name: String(component))
        let absolutePath = state.absolutePath(of: prefix, followingLast: true)
        switch state.names.current[absolutePath] {
        case .directory: break
        case nil: state.makeDirectory(absolutePath)
        case .file, .link: preconditionFailure("\(prefix) is not a directory")
        }
      }
    }
  }

  /// Creates a symbolic link to a path that need not exist. A relative target starts at the
  /// directory of the link. The link is durable immediately.
  public func makeLink(at path: String, to target: String) {
    precondition(!target.isEmpty, "\(path) is to link to an empty path")
    state.withLock { state in
      let absolutePath = state.absolutePath(of: path, followingLast: false)
      state.add(absolutePath, as: .link(target))
      state.names.sync(absolutePath)
    }
  }

  /// Inverts bits of one byte of a file, as a defective medium does. The method changes the present
  /// bytes, the durable bytes, and all unsynced versions of the sector.
  public func corrupt(_ path: String, at offset: Int, xor bits: UInt8) {
    state.withLock { state in
      guard let number = state.file(at: path), let byteCount = state.inodes[number]?.cached.count
      else { preconditionFailure("\(path) is not a file") }
      precondition(
        offset >= 0 && offset < byteCount, "byte \(offset) of \(path), which has \(byteCount)")
      state.inodes[number]?.corrupt(at: offset, xor: bits)
    }
  }
}

extension SimulatedState {
  /// Returns the number of the file at a path, after following symbolic links.
  fileprivate func file(at path: String) -> UInt64? {
    guard case .file(let number) = try? name(at: path, for: DiskCall(.status, at: path)) else {
      return nil
    }
    return number
  }

  /// Returns the absolute path of a path that a test has passed. The directory of the path must
  /// exist.
  fileprivate func absolutePath(of path: String, followingLast: Bool) -> String {
    do throws(DiskError) {
      return try names.resolvedPath(
        of: path, followingLast: followingLast, for: DiskCall(.resolve, at: path)
      ).path
    } catch {
      preconditionFailure("\(error)")
    }
  }

  fileprivate mutating func add(_ path: String, as name: SimulatedNames.Name) {
    precondition(names.current[path] == nil, "\(path) is taken")
    names.perform(.add(path, name))
  }
}
