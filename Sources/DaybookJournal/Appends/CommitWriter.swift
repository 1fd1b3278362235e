import DaybookPlatform

/// The file I/O of the current leader: it writes frames, preallocated zeros, durability marks, and
/// the *committed end*. The committed end is the durable position, which the writer publishes in a
/// separate file for other processes.
//
// The type itself is not thread-safe. Only the leader calls it, and a thread becomes the leader
// while it holds the queue's lock.
final class CommitWriter: @unchecked Sendable {
  private var file: JournalFile
  private let location: JournalLocation
  private let disk: any Disk
  private let salt: UInt64
  private(set) var marks: MarkPair
  private var endFile: (any DiskFile)?
  /// The end offset of the zeros after the frames. Writing frames before this offset does not
  /// change the size of the file.
  private var filledEnd: UInt64
  /// A Boolean value that indicates whether the last attempt to preallocate zeros failed, and no
  /// append was made after the attempt.
  private var lastZeroFillFailed = false

  /// The number of times that the committed end could not be published.
  private var unpublishedEndCount = 0

  init(
    file: JournalFile, location: JournalLocation, disk: any Disk, salt: UInt64, marks: MarkPair
  ) {
    self.file = file
    self.location = location
    self.disk = disk
    self.marks = marks
    self.salt = salt
    filledEnd = file.byteCount
  }

  /// Returns the status of the file, if its frames end at a position.
  func status(at end: FramePosition) -> CommitQueue.WriterStatus {
    let ahead = ZeroFill.aheadByteCount(endOffset: end.endOffset)
    // More zeros are needed if less than half of the usual preallocated space is left.
    let runsOut = filledEnd < end.endOffset + ahead / 2
    return CommitQueue.WriterStatus(
      marked: marks.newest.sequence, wantsFill: !lastZeroFillFailed && runsOut,
      unpublishedEndCount: unpublishedEndCount)
  }

  /// Writes a group's frames and performs its other work.
  ///
  /// If the file was replaced or truncated, or if the disk has no space, no frame is written and
  /// the group is refused. If a later call fails, the group has failed: some of its frames may be
  /// written.
  ///
  /// - Parameter whenSynced: A closure that is called after the group is synced, and before its end
  ///   is published.
  func write(
    _ group: CommitGroup, syncs: Bool, clock: any JournalClock, whenSynced: () -> Void
  ) -> CommitQueue.Effect {
    if group.frames.byteCount > 0, let obstacle = prepare(through: group.end.endOffset) {
      return obstacle
    }
    do throws(DiskError) {
      if group.frames.byteCount > 0 {
        // The mark *in use* is written before the first frame. Otherwise the older mark would
        // wrongly prove, after a crash, that the journal was closed. One sync makes the mark and
        // the frames durable.
        if !marks.newest.isInUse { try marks.markInUse(salt: salt, to: file.file) }
        try group.frames.withBytes { (bytes) throws(DiskError) in
          try file.file.writeAll(bytes, at: group.start.endOffset)
        }
      }
      var committed: [UInt8]?
      if syncs {
        file.file.startSync(
          at: group.start.endOffset, byteCount: Int(group.end.endOffset - group.start.endOffset))
        committed = bytesToPublish(group.end)
        try file.file.sync()
      }
      let now = clock.uptimeNanoseconds
      if syncs {
        whenSynced()
        publish(committed)
      }
      if group.work.contains(.close) {
        try markClosed(group.end)
      } else if group.work.contains(.mark), group.end.sequence > marks.newest.sequence {
        try mark(group.end, isInUse: true)
      }
      if group.work.contains(.fill) { fillAhead(of: group.end) }
      return syncs ? .synced(at: now) : .written(at: now)
    } catch {
      return .failed(error)
    }
  }

  /// Checks the file, and reserves space for frames up to an offset.
  ///
  /// - Returns: The effect of a group with these frames, if it cannot be written; otherwise nil.
  func prepare(through endOffset: UInt64) -> CommitQueue.Effect? {
    lastZeroFillFailed = false
    // If the last name of the file was removed, no reader can ever find the frames.
    do throws(DiskError) {
      let status = try file.file.status()
      guard status.linkCount > 0 else { return .refused(.replaced) }
      // If another program has truncated the file, earlier frames may be missing. Readers stop
      // where frames are missing, so they would never return the new frames.
      guard status.byteCount >= filledEnd else { return .refused(.cutShort) }
    } catch {
      return .refused(.system(error))
    }
    do throws(DiskError) {
      try reserve(through: endOffset)
    } catch {
      return CommitWriter.isFull(error) ? .refused(.diskFull) : .failed(error)
    }
    return nil
  }

  /// Continues at the position that recovery found.
  func resume(at end: FramePosition, marks: MarkPair) {
    self.marks = marks
    filledEnd = max(end.endOffset, file.byteCount)
    publish(end)
  }

