import DaybookPlatform

/// Making a new journal, so that under its name there is either none or a whole one.
///
/// It is written under a temporary name, synced, given its name by `link`, which fails if someone
/// else was first, and the directory is synced. Where hard links are refused, an empty file claims the
/// name first. The lock is taken while it has only the temporary
/// name, so that whoever opens it by its name already finds it locked.
package enum JournalCreation {
  /// The bytes of an empty journal: two copies of the header and two marks that tell of nothing.
  static func emptyJournal(_ header: JournalHeader) -> [UInt8] {
    beginning(header, markedEnd: FramePosition(before: header).end)
  }

  /// The four pages before the first frame.
  static func beginning(_ header: JournalHeader, markedEnd: FrameEnd) -> [UInt8] {
    var pages = PageWriter()
    for offset in JournalLayout.headerOffsets {
      pages.fill(to: Int(offset))
      pages.append(header.page())
    }
    for generation in 0..<2 as Range<UInt64> {
      let mark = DurableMark(generation: generation, end: markedEnd)
      pages.fill(to: Int(mark.pageOffset))
      pages.append(mark.bytes(salt: header.salt))
    }
    pages.fill(to: Int(JournalLayout.firstFrameOffset))
    return pages.bytes
  }

  static func freshHeader(_ options: JournalOptions) -> JournalHeader {
    JournalHeader(
      identity: JournalIdentity(high: options.random(), low: options.random()),
      salt: options.random(), created: options.clock.now)
  }

  /// Makes an empty journal and gives it its name.
  ///
  /// - Returns: The locked file, or nil if another process made one first, or took this one for
  ///   abandoned between its making and its locking: look again.
  static func create(
    at place: JournalPlace, _ options: JournalOptions
  ) throws(DiskError) -> (any DiskFile)? {
    removeAbandoned(at: place, on: options.disk)
    let bytes = emptyJournal(freshHeader(options))
    do throws(DiskError) {
      return try write(at: place, options, permissions: options.permissions) {
        (file) throws(DiskError) in
        try file.writeAll(bytes.span.bytes, at: 0)
      } named: { (newPath) throws(DiskError) in
        try link(newPath, to: place, on: options.disk)
      }
    } catch {
      switch (error.operation, error.code) {
      case (.lock, Errno.resourceBusy), (.link, Errno.noSuchFile): return nil
      default: throw error
      }
    }
  }

  /// Gives a file its name, unless it is taken.
  ///
  /// - Returns: Whether the file has the name. Otherwise another process was first.
  package static func link(
    _ newPath: String, to place: JournalPlace, on disk: any Disk
  ) throws(DiskError) -> Bool {
    do throws(DiskError) {
      try disk.link(newPath, to: place.resolvedPath)
    } catch {
      switch error.code {
      case Errno.fileExists: return false
      // What FAT, some network file systems and some sandboxes return, as they have no hard links.
      case Errno.notPermitted, Errno.operationNotSupported, Errno.functionNotImplemented:
        return try claim(place, for: newPath, on: disk)
      default: throw error
      }
    }
    // The next opening for writing removes the other name, should it stay.
    try? disk.remove(newPath)
    return true
  }

  /// Gives a file its name where hard links are refused: an empty file claims the name, and is replaced.
  ///
  /// Creating the empty file fails if the name is taken, so that the rename replaces no other file. It is locked, as
  /// whoever opens it finds an interrupted creation and completes that under the same lock.
  private static func claim(
    _ place: JournalPlace, for newPath: String, on disk: any Disk
  ) throws(DiskError) -> Bool {
    let empty: any DiskFile
    do throws(DiskError) {
      empty = try disk.create(place.resolvedPath, permissions: 0o600)
    } catch {
      guard error.code == Errno.fileExists else { throw error }
      return false
    }
    // Who has the lock, or has replaced the file, was faster and completes the creation.
    guard try empty.lock(), try isNamed(empty, path: place.resolvedPath, on: disk) else {
      return false
    }
    do throws(DiskError) { try disk.rename(newPath, to: place.resolvedPath) } catch {
      try? disk.remove(place.resolvedPath)
      throw error
    }
    return true
  }

  /// Returns whether a file is the one that a path leads to.
  private static func isNamed(
    _ file: any DiskFile, path: String, on disk: any Disk
  ) throws(DiskError) -> Bool {
    do throws(DiskError) {
      return try disk.status(of: path).identity == file.status().identity
    } catch {
      guard error.code == Errno.noSuchFile else { throw error }
      return false
    }
  }

  /// Puts an empty journal in the place of a file that is empty, in one step: writing into that
  /// file could be interrupted and leave something that is neither.
  static func replaceEmpty(
    at place: JournalPlace, _ options: JournalOptions, status: FileStatus
  ) throws(DiskError) -> any DiskFile {
    let bytes = emptyJournal(freshHeader(options))
    let file = try write(at: place, options, permissions: status.permissions) {
      (file) throws(DiskError) in
      try file.writeAll(bytes.span.bytes, at: 0)
    } named: { (newPath) throws(DiskError) in
      try options.disk.rename(newPath, to: place.resolvedPath)
      return true
    }
    guard let file else { preconditionFailure("a rename that was done left no file") }
    return file
  }

  /// Writes a file under a temporary name, locks it, syncs it, and names it.
  static func write(
    at place: JournalPlace, _ options: JournalOptions, permissions: UInt16,
    contents: (any DiskFile) throws(DiskError) -> Void,
    named: (String) throws(DiskError) -> Bool
  ) throws(DiskError) -> (any DiskFile)? {
    let (newPath, file) = try createUnnamed(at: place, options, permissions: permissions)
    var hasName = false
    // A failure here must not hide the one that led to it; the next opening removes what is left.
    defer { if !hasName { try? remove(file, at: newPath, on: options.disk) } }

    try contents(file)
    try file.barrier()
    hasName = try named(newPath)
    guard hasName else { return nil }
    file.moved(to: place.resolvedPath)
    try options.disk.syncDirectory(place.directory)
    return file
  }

  /// Creates an empty file under a temporary name, and takes its lock.
  ///
  /// The name is the same each time, unless another process has it: then it is a random one. No
  /// process removes a file that is locked, except an erasure, which removes what others make of
  /// the journal before it. The writer of such a file may then rename one that another process is
  /// making here. That one is of the new journal, and its checks do not hold before it is whole.
  package static func createUnnamed(
    at place: JournalPlace, _ options: JournalOptions, permissions: UInt16
  ) throws(DiskError) -> (path: String, file: any DiskFile) {
    for path in [place.newPath(), place.newPath(options.random())] {
      if let file = try createLocked(path, on: options.disk, permissions: permissions) {
        return (path, file)
      }
    }
    throw DiskError(.lock, path: place.newPath(), code: Errno.resourceBusy)
  }

  /// Creates a file and takes its lock. A file that a process left at the path is removed first.
  ///
  /// - Returns: nil if another process makes a file at this path.
  private static func createLocked(
    _ path: String, on disk: any Disk, permissions: UInt16
  ) throws(DiskError) -> (any DiskFile)? {
    let file: any DiskFile
    do throws(DiskError) { file = try disk.create(path, permissions: permissions) } catch {
      guard error.code == Errno.fileExists else { throw error }
      try? removeIfAbandoned(path, on: disk)
      do throws(DiskError) { file = try disk.create(path, permissions: permissions) } catch {
        guard error.code == Errno.fileExists else { throw error }
        return nil
      }
    }
    do throws(DiskError) {
      // Before it was locked, another process may have taken it for abandoned, and created its own
      // there.
      let isOwn = try file.lock() ? try isNamed(file, path: path, on: disk) : false
      return isOwn ? file : nil
    } catch {
      try? remove(file, at: path, on: disk)
      throw error
    }
  }

  /// Removes a file from a path, unless the path leads to another one.
  private static func remove(
    _ file: any DiskFile, at path: String, on disk: any Disk
  ) throws(DiskError) {
    if try isNamed(file, path: path, on: disk) { try disk.remove(path) }
  }

  /// Removes the file that a process which has ended was making for a name. Its lock is free, or it
  /// is the journal itself under the name that it was made by.
  ///
  /// No other file is in the way of it, so a failure here is no reason not to open a journal. A
  /// file with a random name stays until ``removeAllAbandoned(at:on:)``: it is left by a salvage
  /// that was killed, and if two processes made a file for one name at once, and one was killed.
  static func removeAbandoned(
    at place: JournalPlace, beside own: FileIdentity? = nil, on disk: any Disk
  ) {
    let path = place.newPath()
    guard let status = try? disk.status(of: path) else { return }
    if status.identity == own {
      try? disk.remove(path)
    } else {
      try? removeIfAbandoned(path, on: disk)
    }
  }

  /// Removes all files that processes which have ended were making for a name, whatever number is
  /// in their names. It lists the directory.
  ///
  /// No other file is in the way of them, so a failure here is no reason not to make another.
  package static func removeAllAbandoned(at place: JournalPlace, on disk: any Disk) {
    guard let names = try? disk.list(place.directory) else { return }
    for name in names where place.isMade(as: name) {
      try? removeIfAbandoned(FilePaths.join(place.directory, name: name), on: disk)
    }
  }

  /// Removes a file that was being made, and the end published beside it, unless another process has its lock.
  static func removeIfAbandoned(_ path: String, on disk: any Disk) throws(DiskError) {
    let file = try disk.open(path, for: .readingAndWriting)
    guard try file.lock(), try isNamed(file, path: path, on: disk) else { return }
    try? disk.remove(path + JournalPlace.endSuffix)
    try disk.remove(path)
  }
}
