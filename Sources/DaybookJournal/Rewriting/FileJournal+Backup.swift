import DaybookPlatform

extension FileJournal {
  /// Copies the journal into a new file, up to the head at the time of the call. Appends may
  /// continue meanwhile.
  ///
  /// The copy is an independent journal with the identity of the original. The copy is whole and
  /// closed. The copy gets its name after it is synced, so a file with the name of the backup is
  /// complete.
  ///
  /// - Returns: The last transaction in the copy.
  /// - Throws: ``JournalError`` with `exists` if a file of that name exists, with `damagedFrame` if
  ///   a transaction is not readable.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  public func backup(to path: String) throws(JournalError) -> ChainPoint {
    while true {
      let (file, header, end) = durableFile
      do throws(JournalError) {
        guard !file.isClosed else { throw JournalError(.closed, path: self.path) }
        try JournalBackup(
          path: self.path, resolvedPath: location.resolvedPath, file: file, header: header, end: end
        ).write(to: path, options)
        return end.chain.point
      } catch {
        // A restart of a replica replaces the file and closes it. The new file is copied then.
        guard file.isClosed, file !== self.file else { throw error }
      }
    }
  }
}

extension JournalReader {
  /// Copies the journal into a new file, up to the last visible transaction. A different process
  /// may write to the journal meanwhile. Bytes that a crash left after the last visible transaction
  /// are not copied.
  ///
  /// - Parameters:
  ///   - path: The path of the new file.
  ///   - progress: A closure that is called with the number of copied bytes and the total number.
  /// - Returns: The last transaction in the copy.
  /// - Throws: ``JournalError`` with `damaged` if the journal is damaged, because a copy would hide
  ///   the loss; also the errors of ``FileJournal/backup(to:)``.
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
      path: self.path, resolvedPath: location.resolvedPath, file: file, header: header, end: end
    ).write(to: path, options, progress: progress)
    return head
  }
}
