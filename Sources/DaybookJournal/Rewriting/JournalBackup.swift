import DaybookPlatform

/// Copies a journal, up to some transaction, into a new file, while others may append to it.
///
/// The copy is a journal of its own under the same identity, whole and closed. It is written under a
/// temporary name, synced, and only then named, so that a backup that is there is complete.
struct JournalBackup {
  /// The journal, as the caller named it, and where it is.
  var path: String
  var resolvedPath: String
  var file: JournalFile
  var header: JournalHeader
  /// How far it is copied.
  var end: FramePosition

  /// Makes the copy.
  ///
  /// - Parameter progress: Is told how many bytes of how many are copied.
  /// - Throws: ``JournalError`` with `exists` if there is a file of that name, with `damagedFrame`
  ///   if a transaction cannot be read.
  func write(
    to targetPath: String, _ options: JournalOptions,
    progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
  ) throws(JournalError) {
    let target = try JournalPlace(targetPath, on: options.disk)
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

  private func copy(
    to copy: any DiskFile, damage: inout JournalError?,
    progress: (_ done: UInt64, _ all: UInt64) -> Void
  ) throws(DiskError) {
    let beginning = JournalCreation.beginning(header, markedEnd: end.end)
    try copy.writeAll(beginning.span.bytes, at: 0)
    // Each frame is checked on its way, so that damage is not copied as if it were whole.
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

extension FileJournal {
  /// Copies the journal, up to what is durable now, into a new file, while appends go on.
  ///
  /// The copy is a journal of its own under the same identity, whole and closed. A backup that is there is
  /// complete.
  ///
  /// - Returns: The last transaction in the copy.
  /// - Throws: ``JournalError`` with `exists` if there is a file of that name, with `damagedFrame`
  ///   if a transaction cannot be read.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  public func backup(to path: String) throws(JournalError) -> ChainPoint {
    guard !file.isClosed else { throw JournalError(.closed, path: self.path) }
    let end = queue.withLock { $0.durable }
    try JournalBackup(
      path: self.path, resolvedPath: place.resolvedPath, file: file, header: header, end: end
    ).write(to: path, options)
    return end.chain.point
  }
}

extension JournalReader {
  /// Copies the journal, up to the last transaction shown, into a new file, while another process may be
  /// writing it. What a crash left behind that is not copied.
  ///
  /// - Parameter progress: Is told how many bytes of how many are copied.
  /// - Returns: The last transaction in the copy.
  /// - Throws: ``JournalError`` with `damaged` if the journal is: what is intact would be taken for all there
  ///   was; and as ``FileJournal/backup(to:)`` does.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  public func backup(
    to path: String, progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
  ) throws(JournalError) -> ChainPoint {
    if case .damaged(let highest) = report.outcome {
      throw JournalError(
        .damaged(highestSynced: highest), path: self.path, offset: report.endOffset,
        lastReadable: report.lastTransaction)
    }
    var options = JournalOptions()
    options.disk = disk
    try JournalBackup(
      path: self.path, resolvedPath: place.resolvedPath, file: file, header: header, end: end
    ).write(to: path, options, progress: progress)
    return head
  }
}
