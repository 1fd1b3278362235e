extension FileJournal {
  /// Returns the state at the start of a compacted journal: the payloads of its base. The array is
  /// empty if the journal has its whole history.
  public func base() throws(JournalError) -> [ByteView] {
    try BaseReader.read(file, header: header, path: path)
  }

  /// Returns a reader of the durable transactions, in order, up to the head at the time of the
  /// call.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first requested
  ///   transaction.
  /// - Complexity: O(log *n*) to find the start, then at most 64 KiB of frames are skipped.
  public func transactions(
    from first: SequenceNumber
  ) throws(JournalError) -> TransactionReader {
    let (reader, last, _) = frames(from: first)
    return try TransactionReader(
      reader, from: first, through: last, base: header.base.sequence, path: path)
  }

  /// Returns a reader of the durable frames, for replay. It starts at or before a transaction. The
  /// caller reads each payload in place, and no value is created for it.
  package func frames(
    from first: SequenceNumber
  ) -> (reader: FrameReader, last: SequenceNumber, endOffset: UInt64) {
    let (durable, entry) = queue.withLock { ($0.durable, $0.index.entry(before: first)) }
    let reader = FrameReader(
      file, header: header, beginningAt: entry, endOffset: durable.endOffset)
    return (reader, durable.sequence, durable.endOffset)
  }

  /// Returns the end position of a durable transaction or of the base; nil if the journal does not
  /// contain it.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if the transaction is not readable.
  /// - Complexity: O(log *n*) to find the start, then at most 64 KiB of frames are read.
  package func position(
    after sequence: SequenceNumber
  ) throws(JournalError) -> FramePosition? {
    var (reader, last, _) = frames(from: sequence)
    guard sequence >= header.base.sequence, sequence <= last else { return nil }
    return try reader.advance(past: sequence, path: path)
  }

  /// Returns the facts for opening the journal without reading anything before the end of a durable
  /// transaction. Nil if the journal does not contain the transaction, or contains it only as part
  /// of its base.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if the transaction is not readable.
  /// - Complexity: O(*n*) in the number of 64 KiB pieces of the file
  package func start(after sequence: SequenceNumber) throws(JournalError) -> JournalStart? {
    var (reader, last, _) = frames(from: sequence)
    guard sequence > header.base.sequence, sequence <= last else { return nil }
    let end = try reader.advance(past: sequence, path: path)
    var index = queue.withLock { $0.index }
    index.cut(at: end.endOffset + 1)
    return JournalStart(end: end, lastFrameOffset: reader.headerOffset, index: index)
  }

  /// Creates a follower that starts after a transaction that was read earlier, or at the start of
  /// the journal.
  public func follow(after last: ChainPoint? = nil) throws(JournalError) -> any JournalFollower {
    // The resolved path is used, as links and the working directory may have changed.
    try FileFollower(
      at: place.resolvedPath, after: last, on: options.disk, reading: options.reading)
  }
}
