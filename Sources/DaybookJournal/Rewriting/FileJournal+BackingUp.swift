import Glibc

extension FileJournal {
  /// Copies the journal, up to what is durable now, into a new file, while appends go on.
  ///
  /// The copy is a journal of its own under the same identity, whole and closed. It is written
  /// under a temporary name, synced, and only then named, so that a backup that is there is
  /// complete.
  ///
  /// - Returns: The last transaction in the copy.
  /// - Throws: ``JournalError`` with `exists` if there is a file of that name.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  public func backup(to path: String) throws(JournalError) -> JournalHead {
    let end = state.withLock { $0.durable }
    let target = try JournalPlace(path, on: options.disk)
    let made = try JournalError.translating(path) { () throws(DiskError) in
      try JournalCreation.write(
        at: target, options, permissions: try file.file.status().permissions
      ) { (copy) throws(DiskError) in
        try self.copy(through: end, to: copy)
      } named: { (newPath) throws(DiskError) in
        try JournalCreation.link(newPath, to: target, on: options.disk)
      }
    }
    guard made != nil else { throw JournalError(.exists, path: path) }
    return end.head
  }

  private func copy(through end: FramePosition, to copy: any DiskFile) throws(DiskError) {
    let beginning = JournalCreation.beginning(
      header, markedEnd: end.endOffset, markedCheck: end.chain.check,
      markedSequence: end.sequence)
    try copy.writeAll(beginning.span.bytes, at: 0)
    // Each frame is checked on its way, so that damage is not copied as if it were whole.
    var reader = FrameReader(file, header: header, endOffset: end.endOffset)
    var copied = JournalLayout.firstFrameOffset
    while reader.offset < end.endOffset {
      guard try reader.advance() else {
        throw DiskError(.read, path: place.resolvedPath, code: EIO)
      }
      let isLast = reader.offset == end.endOffset
      if isLast || reader.offset - copied >= 1 << 20 {
        try copyBytes(copied..<reader.offset, to: copy)
        copied = reader.offset
      }
    }
  }

  private func copyBytes(_ range: Range<UInt64>, to copy: any DiskFile) throws(DiskError) {
    let view = try file.view(at: range.lowerBound, atLeast: range.count)
    guard view.count >= range.count else {
      throw DiskError(.read, path: place.resolvedPath, code: EIO)
    }
    try view[0..<range.count].withSpan { (bytes) throws(DiskError) in
      try copy.writeAll(bytes, at: range.lowerBound)
    }
  }
}
