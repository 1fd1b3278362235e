import DaybookPlatform

/// The changes that a recovery makes to a journal file, after ``RecoveryDecision`` has found it
/// clean or torn.
///
/// If a crash interrupts these steps anywhere, the next recovery can complete them:
///
/// 1. If the journal is torn: copy the torn bytes to a side file, and sync the side file and its
///    directory.
/// 2. If the journal is torn: write zeros over everything after the intact frames.
/// 3. Write the intact frames after the proven position again, because nothing proves that these
///    frames are on disk. The proven position is the end that the newest mark records.
/// 4. Sync the file, if step 2 or 3 wrote anything.
/// 5. Write a mark, if step 3 wrote anything, a mark is unreadable, or the newest mark is in use.
struct Recovery {
  let location: JournalLocation
  let disk: any Disk
  let file: JournalFile

  /// The number of bytes that are copied in one call.
  private static let pieceByteCount = 256 << 10

  /// Recovers the file. After the call, all intact frames are synced, a mark records their end, and
  /// only zeros follow the frames.
  func perform(
    _ journal: EvidentJournal, from provenOffset: UInt64, tornEndOffset: UInt64?
  ) throws(DiskError) -> (report: RecoveryReport, marks: MarkPair) {
    let intact = journal.intact
    var outcome = RecoveryReport.Outcome.clean
    if let tornEndOffset {
      let torn = intact.endOffset..<tornEndOffset
      let side = try saveCopy(torn, after: intact.sequence)
      try zero(intact.endOffset..<file.byteCount)
      outcome = .torn(byteCount: UInt64(torn.count), copiedTo: side)
    }
    try rewrite(provenOffset..<intact.endOffset)

    var marks = MarkPair(journal.marks)
    let isUnproven = provenOffset < intact.endOffset
    if isUnproven || tornEndOffset != nil { try file.file.sync() }
    if isUnproven || !journal.pages.badMarkOffsets.isEmpty || marks.newest.isInUse {
      try marks.write(
        intact.position.end, isInUse: false, salt: journal.header.salt, to: file.file)
    }
    var report = RecoveryReport(path: location.path, outcome: outcome, journal: journal)
    report.rewrittenByteCount = intact.endOffset - min(provenOffset, intact.endOffset)
    return (report, marks)
  }

  /// Copies the torn bytes to a side file, before zeros overwrite them. No program reads the side
  /// file; it is for the user.
  private func saveCopy(
    _ range: Range<UInt64>, after sequence: SequenceNumber
  ) throws(DiskError) -> String {
    let permissions = try file.file.status().permissions
    var attempt = 0
    while true {
      let path = location.tornPath(after: sequence, attempt: attempt)
      do throws(DiskError) {
        let side = try disk.create(path, permissions: permissions)
        do throws(DiskError) {
          try copy(range, to: side)
          try side.barrier()
          try disk.syncDirectory(location.directory)
        } catch {
          // The torn bytes are still in the journal, so the incomplete copy is removed. Otherwise
          // each attempt would leave a file.
          try? disk.remove(path)
          throw error
        }
        return path
      } catch {
        guard error.operation == .create, error.code == Errno.fileExists else { throw error }
        attempt += 1
      }
    }
  }

  private func copy(_ range: Range<UInt64>, to side: any DiskFile) throws(DiskError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let view = try piece(offset..<range.upperBound)
      try view.withSpan { (bytes) throws(DiskError) in
        try side.writeAll(bytes, at: offset - range.lowerBound)
      }
      offset += UInt64(view.count)
    }
  }

  /// Writes bytes again to the same position of the file.
  ///
  /// After a failed sync, the system may treat bytes in its page cache as written although they are
  /// not on disk. A later sync would then not write them. Writing the bytes again makes the next
  /// sync write them to disk.
  private func rewrite(_ range: Range<UInt64>) throws(DiskError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let view = try piece(offset..<range.upperBound)
      // The view may be a mapping of the pages that the call overwrites, so the bytes are copied
      // first.
      let copy = view.copy()
      try file.file.writeAll(copy.span.bytes, at: offset)
      offset += UInt64(copy.count)
    }
  }

  private func zero(_ range: Range<UInt64>) throws(DiskError) {
    try ZeroFill.fill(file.file, in: range)
  }

  private func piece(_ range: Range<UInt64>) throws(DiskError) -> ByteView {
    let byteCount = Int(min(UInt64(Recovery.pieceByteCount), UInt64(range.count)))
    let view = try file.view(at: range.lowerBound, atLeast: byteCount)
    guard view.count >= byteCount else {
      // The decision has read these bytes, so a shorter file is an error.
      throw DiskError(.read, path: location.resolvedPath, code: Errno.inputOutputError)
    }
    return view[0..<byteCount]
  }
}
