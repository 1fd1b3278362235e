import DaybookPlatform

/// The files beside a journal that are derived from it. Derived files may be deleted at any time.
///
/// This type writes a file under a temporary name, syncs it, and then renames it. So a file with a
/// final name is complete. The reader of a file must verify that the file belongs to this journal.
/// Recovery does not depend on the contents of derived files.
package struct DerivedFiles: Sendable {
  private let location: JournalLocation
  private let options: JournalOptions

  /// Creates access to the files beside a journal.
  package init(beside location: JournalLocation, _ options: JournalOptions) {
    self.location = location
    self.options = options
  }

  /// Returns the path of a derived file. In this type, the name of a file is the part after the
  /// journal's name, such as `-checkpoint-a`.
  package func path(of name: String) -> String { location.resolvedPath + name }

  /// Returns the bytes of a file, up to a limit; nil if the file does not exist.
  ///
  /// The bytes are copied, because other processes may replace or truncate the file meanwhile.
  package func read(_ name: String, byteCountMax: Int) throws(DiskError) -> [UInt8]? {
    guard let (file, fileByteCount) = try open(name) else { return nil }
    return try file.bytes(at: 0, count: Int(min(fileByteCount, UInt64(byteCountMax))))
  }

  /// Opens a file and returns it with its number of bytes; nil if the file does not exist.
  ///
  /// Daybook replaces such a file and never changes it, so its bytes usually do not change while it
  /// is open. Other programs may still change it.
  package func open(
    _ name: String
  ) throws(DiskError) -> (file: any DiskFile, byteCount: UInt64)? {
    let file: any DiskFile
    do throws(DiskError) { file = try options.disk.open(path(of: name), for: .reading) } catch {
      if error.code == Errno.noSuchFile { return nil }
      throw error
    }
    let status = try file.status()
    guard status.kind == .file else {
      let code = status.kind == .directory ? Errno.isDirectory : Errno.invalidArgument
      throw DiskError(.read, path: path(of: name), code: code)
    }
    return (file, status.byteCount)
  }

  /// Creates a file or replaces the file of that name.
  ///
  /// If the name is a symbolic link, the link is replaced and not its target. If the name is a
  /// directory, a special file or a journal, the call throws and changes nothing.
  ///
  /// - Parameters:
  ///   - origin: The moment of the journal that the file is derived from.
  ///   - contents: A closure that writes the file.
  /// - Throws: ``JournalError`` with `replaced` if a different journal has the journal's name. An
  ///   erasure, which removes a record from the whole history, may have replaced the old journal.
  ///   Then a file that is derived from the old journal would contain the erased record.
  package func write(
    _ name: String, from origin: Origin, contents: (any DiskFile) throws(DiskError) -> Void
  ) throws(JournalError) {
    let target = JournalLocation(location.name + name, beside: location)
    let made = try JournalError.translating(target.path) { () throws(DiskError) in
      try check(target)
      return try JournalCreation.write(
        at: target, options, permissions: options.permissions, contents: contents
      ) { (newPath) throws(DiskError) in
        // This file must not survive an erasure that runs at the same time. An erasure first
        // replaces the journal, then removes files with temporary names, and then removes files
        // with final names. So one of three cases applies: this check finds the new journal, the
        // rename finds no file, or the erasure removes the renamed file.
        guard try isCurrent(origin) else { return false }
        try options.disk.rename(newPath, to: target.resolvedPath)
        return true
      }
    }
    if made == nil { throw JournalError(.replaced, path: location.path) }
  }

  /// The moment of a journal that a file is derived from, and the end offset of its last frame.
  package struct Origin: Hashable, Sendable {
    package var moment: JournalMoment
    package var endOffset: UInt64

    package init(_ moment: JournalMoment, endOffset: UInt64) {
      self.moment = moment
      self.endOffset = endOffset
    }
  }

  /// Returns a Boolean value that indicates whether the file with the journal's name contains a
  /// moment.
  ///
  /// The method compares the header, and the checksum at the end of the moment's last frame. That
  /// checksum depends on every byte before it.
  private func isCurrent(_ origin: Origin) throws(DiskError) -> Bool {
    let file: any DiskFile
    do throws(DiskError) {
      file = try options.disk.open(location.resolvedPath, for: .reading)
    } catch {
      if error.code == Errno.noSuchFile { return false }
      throw error
    }
    guard let header = try header(of: file), header.identity == origin.moment.identity,
      header.salt == origin.moment.salt
    else { return false }
    if origin.endOffset <= JournalLayout.firstFrameOffset {
      return header.pageChecksum == origin.moment.checksum
    }
    let checksum = try file.bytes(
      at: origin.endOffset - UInt64(Frame.checksumByteCount), count: Frame.checksumByteCount)
    return checksum.count == Frame.checksumByteCount
      && ByteView(checksum).load(0, as: UInt64.self) == origin.moment.checksum
  }

  /// Returns the header of a journal; nil if neither copy is readable.
  private func header(of file: any DiskFile) throws(DiskError) -> JournalHeader? {
    for offset in JournalLayout.headerOffsets {
      let page = ByteView(try file.bytes(at: offset, count: JournalLayout.pageByteCount))
      if case .good(let header) = JournalHeader.read(page) { return header }
    }
    return nil
  }

  /// Throws if the target exists and is not a regular file, or is a journal.
  private func check(_ target: JournalLocation) throws(DiskError) {
    let status: FileStatus
    do throws(DiskError) { status = try options.disk.status(of: target.path) } catch {
      if error.code == Errno.noSuchFile { return }
      throw error
    }
    if status.kind != .file {
      let code = status.kind == .directory ? Errno.isDirectory : Errno.fileExists
      throw DiskError(.rename, path: target.path, code: code)
    }
    let name = String(target.name.dropFirst(location.name.count))
    if try read(name, byteCountMax: JournalHeader.magic.count) == JournalHeader.magic {
      throw DiskError(.rename, path: target.path, code: Errno.fileExists)
    }
  }

  /// Removes a file if it exists.
  package func remove(_ name: String) throws(JournalError) {
    let path = path(of: name)
    try JournalError.translating(path) { () throws(DiskError) in
      do throws(DiskError) { try options.disk.remove(path) } catch {
        guard error.code == Errno.noSuchFile else { throw error }
      }
    }
  }

  // MARK: Caches, checkpoints, and torn ends

  /// The part that follows the journal's name in the names of all caches.
  package static let cachePrefix = "-cache-"
  /// The first eight bytes of every cache.
  package static let cacheMagic: UInt64 = 0x1A0A_0D63_5941_4489
  /// The parts that follow the journal's name in the names of the checkpoints.
  package static let checkpointNames = ["-checkpoint-a", "-checkpoint-b"]
  /// The first eight bytes of every checkpoint.
  package static let checkpointMagic: UInt64 = 0x1A0A_0D70_5941_4489

  /// Removes a cache. A file of that name that does not start as a cache is not removed.
  package func removeCache(_ name: String) throws(JournalError) {
    try remove(name, beginningWith: DerivedFiles.cacheMagic)
  }

  /// Removes all caches.
  package func removeCaches() throws(JournalError) {
    for name in try names(beginningWith: DerivedFiles.cachePrefix) { try removeCache(name) }
  }

  /// Removes all checkpoints.
  package func removeCheckpoints() throws(JournalError) {
    for name in DerivedFiles.checkpointNames {
      try remove(name, beginningWith: DerivedFiles.checkpointMagic)
    }
  }

  /// Removes unfinished caches and checkpoints, including those that running processes are writing.
  /// The rename of such a process then fails. The method also removes unfinished journals for this
  /// name, if the processes that wrote them have ended. Directories with such names stay, because
  /// they contain no file of a journal.
  package func removeUnfinished() throws(JournalError) {
    try JournalError.translating(location.path) { () throws(DiskError) in
      for newName in try options.disk.list(location.directory) {
        let newPath = FilePaths.join(location.directory, name: newName)
        do throws(DiskError) {
          if location.isMade(as: newName) {
            try JournalCreation.removeIfAbandoned(newPath, on: options.disk)
          } else if isDerived(JournalLocation.name(made: newName)) {
            try options.disk.remove(newPath)
          }
        } catch {
          guard error.code == Errno.noSuchFile || isDirectory(newPath) else { throw error }
        }
      }
    }
  }

  private func isDirectory(_ path: String) -> Bool {
    (try? options.disk.status(of: path))?.kind == .directory
  }

  /// Returns a Boolean value that indicates whether a name belongs to a cache or a checkpoint of
  /// the journal.
  private func isDerived(_ name: String?) -> Bool {
    guard let name, name.hasPrefix(location.name) else { return false }
    let suffix = name.dropFirst(location.name.count)
    return suffix.hasPrefix(DerivedFiles.cachePrefix)
      || DerivedFiles.checkpointNames.contains(String(suffix))
  }

  /// Removes a file if it starts with the expected bytes. A file that starts with zeros, or has
  /// fewer than 8 bytes, is removed too, because a power loss can leave such a file.
  private func remove(_ name: String, beginningWith magic: UInt64) throws(JournalError) {
    let beginning = try JournalError.translating(path(of: name)) { () throws(DiskError) in
      try read(name, byteCountMax: 8)
    }
    guard let beginning else { return }
    if beginning.count < 8 || beginning.allSatisfy({ $0 == 0 })
      || ByteView(beginning).load(0, as: UInt64.self) == magic
    {
      try remove(name)
    }
  }

  /// Removes the side files that contain torn ends of the journal.
  package func removeTorn() throws(JournalError) {
    for name in try names(beginningWith: "-torn-") where DerivedFiles.isTorn(name) {
      try remove(name)
    }
  }

  /// Returns a Boolean value that indicates whether recovery creates side files with such a name,
  /// for example `-torn-58` or `-torn-58.1`.
  private static func isTorn(_ name: String) -> Bool {
    let parts = name.dropFirst("-torn-".count)
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
  }

  /// Syncs the directory, which makes removals durable.
  package func syncNames() throws(JournalError) {
    try JournalError.translating(location.path) { () throws(DiskError) in
      try options.disk.syncDirectory(location.directory)
    }
  }

  /// Returns the names of the derived files that start with a prefix, sorted.
  package func names(beginningWith prefix: String) throws(JournalError) -> [String] {
    try JournalError.translating(location.path) { () throws(DiskError) in
      let start = location.name + prefix
      return try options.disk.list(location.directory).filter { $0.hasPrefix(start) }
        .map { String($0.dropFirst(location.name.count)) }.sorted()
    }
  }
}

extension JournalLocation {
  /// Returns a Boolean value that indicates whether the directory contains files that only a used
  /// journal leaves beside itself.
  package func hasDerivedFiles(on disk: any Disk) throws(DiskError) -> Bool {
    let names = [JournalLocation.endSuffix] + DerivedFiles.checkpointNames
    let prefixes = ["-torn-", DerivedFiles.cachePrefix]
    return try disk.list(directory).contains { other in
      guard other.hasPrefix(name) else { return false }
      let suffix = other.dropFirst(name.count)
      return names.contains(String(suffix)) || prefixes.contains { suffix.hasPrefix($0) }
    }
  }
}
