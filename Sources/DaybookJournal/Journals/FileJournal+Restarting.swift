import DaybookPlatform

/// The restart of a replica: a new file replaces its file, which is kept under a different name.
///
/// | the replica | the new file |
/// | --- | --- |
/// | forked from its log, and a repair was requested | the frames up to the last common one |
/// | ends before the base of its log | the header and the base of the log |
/// | has no known transaction in common with its log, and a repair was requested | the same |
///
/// The leader restarts a replica, so that no other thread writes meanwhile.
extension FileJournal {
  /// Restarts the replica after a common frame.
  ///
  /// - Returns: The path of the old file.
  func restart(
    withFramesThrough common: SequenceNumber, of link: SharedLink
  ) throws(PullFailure) -> String {
    let (file, header) = (file, header)
    let position: FramePosition
    do throws(JournalError) {
      var reader = writtenFrames(from: common).reader
      position = try reader.advance(past: common, path: path)
    } catch { throw .refused(error.reason) }
    let copy = JournalBackup(
      path: path, resolvedPath: location.resolvedPath, file: file, header: header, end: position)
    // If the process ends before the rename, the replica still diverges, and is repaired again.
    try keep(SharedHead(next: common.next, checksum: position.chain.point.checksum), in: link)
    var damage: JournalError?
    do throws(DiskError) {
      return try restart(with: header, at: position, keepingOldFileAfter: common) {
        (new) throws(DiskError) in
        try copy.copy(to: new, damage: &damage)
        return nil
      }
    } catch { throw failure(of: error, in: file, damage: damage) }
  }

  /// Restarts the replica from the base of its log, because the log has dropped transactions that
  /// the replica does not have. The log no longer shows whether it contained those of the replica.
  /// So the old file is kept.
  func restart(from group: FrameGroup, of link: SharedLink) throws(PullFailure) {
    let beginning = try beginning(group, of: link)
    // If the process ends before the rename, the replica still ends before the base.
    try keepLater(beginning.head, in: link)
    let path = try restart(from: beginning)
    link.restart = ReplicaRestart(base: beginning.header.base.sequence, oldFilePath: path)
  }

  /// Restarts the replica from the beginning of its log, because a repair was requested.
  ///
  /// - Returns: The path of the old file.
  func restart(fromBeginningOf link: SharedLink) throws(PullFailure) -> String {
    let beginning = try beginning(firstGroup(of: link), of: link)
    // If the process ends before the rename, the replica still diverges, and is repaired again.
    try keep(beginning.head, in: link)
    return try restart(from: beginning)
  }

  private func restart(from beginning: JournalBeginning) throws(PullFailure) -> String {
    let file = file
    let last = header.base.sequence
    do throws(DiskError) {
      return try restart(
        with: beginning.header, at: beginning.end, keepingOldFileAfter: last
      ) { (new) throws(DiskError) in
        try new.writeAll(beginning.bytes.span.bytes, at: 0)
        return beginning.index
      }
    } catch { throw failure(of: error, in: file, damage: nil) }
  }

  /// Records the end of a base, unless the log has acknowledged a later position. If the log has
  /// acknowledged different frames up to the same position, the replica diverges.
  private func keepLater(_ head: SharedHead, in link: SharedLink) throws(PullFailure) {
    guard let acknowledged = link.acknowledged, acknowledged.next >= head.next else {
      return try keep(head, in: link)
    }
    guard acknowledged.next > head.next || acknowledged.checksum == head.checksum else {
      try diverge(link)
      throw unavailable(link, because: "it has changed during a read")
    }
  }

  /// Creates the new file, and continues in it.
  ///
  /// - Parameters:
  ///   - end: The end of the last frame in the new file.
  ///   - last: The last common transaction, or the base of the old file. The name that the old file
  ///     gets contains the next number.
  ///   - write: A closure that writes the new file. It returns the index of the new file; nil if
  ///     all frames have their old positions.
  /// - Returns: The path of the old file.
  private func restart(
    with header: JournalHeader, at end: FramePosition, keepingOldFileAfter last: SequenceNumber,
    write: (any DiskFile) throws(DiskError) -> FrameIndex?
  ) throws(DiskError) -> String {
    let old = file
    var oldFilePath = ""
    var index: FrameIndex?
    let status = try old.file.status()
    let made = try JournalCreation.write(at: location, options, permissions: status.permissions) {
      (file) throws(DiskError) in
      try file.setPermissions(status.permissions, owner: status.owner, group: status.group)
      index = try write(file)
    } named: { (newPath) throws(DiskError) in
      oldFilePath = try keepOldName(after: last)
      do throws(DiskError) {
        // A power loss must not keep the rename and lose the name of the old file.
        try options.disk.syncDirectory(location.directory)
        try options.disk.rename(newPath, to: location.resolvedPath)
      } catch {
        try? takeBackOldName(oldFilePath)
        throw error
      }
      return true
    }
    guard let made else { preconditionFailure("the file is missing after its rename") }
    let new = try JournalFile(made, reading: options.reading)
    writer.restart(with: new, at: end)
    // Readers get a file and the positions in it together.
    openFile.withLock { open in
      open = OpenFile(file: new, header: header)
      return queue.withLock { $0.restart(at: end, index: index) }
    }.announce()
    old.file.unlock()
    old.closeUnlessCopied()
    return oldFilePath
  }

  private func failure(
    of error: DiskError, in old: JournalFile, damage: JournalError?
  ) -> PullFailure {
    if let damage { return .refused(damage.reason) }
    // Before the rename, the old file is still the replica. After it, the next opening reads the
    // new file.
    let isOld =
      (try? old.file.status().identity == options.disk.status(of: location.resolvedPath).identity)
      == true
    return isOld ? .refused(.system(error)) : .failed(error)
  }

  /// Gives the file a second name, under which it stays.
  private func keepOldName(after common: SequenceNumber) throws(DiskError) -> String {
    var attempt = 0
    while true {
      let path = location.lostPath(after: common, attempt: attempt)
      do throws(DiskError) {
        try options.disk.link(location.resolvedPath, to: path)
        return path
      } catch {
        if error.code == Errno.fileExists {
          attempt += 1
          continue
        }
        guard
          [Errno.notPermitted, Errno.operationNotSupported, Errno.functionNotImplemented]
            .contains(error.code), (try? options.disk.status(of: path)) == nil
        else { throw error }
        // Without hard links, the replica has no name for a moment. If the process ends here, the
        // next opening creates the replica from the log.
        try options.disk.rename(location.resolvedPath, to: path)
        return path
      }
    }
  }

  /// Removes the name under which the file was kept. If it is the only name of the file, gives the
  /// file its name again.
  private func takeBackOldName(_ oldFilePath: String) throws(DiskError) {
    let named: FileStatus
    do throws(DiskError) { named = try options.disk.status(of: location.resolvedPath) } catch {
      guard error.code == Errno.noSuchFile else { throw error }
      return try options.disk.rename(oldFilePath, to: location.resolvedPath)
    }
    // A rename that was reported as failed can have replaced the file.
    guard try named.identity == options.disk.status(of: oldFilePath).identity else { return }
    try options.disk.remove(oldFilePath)
  }
}
