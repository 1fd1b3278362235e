extension FileJournal {
  /// The state that a compacted journal begins with: the payloads of its base, none if history is
  /// whole.
  public func base() throws(JournalError) -> [ByteView] {
    try BaseReader.read(file, header: header, path: path)
  }

  /// Reads durable transactions in order, as many as there are now.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first one asked for.
  /// - Complexity: O(log *n*) to begin, and at most 64 KiB to pass over.
  public func transactions(
    from first: SequenceNumber
  ) throws(JournalError) -> TransactionReader {
    let (reader, last, _) = frames(from: first)
    return try TransactionReader(
      reader, from: first, through: last, base: header.base.sequence, path: path)
  }

  /// The durable frames from a place at or before a transaction on, for replay: the payload of each
  /// is looked at in place, without a value made for it.
  package func frames(
    from first: SequenceNumber
  ) -> (reader: FrameReader, last: SequenceNumber, endOffset: UInt64) {
    let (durable, entry) = queue.withLock { ($0.durable, $0.index.entry(before: first)) }
    let reader = FrameReader(
      file, header: header, beginningAt: entry, endOffset: durable.endOffset)
    return (reader, durable.sequence, durable.endOffset)
  }

  /// Where a durable transaction ends, or the base does; nil if the journal does not have it.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if it cannot be read.
  /// - Complexity: O(log *n*), and at most 64 KiB to pass over.
  package func position(
    after sequence: SequenceNumber
  ) throws(JournalError) -> FramePosition? {
    var (reader, last, _) = frames(from: sequence)
    guard sequence >= header.base.sequence, sequence <= last else { return nil }
    return try reader.advance(past: sequence, path: path)
  }

  /// What an opening of the journal has to know to look at nothing before the end of a durable transaction;
  /// nil if the journal does not have it, or only as a part of its base.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if it cannot be read.
  /// - Complexity: O(*n*) in the size of the file, over 64 KiB
  package func start(after sequence: SequenceNumber) throws(JournalError) -> JournalStart? {
    var (reader, last, _) = frames(from: sequence)
    guard sequence > header.base.sequence, sequence <= last else { return nil }
    let end = try reader.advance(past: sequence, path: path)
    var index = queue.withLock { $0.index }
    index.cut(at: end.endOffset + 1)
    return JournalStart(end: end, lastFrameOffset: reader.headerOffset, index: index)
  }

  /// Follows the journal from a transaction on that was read before, or from its beginning.
  public func follow(after last: ChainPoint? = nil) throws(JournalError) -> any JournalFollower {
    // By the path with no link and no working directory in it, which may be others by now.
    try FileFollower(
      at: place.resolvedPath, after: last, on: options.disk, reading: options.reading)
  }
}
