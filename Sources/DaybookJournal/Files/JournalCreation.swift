import DaybookPlatform

/// The atomic creation of a journal: at any time, the journal's name does not exist, or it is the
/// name of a whole journal.
///
/// The steps are:
///
/// 1. Write the journal under a temporary name, with its lock held, and sync it.
/// 2. Give the journal its final name by `link`, which fails if a different process has created the
///    name first. On file systems without hard links, create an empty file with the final name, and
///    rename the journal over the empty file.
/// 3. Sync the directory.
///
/// The process takes the lock while the file has only the temporary name. So a second process that
/// opens the journal by its final name finds it locked.
package enum JournalCreation {
  /// Returns the bytes of a journal without transactions: two copies of the header, two marks, and
  /// the base if the options have one.
  private static func emptyJournal(_ options: JournalOptions) -> [UInt8] {
    (options.beginning ?? JournalBeginning(freshHeader(options))).bytes
  }

  /// Returns the four pages before the first frame: two copies of the header and two marks.
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

  /// Creates an empty journal and gives it its name.
  ///
  /// - Returns: The locked file. Nil if a different process created a journal first, or removed
  ///   this file before it was locked. The caller must then open the journal again.
  static func create(
    at location: JournalLocation, _ options: JournalOptions
  ) throws(DiskError) -> (any DiskFile)? {
    removeAbandoned(at: location, on: options.disk)
    let bytes = emptyJournal(options)
    do throws(DiskError) {
      return try write(at: location, options, permissions: options.permissions) {
        (file) throws(DiskError) in
        try file.writeAll(bytes.span.bytes, at: 0)
      } named: { (newPath) throws(DiskError) in
        try link(newPath, to: location, on: options.disk)
      }
    } catch {
      switch (error.operation, error.code) {
      case (.lock, Errno.resourceBusy), (.link, Errno.noSuchFile): return nil
      default: throw error
      }
    }
  }

  /// Gives a file its final name, unless the name is taken.
  ///
  /// - Returns: True if the file has the final name; false if a different process created the name
  ///   first.
  package static func link(
    _ newPath: String, to location: JournalLocation, on disk: any Disk
  ) throws(DiskError) -> Bool {
    do throws(DiskError) {
      try disk.link(newPath, to: location.resolvedPath)
    } catch {
      switch error.code {
      case Errno.fileExists: return false
      // FAT, some network file systems and some sandboxes have no hard links, and return these
      // codes.
      case Errno.notPermitted, Errno.operationNotSupported, Errno.functionNotImplemented:
        return try claim(location, for: newPath, on: disk)
      default: throw error
      }
    }
    // If the temporary name stays, the next opening for writing removes it.
    try? disk.remove(newPath)
    return true
  }

  /// Gives a file its final name on a file system without hard links. Creates an empty file with
  /// the name, and renames the file over the empty file.
  ///
  /// Creating the empty file fails if the name is taken, so the rename replaces no file of a
  /// different process. The empty file is locked. If this process ends before the rename, the next
  /// process that opens the empty file finds an interrupted creation, and completes it.
  private static func claim(
    _ location: JournalLocation, for newPath: String, on disk: any Disk
  ) throws(DiskError) -> Bool {
    let empty: any DiskFile
    do throws(DiskError) {
      empty = try disk.create(location.resolvedPath, permissions: 0o600)
    } catch {
      guard error.code == Errno.fileExists else { throw error }
      return false
    }
    // If a different process has locked or replaced the empty file first, that process completes
    // the creation.
    guard try empty.lock(), try isNamed(empty, path: location.resolvedPath, on: disk) else {
      return false
    }
    do throws(DiskError) { try disk.rename(newPath, to: location.resolvedPath) } catch {
      try? disk.remove(location.resolvedPath)
      throw error
    }
    return true
  }

  /// Returns a Boolean value that indicates whether an open file is the file at a path.
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

  /// Replaces an empty file with an empty journal, by a rename.
  ///
  /// If the process wrote into the empty file instead, a crash could leave a file that is neither
  /// empty nor a journal.
  static func replaceEmpty(
    at location: JournalLocation, _ options: JournalOptions, status: FileStatus
  ) throws(DiskError) -> any DiskFile {
    let bytes = emptyJournal(options)
    let file = try write(at: location, options, permissions: status.permissions) {
      (file) throws(DiskError) in
      try file.writeAll(bytes.span.bytes, at: 0)
    } named: { (newPath) throws(DiskError) in
      try options.disk.rename(newPath, to: location.resolvedPath)
      return true
    }
    guard let file else { preconditionFailure("the file is missing after its rename") }
    return file
  }

  /// Creates and locks a file under a temporary name, writes its contents, syncs it, and gives it
  /// its final name.
  ///
  /// - Parameters:
  ///   - contents: A closure that writes the contents.
  ///   - named: A closure that receives the temporary path and gives the file its final name. The
  ///     closure returns false if the file must not get the name.
  /// - Returns: The locked file; nil if `named` returned false.
  static func write(
    at location: JournalLocation, _ options: JournalOptions, permissions: UInt16,
    contents: (any DiskFile) throws(DiskError) -> Void,
    named: (String) throws(DiskError) -> Bool
  ) throws(DiskError) -> (any DiskFile)? {
    let (newPath, file) = try createUnnamed(at: location, options, permissions: permissions)
    var hasName = false
    // A failure here must not hide the error that led to it. The next opening removes the file.
    defer { if !hasName { try? remove(file, at: newPath, on: options.disk) } }

    try contents(file)
    try file.barrier()
    hasName = try named(newPath)
    guard hasName else { return nil }
    file.moved(to: location.resolvedPath)
    try options.disk.syncDirectory(location.directory)
    return file
  }

  /// Creates an empty file under a temporary name, and takes its lock.
  ///
  /// The first choice of the name is always the same. If a different process has a locked file with
  /// that name, the file gets a random name.
  ///
  /// No process removes a locked file, with one exception. An erasure removes the unfinished caches
  /// and checkpoints of the old journal that other processes are writing. The writer of such a
  /// removed file still renames its temporary path. By then, a third process may have created a
  /// file of the new journal at that path. The rename gives this unfinished file its final name too
  /// early. The early name is harmless, because the checksums of the file are wrong until the file
  /// is complete.
  package static func createUnnamed(
    at location: JournalLocation, _ options: JournalOptions, permissions: UInt16
  ) throws(DiskError) -> (path: String, file: any DiskFile) {
    for path in [location.newPath(), location.newPath(options.random())] {
      if let file = try createLocked(path, on: options.disk, permissions: permissions) {
        return (path, file)
      }
    }
    throw DiskError(.lock, path: location.newPath(), code: Errno.resourceBusy)
  }

  /// Creates a file and takes its lock. A file that an earlier process left at the path is removed
  /// first.
  ///
  /// - Returns: The file; nil if a different process is creating a file at this path.
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
      // Before this file was locked, a different process may have removed it as abandoned, and may
      // have created its own file at the path.
      let isOwn = try file.lock() ? try isNamed(file, path: path, on: disk) : false
      return isOwn ? file : nil
    } catch {
      try? remove(file, at: path, on: disk)
      throw error
    }
  }

  /// Removes the name of a file, unless a different file has the name.
  private static func remove(
    _ file: any DiskFile, at path: String, on disk: any Disk
  ) throws(DiskError) {
    if try isNamed(file, path: path, on: disk) { try disk.remove(path) }
  }

  /// Removes the temporary file that a process has left at the usual temporary path. The file is
  /// removed if no process has its lock, or if it is the file `own`: a journal that also has its
  /// final name.
  ///
  /// Opening a journal does not depend on this, so failures are ignored. A file with a random name
  /// stays until ``removeAllAbandoned(at:on:)``. A salvage that was killed leaves such a file. If
  /// two processes create a file for the same name, and one of them is killed, it may leave such a
  /// file too.
  static func removeAbandoned(
    at location: JournalLocation, beside own: FileIdentity? = nil, on disk: any Disk
  ) {
    let path = location.newPath()
    guard let status = try? disk.status(of: path) else { return }
    if status.identity == own {
      try? disk.remove(path)
    } else {
      try? removeIfAbandoned(path, on: disk)
    }
  }

  /// Lists the directory, and removes all unfinished files of processes that have ended, including
  /// files with random names.
  ///
  /// Creating a new file does not depend on this, so failures are ignored.
  package static func removeAllAbandoned(at location: JournalLocation, on disk: any Disk) {
    guard let names = try? disk.list(location.directory) else { return }
    for name in names where location.isMade(as: name) {
      try? removeIfAbandoned(FilePaths.join(location.directory, name: name), on: disk)
    }
  }

  /// Removes an unfinished file and the committed end beside it, unless a different process has the
  /// lock of the file.
  static func removeIfAbandoned(_ path: String, on disk: any Disk) throws(DiskError) {
    let file = try disk.open(path, for: .readingAndWriting)
    guard try file.lock(), try isNamed(file, path: path, on: disk) else { return }
    try? disk.remove(path + JournalLocation.endSuffix)
    try disk.remove(path)
  }
}
