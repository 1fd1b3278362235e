import DaybookPlatform

/// Performs the file I/O of the current leader: frames, zeros ahead of them, marks, and the committed end.
//
// Not `Sendable` by nature: only the leader calls it, and leadership passes under the queue's lock.
final class CommitWriter: @unchecked Sendable {
  private let file: JournalFile
  private let place: JournalPlace
  private let disk: any Disk
  private let salt: UInt64
  private(set) var marks: MarkPair
  private var endFile: (any DiskFile)?
  /// Up to where the file is known to hold zeros behind the frames.
  private var filledEnd: UInt64
  /// A Boolean value that indicates whether the last attempt to fill space failed, and nothing was appended after it.
  private var lastZeroFillFailed = false

  /// The number of times that the committed end could not be published. Followers then go by what the journal
  /// proves.
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

  /// Returns the status of the file, whose frames end at a position.
  func status(at end: FramePosition) -> CommitQueue.WriterStatus {
    let ahead = ZeroFill.aheadByteCount(endOffset: end.endOffset)
    // Less than half of the space that ought to lie ahead is little.
    let runsOut = filledEnd < end.endOffset + ahead / 2
    return CommitQueue.WriterStatus(
      marked: marks.newest.sequence, wantsFill: !lastZeroFillFailed && runsOut,
      unpublishedEndCount: unpublishedEndCount)
  }

  /// Writes a group, and does the work that it asks for.
  ///
  /// - Parameter whenSynced: Called once the group is durable, before its end is published.
  func write(
    _ group: CommitGroup, syncs: Bool, clock: any JournalClock, whenSynced: () -> Void
  ) -> CommitQueue.Effect {
    if group.frames.byteCount > 0 {
      lastZeroFillFailed = false
      // A file without a name would take frames that nobody will ever find.
      do throws(DiskError) {
        let status = try file.file.status()
        guard status.linkCount > 0 else { return .refused(.replaced) }
        // Frames behind a gap that someone else has cut would never be found either.
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
        // Before the first frame that could be lost without it, and synced with that frame.
        if !marks.newest.isInUse { try marks.beginUse(salt: salt, to: file.file) }
        try group.frames.withBytes { (bytes) throws(DiskError) in
          try file.file.writeAll(bytes, at: group.start.endOffset)
        }
      }
      var committed: [UInt8]?
      if syncs {
        file.file.beginSync(
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

  /// Goes on at the place where recovery ended.
  func resume(at end: FramePosition, marks: MarkPair) {
    self.marks = marks
    filledEnd = max(end.endOffset, file.byteCount)
    publish(end)
  }

  /// Gives back the descriptor of the file that the end is published in.
  func close() { endFile = nil }

  // MARK: Space

  /// Makes sure that the file has room up to an offset before a byte of a frame is written.
  private func reserve(through end: UInt64) throws(DiskError) {
    guard end > filledEnd else { return }
    do throws(DiskError) {
      try fill(through: end + ZeroFill.aheadByteCount(endOffset: end))
    } catch {
      guard CommitWriter.isFull(error) else { throw error }
      // There may be room for the frames, if not for the space ahead of them.
      try fill(through: end)
    }
  }

  /// Fills space ahead while nobody waits. If there is none, it is not asked for again before
  /// someone appends: whoever tends the journal would do nothing else.
  private func fillAhead(of end: FramePosition) {
    let ahead = ZeroFill.aheadByteCount(endOffset: end.endOffset)
    do throws(DiskError) { try fill(through: end.endOffset + ahead) } catch {
      lastZeroFillFailed = true
    }
  }

  private func fill(through end: UInt64) throws(DiskError) {
    guard end > filledEnd else { return }
    // Whole pages, as that is what a file system gives out.
    let page = UInt64(JournalLayout.pageByteCount)
    let rounded = (end + page - 1) / page * page
    try ZeroFill.fill(file.file, in: filledEnd..<rounded)
    filledEnd = rounded
    file.grow(to: rounded)
  }

  private static func isFull(_ error: DiskError) -> Bool {
    [Errno.noSpace, Errno.diskQuotaExceeded, Errno.fileTooLarge].contains(error.code)
  }

  // MARK: Telling of the end

  /// Marks the end in both pages, unless nothing has been appended since they were.
  private func markClosed(_ end: FramePosition) throws(DiskError) {
    if marks.newest.isInUse { try mark(end, isInUse: false) }
    if !marks.bothTell { try mark(end, isInUse: false) }
  }

  /// Writes and syncs a mark of what has been synced.
  private func mark(_ end: FramePosition, isInUse: Bool) throws(DiskError) {
    try marks.write(end.end, isInUse: isInUse, salt: salt, to: file.file)
  }

  /// Tells other processes how far they may read.
  func publish(_ end: FramePosition) { publish(bytesToPublish(end)) }

  /// Has the file at hand that the end is published in.
  ///
  /// - Returns: What is to be written to it; nil if there is no such file.
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

  /// Tells other processes how far they may read.
  private func publish(_ committed: [UInt8]?) {
    guard let committed else { return }
    do throws(DiskError) { try endFile?.writeAll(committed.span.bytes, at: 0) } catch {
      failToPublish()
    }
  }

  /// The file is derived: followers do without it. The next sync tries again, with a new opening.
  private func failToPublish() {
    endFile = nil
    unpublishedEndCount += 1
  }

  /// The file that the end is published in. One of that name that is something else is left alone.
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
      // What a power loss has left of one is not written over, as its name may lead elsewhere.
      try disk.remove(place.endPath)
    } catch {
      guard error.code == Errno.noSuchFile else { throw error as DiskError }
    }
    return try disk.create(place.endPath, permissions: try file.file.status().permissions)
  }
}