  /// Continues in a new file. The file is synced, ends with a frame, and both of its marks record
  /// this frame.
  func restart(with new: JournalFile, at end: FramePosition) {
    file = new
    marks = MarkPair(newest: DurableMark(generation: 1, end: end.end))
    filledEnd = new.byteCount
    lastZeroFillFailed = false
    publish(end)
  }

  /// Closes the file that contains the committed end.
  func close() { endFile = nil }

  // MARK: Space

  /// Fills the file with zeros up to an offset and some space after it. The leader calls this
  /// before it writes frames, so that a full disk refuses a whole group and not a part of it.
  private func reserve(through end: UInt64) throws(DiskError) {
    guard end > filledEnd else { return }
    do throws(DiskError) {
      try fill(through: end + ZeroFill.aheadByteCount(endOffset: end))
    } catch {
      guard CommitWriter.isFull(error) else { throw error }
      // The disk may have space for the frames, but not for the zeros after them.
      try fill(through: end)
    }
  }

  /// Preallocates zeros while no append is waiting.
  ///
  /// If an attempt fails, the next attempt is made after the next append. Otherwise the background
  /// work would retry without end.
  private func fillAhead(of end: FramePosition) {
    let ahead = ZeroFill.aheadByteCount(endOffset: end.endOffset)
    do throws(DiskError) { try fill(through: end.endOffset + ahead) } catch {
      lastZeroFillFailed = true
    }
  }

  private func fill(through end: UInt64) throws(DiskError) {
    guard end > filledEnd else { return }
    // The end is rounded up, because file systems allocate whole pages.
    let page = UInt64(JournalLayout.pageByteCount)
    let rounded = (end + page - 1) / page * page
    try ZeroFill.fill(file.file, in: filledEnd..<rounded)
    filledEnd = rounded
    file.grow(to: rounded)
  }

  private static func isFull(_ error: DiskError) -> Bool {
    [Errno.noSpace, Errno.diskQuotaExceeded, Errno.fileTooLarge].contains(error.code)
  }

  // MARK: Publishing the end

  /// Writes marks that are not in use until both mark pages record the end. If they already do,
  /// writes nothing.
  private func markClosed(_ end: FramePosition) throws(DiskError) {
    if marks.newest.isInUse { try mark(end, isInUse: false) }
    if !marks.areEqual { try mark(end, isInUse: false) }
  }

  /// Writes and syncs a mark of the durable end.
  private func mark(_ end: FramePosition, isInUse: Bool) throws(DiskError) {
    try marks.write(end.end, isInUse: isInUse, salt: salt, to: file.file)
  }

  /// Publishes a position, so that other processes may read up to it.
  func publish(_ end: FramePosition) { publish(bytesToPublish(end)) }

  /// Returns the bytes of a new committed end, after opening the file for them if necessary.
  ///
  /// - Returns: The bytes; nil if the file cannot be opened or created.
  private func bytesToPublish(_ end: FramePosition) -> [UInt8]? {
    do throws(DiskError) {
      if try endFile?.status().linkCount == 0 { endFile = nil }
      if endFile == nil { endFile = try openEndFile() }
    } catch {
      failToPublish()
      return nil
    }
    return CommittedEnd(salt: salt, end: end.end).bytes()
  }

  /// Writes the committed end. Other processes may read up to this position.
  private func publish(_ committed: [UInt8]?) {
    guard let committed else { return }
    do throws(DiskError) { try endFile?.writeAll(committed.span.bytes, at: 0) } catch {
      failToPublish()
    }
  }

  /// Records a failure to publish. A failure is harmless, because followers also work without the
  /// file. The next sync opens the file again and retries.
  private func failToPublish() {
    endFile = nil
    unpublishedEndCount += 1
  }

  /// Opens or creates the file for the committed end. The call throws if the file of that name
  /// belongs to a different program, and does not change it.
  private func openEndFile() throws(DiskError) -> any DiskFile {
    do throws(DiskError) {
      let file = try disk.open(location.endPath, for: .readingAndWriting)
      let status = try file.status()
      let foreign = DiskError(.open, path: location.endPath, code: Errno.fileExists)
      guard status.kind == .file, status.byteCount <= UInt64(CommittedEnd.byteCount) else {
        throw foreign
      }
      let bytes = try CopiedImage(file, byteCount: status.byteCount)
        .view(at: 0, atLeast: CommittedEnd.byteCount)
      if CommittedEnd(bytes) != nil { return file }
      guard CommittedEnd.isRemnant(bytes) else { throw foreign }
      // The file is empty or its checksum is wrong, for example after a power loss. The name is
      // removed and not overwritten, because it may be a link to a file of the user.
      try disk.remove(location.endPath)
    } catch {
      guard error.code == Errno.noSuchFile else { throw error as DiskError }
    }
    return try disk.create(location.endPath, permissions: try file.file.status().permissions)
  }
}
