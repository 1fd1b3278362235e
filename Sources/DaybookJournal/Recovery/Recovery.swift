import DaybookPlatform

/// Doing to a journal file what the decision about it asks for.
///
/// In this order, so that a crash between any two steps leaves what another recovery deals with:
/// the torn bytes go to a file of their own and are synced there; zeros go over everything behind
/// the intact frames; the intact frames that nothing proves to be on disk are written again in
/// place; one sync makes both true; then the mark tells of it.
struct Recovery {
  let place: JournalPlace
  let disk: any Disk
  let file: JournalFile

  /// How many bytes are copied or zeroed in one call.
  private static let pieceByteCount = 256 << 10

  /// Makes the file end with its intact frames, all of them synced and marked.
  func settle(
    _ journal: EvidentJournal, from provenOffset: UInt64, tornEndOffset: UInt64?
  ) throws(DiskError) -> (report: RecoveryReport, marks: MarkPair) {
    let intact = journal.intact
    var outcome = RecoveryReport.Outcome.clean
    if let tornEndOffset {
      let torn = intact.endOffset..<tornEndOffset
      let side = try keep(torn, after: intact.sequence)
      try zero(intact.endOffset..<file.byteCount)
      outcome = .torn(byteCount: UInt64(torn.count), keptIn: side)
    }
    try rewrite(provenOffset..<intact.endOffset)

    var marks = MarkPair(journal.marks)
    let isUnproven = provenOffset < intact.endOffset
    if isUnproven || tornEndOffset != nil { try file.file.sync() }
    if isUnproven || !journal.pages.badMarkOffsets.isEmpty || marks.newest.isInUse {
      try marks.write(
        intact.position.end, isInUse: false, salt: journal.header.salt, to: file.file)
    }
    var report = RecoveryReport(path: place.path, outcome: outcome, journal: journal)
    report.rewrittenByteCount = intact.endOffset - min(provenOffset, intact.endOffset)
    return (report, marks)
  }

  /// Keeps bytes that are about to be cut, in a file that nobody but people reads.
  private func keep(
    _ range: Range<UInt64>, after sequence: SequenceNumber
  ) throws(DiskError) -> String {
    let permissions = try file.file.status().permissions
    var attempt = 0
    while true {
      let path = place.tornPath(after: sequence, attempt: attempt)
      do throws(DiskError) {
        let side = try disk.create(path, permissions: permissions)
        do throws(DiskError) {
          try copy(range, to: side)
          try side.barrier()
          try disk.syncDirectory(place.directory)
        } catch {
          // The bytes are still where they were. Half a copy of them, left at each attempt, is no
          // use.
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

  /// Writes bytes that were read from the page cache back to where they came from. After a sync
  /// that failed, or a process that ended before its sync, the system may believe them to be on
  /// disk when they are not; now it must write them.
  private func rewrite(_ range: Range<UInt64>) throws(DiskError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let view = try piece(offset..<range.upperBound)
      // From a copy, not from the mapping: the pages read are the pages written.
      let copy = view.copy()
      try file.file.writeAll(copy.span.bytes, at: offset)
      offset += UInt64(copy.count)
    }
  }

  private func zero(_ range: Range<UInt64>) throws(DiskError) {
    try ZeroFill.fill(file.file, in: range)
  }

  private func piece(_ range: Range<UInt64>) throws(DiskError) -> ByteView {
    let wanted = Int(min(UInt64(Recovery.pieceByteCount), UInt64(range.count)))
    let view = try file.view(at: range.lowerBound, atLeast: wanted)
    guard view.count >= wanted else {
      // The bytes were there when the decision was made.
      throw DiskError(.read, path: place.resolvedPath, code: Errno.inputOutputError)
    }
    return view[0..<wanted]
  }
}
