import DaybookJournal
import DaybookPlatform
import Synchronization

/// Changes that a test makes to the disk without the program's knowledge. None of them counts as a
/// call.
extension SimulatedDisk {
  /// The absolute paths of all files and symbolic links, in order.
  public var paths: [String] {
    state.withLock { state in
      state.names.current.compactMap { path, name in
        if case .directory = name { nil } else { path }
      }.sorted()
    }
  }

  /// Returns the bytes that reads of a file see; nil if the file does not exist. Symbolic links are
  /// followed.
  public func contents(of path: String) -> [UInt8]? {
    state.withLock { state in state.file(at: path).flatMap { state.inodes[$0]?.cached } }
  }

  /// Writes a file, or replaces the bytes of an existing file. Its bytes, size and name are durable
  /// at once.
  ///
  /// The directory must exist.
  public func setContents(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      let place = state.place(of: path, followingLast: true)
      let number: UInt64
      if let found = state.file(at: place) {
        number = found
      } else {
        number = state.makeFile(permissions: 0o600)
        state.add(place, as: .file(number))
      }
      state.inodes[number]?.replace(with: bytes)
      state.names.sync(place)
    }
  }

  /// Creates a directory and its parents, durable at once. Existing directories do not change.
  public func makeDirectory(_ path: String) {
    state.withLock { state in
      var prefix = path.hasPrefix("/") ? "/" : SimulatedDisk.workingDirectory
      for component in path.split(separator: "/") {
        prefix = FilePaths.join(prefix, name: String(component))
        let place = state.place(of: prefix, followingLast: true)
        switch state.names.current[place] {
        case .directory: break
        case nil: state.makeDirectory(place)
        case .file, .link: preconditionFailure("\(prefix) is not a directory")
        }
      }
    }
  }

  /// Creates a symbolic link, durable at once, to a path that need not exist. A relative target
  /// starts at the directory of the link.
  public func makeLink(at path: String, to target: String) {
    precondition(!target.isEmpty, "\(path) is to link to an empty path")
    state.withLock { state in
      let place = state.place(of: path, followingLast: false)
      state.add(place, as: .link(target))
      state.names.sync(place)
    }
  }

  /// Inverts bits of one byte of a file, as a failing medium would. It changes the bytes that reads
  /// see, the durable bytes, and all unsynced versions of the sector.
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
  /// Returns the number of the file at a path; symbolic links are followed.
  fileprivate func file(at path: String) -> UInt64? {
    guard case .file(let number) = try? name(at: path, for: DiskCall(.status, at: path)) else {
      return nil
    }
    return number
  }

  /// Returns the absolute path for a path that a test passed. The directory of the path must exist.
  fileprivate func place(of path: String, followingLast: Bool) -> String {
    do throws(DiskError) {
      return try names.place(
        of: path, followingLast: followingLast, for: DiskCall(.resolve, at: path)
      ).path
    } catch {
      preconditionFailure("\(error)")
    }
  }

  fileprivate mutating func add(_ place: String, as name: SimulatedNames.Name) {
    precondition(names.current[place] == nil, "\(place) is taken")
    names.perform(.add(place, name))
  }
}
