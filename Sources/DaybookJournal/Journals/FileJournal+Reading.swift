extension FileJournal {
  /// Returns the state at the start of a compacted journal: the payloads of its base. The array is
  /// empty if the journal has its whole history.
  public func base() throws(JournalError) -> [ByteView] {
    let open = openFile.withLock { $0 }
    return try BaseReader.read(open.file, header: open.header, path: path)
  }

  /// Returns a reader of the durable transactions, in order, up to the head at the time of the
  /// call.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first requested
  ///   transaction.
  /// - Complexity: O(log *n*) to find the start. The reader then skips less than 64 KiB of frames.
  ///   If the transaction is close to the base, the reader skips the whole base.
  public func transactions(
    from first: SequenceNumber
  ) throws(JournalError) -> TransactionReader {
    let durable = durableFrames(from: first)
    return try TransactionReader(
      durable.reader, from: first, through: durable.last, base: durable.base, path: path)
  }

  /// Returns a reader of the durable frames that starts at or before a transaction. A store replays
  /// its journal with this reader. The store reads each payload in place, so that no value is
  /// allocated for a transaction.
  package func frames(
    from first: SequenceNumber
  ) -> (reader: FrameReader, last: SequenceNumber, endOffset: UInt64) {
    let durable = durableFrames(from: first)
    return (durable.reader, durable.last, durable.endOffset)
  }

  private func durableFrames(
    from first: SequenceNumber
  ) -> (reader: FrameReader, last: SequenceNumber, endOffset: UInt64, base: SequenceNumber) {
    let (open, durable, entry) = openFile.withLock { open in
      queue.withLock { (open, $0.durable, $0.index.entry(before: first)) }
    }
    let reader = FrameReader(
      open.file, header: open.header, beginningAt: entry, endOffset: durable.endOffset)
    return (reader, durable.sequence, durable.endOffset, open.header.base.sequence)
  }

  /// The file and its header, with the position after the last durable transaction in it.
  package var durableFile: (file: JournalFile, header: JournalHeader, end: FramePosition) {
    openFile.withLock { open in (open.file, open.header, queue.withLock { $0.durable }) }
  }

  /// Returns a reader like ``frames(from:)``, up to the last written frame. The store of a replica
  /// replays the frames of other machines with this reader.
  package func writtenFrames(from first: SequenceNumber) -> WrittenFrames {
    let (open, written, entry, counts) = openFile.withLock { open in
      queue.withLock { queue in
        (
          open, queue.written, queue.index.entry(before: first),
          (queue.absorptionCount, queue.restartCount)
        )
      }
    }
    return WrittenFrames(
      file: open.file, header: open.header,
      reader: FrameReader(
        open.file, header: open.header, beginningAt: entry, endOffset: written.endOffset),
      last: written.sequence, endOffset: written.endOffset, absorptionCount: counts.0,
      restartCount: counts.1)
  }

  /// Returns the mapped file up to an offset; nil if it cannot be mapped, or if the replica has
  /// restarted after a number of restarts, so that the offset belongs to an older file.
  package func mapped(through offset: UInt64, after restartCount: Int) -> ByteView? {
    let file = openFile.withLock { open in
      queue.withLock { $0.restartCount == restartCount ? open.file : nil }
    }
    return file?.mapped(through: offset)
  }

  /// The number of times that frames of other machines were absorbed, and the last transaction of
  /// this machine that is in the shared log and in the file.
  package var absorbed: (count: Int, lastShared: SequenceNumber) {
    queue.withLock { ($0.absorptionCount, $0.lastShared) }
  }

  /// Returns the position after a durable transaction or after the base. Returns nil if the journal
  /// contains no durable transaction and no base with this number.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if the transaction is not readable.
  /// - Complexity: O(log *n*) to find the start. Then less than 64 KiB of frames before the
  ///   transaction are read. If the transaction is close to the base, the whole base is read.
  package func position(
    after sequence: SequenceNumber
  ) throws(JournalError) -> FramePosition? {
    var (reader, last, _, base) = durableFrames(from: sequence)
    guard sequence >= base, sequence <= last else { return nil }
    return try reader.advance(past: sequence, path: path)
  }

  /// Returns the position after a durable transaction, in the form that a checkpoint stores. With
  /// this position, a later opening reads only the frames after the transaction. Returns nil if the
  /// journal does not contain the transaction, or contains it only as part of its base.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if the transaction is not readable.
  /// - Complexity: O(*n*) in the number of 64 KiB pieces of the file
  package func start(after sequence: SequenceNumber) throws(JournalError) -> JournalStart? {
    var (reader, last, _, base) = durableFrames(from: sequence)
    guard sequence > base, sequence <= last else { return nil }
    let end = try reader.advance(past: sequence, path: path)
    var index = queue.withLock { $0.index }
    index.cut(at: end.endOffset + 1)
    return JournalStart(end: end, lastFrameOffset: reader.headerOffset, index: index)
  }

  /// Creates a follower that starts after a transaction that was read earlier, or at the start of
  /// the journal.
  public func follow(after last: ChainPoint? = nil) throws(JournalError) -> any JournalFollower {
    // The resolved path is used, because symbolic links and the working directory may have changed
    // after the journal was opened.
    try FileFollower(
      at: location.resolvedPath, after: last, on: options.disk, reading: options.reading)
  }
}
