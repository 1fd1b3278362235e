import DaybookPlatform

/// A copy of a journal, up to some transaction, into a new file. Appends may continue meanwhile.
///
/// The copy is an independent journal with the identity of the original. The copy is whole, and its
/// marks record that it was closed. The copy is written under a temporary name, synced, and then
/// renamed. So a file with the name of the backup is complete.
struct JournalBackup {
  /// The path of the journal as the caller passed it. ``resolvedPath`` is the same path with all
  /// symbolic links resolved.
  var path: String
  var resolvedPath: String
  var file: JournalFile
  var header: JournalHeader
  /// The end of the copied frames.
  var end: FramePosition

  /// Writes the copy.
  ///
  /// - Parameters:
  ///   - path: The path of the new file.
  ///   - progress: A closure that is called with the number of copied bytes and the total number.
  /// - Throws: ``JournalError`` with `exists` if a file of that name exists, with `damagedFrame` if
  ///   a transaction is not readable.
  func write(
    to targetPath: String, _ options: JournalOptions,
    progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
  ) throws(JournalError) {
    let target = try JournalLocation(targetPath, on: options.disk)
    var damage: JournalError?
    let made: (any DiskFile)?
    do {
      made = try JournalCreation.write(
        at: target, options, permissions: try file.file.status().permissions
      ) { (copy) throws(DiskError) in
        try self.copy(to: copy, damage: &damage, progress: progress)
      } named: { (newPath) throws(DiskError) in
        try JournalCreation.link(newPath, to: target, on: options.disk)
      }
    } catch {
      throw damage ?? JournalError(error, path: targetPath)
    }
    guard made != nil else { throw JournalError(.exists, path: targetPath) }
  }

  /// Writes the pages and the frames of the copy to an empty file.
  func copy(
    to copy: any DiskFile, damage: inout JournalError?,
    progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
  ) throws(DiskError) {
    let beginning = JournalCreation.beginning(header, markedEnd: end.end)
    try copy.writeAll(beginning.span.bytes, at: 0)
    // Each frame is verified before it is copied, so that a backup contains no damaged frame.
    var reader = FrameReader(file, header: header, endOffset: end.endOffset)
    var copied = JournalLayout.firstFrameOffset
    while reader.offset < end.endOffset {
      guard try reader.advance() else {
        damage = JournalError(
          .damagedFrame, path: path, offset: reader.offset,
          lastReadable: reader.chain.isPastBase ? reader.chain.sequence : .zero)
        throw DiskError(.read, path: resolvedPath, code: Errno.inputOutputError)
      }
      let isLast = reader.offset == end.endOffset
      if isLast || reader.offset - copied >= 1 << 20 {
        try copyBytes(copied..<reader.offset, to: copy)
        copied = reader.offset
        progress(copied, end.endOffset)
      }
    }
  }

  private func copyBytes(_ range: Range<UInt64>, to copy: any DiskFile) throws(DiskError) {
    let view = try file.view(at: range.lowerBound, atLeast: range.count)
    guard view.count >= range.count else {
      throw DiskError(.read, path: resolvedPath, code: Errno.inputOutputError)
    }
    try view[0..<range.count].withSpan { (bytes) throws(DiskError) in
      try copy.writeAll(bytes, at: range.lowerBound)
    }
  }
}
