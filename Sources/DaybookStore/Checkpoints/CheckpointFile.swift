import DaybookJournal
import DaybookPlatform

/// The functions that write and read the file of a checkpoint. ``CheckpointHead`` describes the
/// format.
enum CheckpointFile {
  // MARK: Writing

  /// Writes a checkpoint to a file. Copies the pages of its state from a page space.
  ///
  /// - Returns: The size of the file in bytes.
  /// - Complexity: O(*n*) in the number of pages, with 64 KiB of memory
  @discardableResult
  static func write(
    _ checkpoint: Checkpoint, pages space: PageSpace, to file: any DiskFile
  ) throws(DiskError) -> Int {
    // The roots in the file contain the numbers of the copied pages. Every page number has the same
    // size, so the offset of the pages is known before the copy.
    let rootsByteCount = checkpoint.rootsBytes(checkpoint.state).count
    let salt = checkpoint.moment.salt
    var copy = PageCopy(
      of: space, to: file,
      at: UInt64(CheckpointHead.pagesOffset(rootsByteCount: rootsByteCount)), seed: salt)
    var state = checkpoint.state
    for index in state.tables.indices {
      state.tables[index] = try state.tables[index].copied(to: &copy)
    }
    state.references = RowIndex(try state.references.tree.copied(to: &copy))
    state.unique = RowIndex(try state.unique.tree.copied(to: &copy))
    try copy.finish()
    var checks = RowBuffer()
    for checksum in copy.checks { checks.append(checksum) }
    try file.writeAll(checks.bytes.span.bytes, at: copy.offset)

    let roots = checkpoint.rootsBytes(state)
    precondition(
      roots.count == rootsByteCount,
      "expected \(rootsByteCount) bytes of roots, found \(roots.count)")
    let head = CheckpointHead(
      moment: checkpoint.moment, time: state.time,
      lastFrameOffset: checkpoint.start.lastFrameOffset,
      endOffset: checkpoint.start.end.endOffset, rootsByteCount: roots.count,
      rootsCheck: XXH64.checksum(roots.span.bytes, seed: salt), pageCount: copy.pageCount,
      checksCheck: XXH64.checksum(checks.bytes.span.bytes, seed: salt))
    try file.writeAll((head.bytes + roots).span.bytes, at: 0)
    return head.fileByteCount
  }

  // MARK: Reading

  /// A checkpoint that was read from a file. Its pages are in a space of their own, which maps the
  /// file.
  struct Opened {
    var checkpoint: Checkpoint
    var space: PageSpace
    /// The number of pages, including page 0. The number 0 means "no page", so this page contains
    /// only zeros.
    var pageCount: Int
    /// The size of the file in bytes.
    var byteCount: Int
  }

  /// Returns the newest valid checkpoint beside a journal; nil if no file has one.
  ///
  /// An invalid checkpoint is ignored, because the journal contains all of its data.
  ///
  /// - Parameter fits: A closure that returns whether the journal contains the transaction of a
  ///   checkpoint.
  static func newest(
    beside files: DerivedFiles, of header: JournalHeader, fits: (JournalStart) -> Bool
  ) -> Opened? {
    for candidate in heads(beside: files, of: header) {
      if let opened = try? open(candidate.head, in: candidate.file),
        opened.checkpoint.base == header.base.sequence, fits(opened.checkpoint.start)
      {
        return opened
      }
    }
    return nil
  }

  /// Returns the checkpoint in a file, or the reason why an opening does not use it.
  static func opened(
    _ file: any DiskFile, byteCount: UInt64, of header: JournalHeader,
    fits: (JournalStart) -> Bool
  ) throws(DiskError) -> Result<Opened, CheckpointDefect> {
    guard let head = try head(file, byteCount: byteCount) else { return .failure(.damaged) }
    guard head.moment.identity == header.identity, head.moment.salt == header.salt else {
      return .failure(.otherJournal)
    }
    guard let opened = try open(head, in: file) else { return .failure(.damaged) }
    return opened.checkpoint.base == header.base.sequence && fits(opened.checkpoint.start)
      ? .success(opened) : .failure(.otherHistory)
  }

  /// Returns the index of the file name for the next checkpoint. This is a name without a
  /// checkpoint of this journal, or else the name of the older checkpoint.
  static func olderName(beside files: DerivedFiles, of header: JournalHeader) -> Int {
    let heads = heads(beside: files, of: header)
    return DerivedFiles.checkpointNames.indices.first { index in
      !heads.contains { $0.index == index }
    } ?? heads.last?.index ?? 0
  }

