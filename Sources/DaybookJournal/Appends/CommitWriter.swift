import DaybookPlatform

/// The file I/O of the current leader: it writes frames, preallocated zeros, durability marks, and
/// the committed end.
//
// The type itself is not safe to share. Only the leader calls it, and leadership passes under the
// queue's lock.
final class CommitWriter: @unchecked Sendable {
  private let file: JournalFile
  private let place: JournalPlace
  private let disk: any Disk
  private let salt: UInt64
  private(set) var marks: MarkPair
  private var endFile: (any DiskFile)?
  /// The end of the zeros that the file is known to contain after the frames.
  private var filledEnd: UInt64
  /// A Boolean value that indicates whether the last attempt to preallocate zeros failed, with no
  /// append after it.
  private var lastZeroFillFailed = false

  /// The number of times that the committed end could not be published. Followers then rely on the
  /// proof in the journal itself.
  private var unpublishedEndCount = 0

  init(
    file: JournalFile, place: JournalPlace, disk: any Disk, salt: UInt64, marks: MarkPair
  ) {
    self.file = file
    self.place = place
    self.disk = disk
    self.marks = marks
    self.salt = salt
    filledEnd = file.byteCount
  }

  /// Returns the status of the file when its frames end at a position.
  func status(at end: FramePosition) -> CommitQueue.WriterStatus {
    let ahead = ZeroFill.aheadByteCount(endOffset: end.endOffset)
    // The space is running out when less than half of the preallocation is left.
    let runsOut = filledEnd < end.endOffset + ahead / 2
    return CommitQueue.WriterStatus(
      marked: marks.newest.sequence, wantsFill: !lastZeroFillFailed && runsOut,
      unpublishedEndCount: unpublishedEndCount)
  }

  /// Writes a group's frames and performs its other work.
  ///
  /// - Parameter whenSynced: A closure that is called once the group is durable, before its end is
  ///   published.
  func write(
    _ group: CommitGroup, syncs: Bool, clock: any JournalClock, whenSynced: () -> Void
  ) -> CommitQueue.Effect {
    if group.frames.byteCount > 0 {
      lastZeroFillFailed = false
      // If the file has no name, no reader can ever find the frames.
      do throws(DiskError) {
        let status = try file.file.status()
        guard status.linkCount > 0 else { return .refused(.replaced) }
        // If another program has shortened the file, the frames would follow a gap and be lost too.
        guard status.byteCount >= filledEnd else { return .refused(.cutShort) }
      } catch {
        return .refused(.system(error))
      }
      do throws(DiskError) {
        try reserve(through: group.end.endOffset)
      } catch {
        return CommitWriter.isFull(error) ? .refused(.diskFull) : .failed(error)
      }
    }
    do throws(DiskError) {
      if group.frames.byteCount > 0 {
        // The mark "in use" is written before the first frame that could be lost without it. One
        // sync makes both durable.
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

  /// Resumes writing at the end of recovery.
  func resume(at end: FramePosition, marks: MarkPair) {
    self.marks = marks
    filledEnd = max(end.endOffset, file.byteCount)
    publish(end)
  }

  /// Closes the file of the committed end.
  func close() { endFile = nil }

  // MARK: Space

  /// Reserves space in the file up to an offset, before a byte of a frame is written.
  private func reserve(through end: UInt64) throws(DiskError) {
    guard end > filledEnd else { return }
    do throws(DiskError) {
      try fill(through: end + ZeroFill.aheadByteCount(endOffset: end))
    } catch {
      guard CommitWriter.isFull(error) else { throw error }
      // The disk may have room for the frames, even if it has none for the space after them.
      try fill(through: end)
    }
  }

  /// Preallocates zeros while no append is waiting.
  ///
  /// If the disk has no space, the next attempt waits for an append. Otherwise the background work
  /// would do nothing but retry.
  private func fillAhead(of end: FramePosition) {
    let ahead = ZeroFill.aheadByteCount(endOffset: end.endOffset)
    do throws(DiskError) { try fill(through: end.endOffset + ahead) } catch {
      lastZeroFillFailed = true
    }
  }

  private func fill(through end: UInt64) throws(DiskError) {
    guard end > filledEnd else { return }
    // File systems allocate whole pages.
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

  /// Writes the end to both mark pages, unless nothing was appended after the last time.
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

  /// Opens the file of the committed end, if it is not open.
  ///
  /// - Returns: The bytes to write to the file; nil if it is not available.
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

  /// Writes the bytes that tell other processes how far they may read.
  private func publish(_ committed: [UInt8]?) {
    guard let committed else { return }
    do throws(DiskError) { try endFile?.writeAll(committed.span.bytes, at: 0) } catch {
      failToPublish()
    }
  }

  /// Records a failure to publish. The file is derived, so followers work without it. The next sync
  /// opens it again and retries.
  private func failToPublish() {
    endFile = nil
    unpublishedEndCount += 1
  }

  /// Opens or creates the file of the committed end. A file of that name with other contents is
  /// left alone.
  private func openEndFile() throws(DiskError) -> any DiskFile {
    do throws(DiskError) {
      let file = try disk.open(place.endPath, for: .readingAndWriting)
      let status = try file.status()
      let isEnd = status.byteCount == 0 || status.byteCount == UInt64(CommittedEnd.byteCount)
      guard status.kind == .file, isEnd else {
        throw DiskError(.open, path: place.endPath, code: Errno.fileExists)
      }
      let bytes = try CopiedImage(file, byteCount: status.byteCount)
        .view(at: 0, atLeast: CommittedEnd.byteCount)
      if CommittedEnd(bytes) != nil { return file }
      // A power loss has left the file incomplete. It is removed, not overwritten, as the name may
      // be a link to another file.
      try disk.remove(place.endPath)
    } catch {
      guard error.code == Errno.noSuchFile else { throw error as DiskError }
    }
    return try disk.create(place.endPath, permissions: try file.file.status().permissions)
  }
}