  /// Returns the file headers of the journal's checkpoints, the newest first.
  private static func heads(
    beside files: DerivedFiles, of header: JournalHeader
  ) -> [(index: Int, head: CheckpointHead, file: any DiskFile)] {
    var found: [(index: Int, head: CheckpointHead, file: any DiskFile)] = []
    for (index, name) in DerivedFiles.checkpointNames.enumerated() {
      guard let opened = try? files.open(name),
        let head = try? head(opened.file, byteCount: opened.byteCount),
        head.moment.identity == header.identity, head.moment.salt == header.salt
      else { continue }
      found.append((index, head, opened.file))
    }
    return found.sorted { $0.head.moment.sequence > $1.head.moment.sequence }
  }

  /// Returns the header of a checkpoint file; nil if the header is invalid.
  static func head(
    _ file: any DiskFile, byteCount: UInt64
  ) throws(DiskError) -> CheckpointHead? {
    CheckpointHead(
      try file.bytes(at: 0, count: CheckpointHead.byteCount), fileByteCount: byteCount)
  }

  /// Reads a checkpoint after verifying the checksums of all its bytes.
  ///
  /// - Returns: Nil if a checksum is wrong, or if the file has more pages than can be mapped.
  /// - Throws: ``DiskError`` also if the disk cannot map files.
  /// - Complexity: O(*n*) in the size of the file, with 64 KiB of memory in addition to the roots
  static func open(
    _ head: CheckpointHead, in file: any DiskFile
  ) throws(DiskError) -> Opened? {
    guard head.pageCount <= PageSpace.mappedPageCountMax else { return nil }
    let salt = head.moment.salt
    let roots = try file.bytes(
      at: UInt64(CheckpointHead.byteCount), count: head.rootsByteCount)
    guard XXH64.checksum(roots.span.bytes, seed: salt) == head.rootsCheck,
      let checkpoint = Checkpoint(head, roots: roots)
    else { return nil }
    let checks = try file.bytes(at: UInt64(head.checksOffset), count: head.checkCount * 8)
    guard XXH64.checksum(checks.span.bytes, seed: salt) == head.checksCheck,
      try hasPages(head, in: file, checks: checks)
    else { return nil }
    // The verification has loaded the pages into the system's page cache. The mapping uses that
    // memory, so it does not read the disk again.
    let mapping = try file.map(byteCount: head.fileByteCount)
    return Opened(
      checkpoint: checkpoint,
      space: PageSpace(over: mapping.view(head.pagesOffset..<head.checksOffset)),
      pageCount: head.pageCount, byteCount: head.fileByteCount)
  }

  /// Returns whether the checksums of the pages are correct.
  private static func hasPages(
    _ head: CheckpointHead, in file: any DiskFile, checks: [UInt8]
  ) throws(DiskError) -> Bool {
    var piece = [UInt8](repeating: 0, count: PageCopy.pieceByteCount)
    for index in 0..<head.checkCount {
      let offset = head.pagesOffset + index * PageCopy.pieceByteCount
      let count = min(PageCopy.pieceByteCount, head.checksOffset - offset)
      guard try read(file, at: offset, count: count, into: &piece) == count,
        XXH64.checksum(piece.span.bytes.extracting(0..<count), seed: head.moment.salt)
          == checks.span.bytes.number(at: index * 8, as: UInt64.self)
      else { return false }
      // Page 0 means "no page", so all of its bytes must be zeros.
      if index == 0, piece.prefix(PageSpace.pageByteCount).contains(where: { $0 != 0 }) {
        return false
      }
    }
    return true
  }

  private static func read(
    _ file: any DiskFile, at offset: Int, count: Int, into bytes: inout [UInt8]
  ) throws(DiskError) -> Int {
    var span = bytes.mutableSpan
    var room = span.mutableBytes
    var part = room._mutatingExtracting(0..<count)
    return try file.readAll(at: UInt64(offset), into: &part)
  }
}

/// The reason why an opening does not use a checkpoint.
enum CheckpointDefect: Error, CustomStringConvertible {
  case damaged, otherJournal, otherHistory

  var description: String {
    switch self {
    case .damaged: "it is damaged or has a different format"
    case .otherJournal:
      "it belongs to a different journal, or to this one before it dropped history"
    case .otherHistory: "it belongs to a transaction that is not in the journal"
    }
  }
}
