import DaybookPlatform

/// Appends the frames of a journal to a shared log, whose replica the journal then is.
///
/// A log that contains only a part of the journal is continued. So a publication that was
/// interrupted can be started again. The nonce of each group is its checksum. So an append of an
/// earlier publication, which reaches the log late, is the same append.
struct JournalPublication {
  private let journal: FileJournal
  private let link: SharedLink
  /// The end of the published frames.
  private var end: FramePosition
  private var steps: ReadingProgress.Steps?

  /// The size of a group in bytes, if no frame is larger.
  private static let groupByteCount: UInt64 = 1 << 20
  /// The number of appends of one group while its outcome is unknown.
  private static let attemptMax = 8

  init(of journal: FileJournal, to link: SharedLink) {
    self.journal = journal
    self.link = link
    end = FramePosition(before: journal.header)
    let byteCount = journal.queue.withLock { $0.durable.endOffset }
    steps = journal.options.progress?.steps(.reading, of: byteCount)
  }

  /// Appends the frames that the log does not contain.
  mutating func run() throws(JournalError) {
    let last = journal.queue.withLock { $0.durable }
    var reader = FrameReader(journal.file, header: journal.header, endOffset: last.endOffset)
    while !reader.chain.isPastBase { try advance(&reader) }
    let beginning = JournalBeginning(
      journal.header, base: try bytes(JournalLayout.firstFrameOffset..<reader.offset),
      end: reader.position)
    end = reader.position
    let known = try begin(with: beginning.group(nonce: reader.position.chain.point.checksum))
    var isKnown = end.sequence.next == known.next
    if isKnown { try check(known) }
    while reader.offset < last.endOffset {
      let before = reader.position
      try advance(&reader)
      // Frames of other kinds after the last transaction belong to the last group.
      if reader.header.kind == .transaction, before.sequence > end.sequence,
        !isKnown || reader.offset - end.endOffset > JournalPublication.groupByteCount
      {
        try pass(before, isKnown: isKnown)
      }
      guard !isKnown, reader.chain.sequence.next == known.next else { continue }
      end = reader.position
      isKnown = true
      try check(known)
    }
    guard isKnown else { return try checkContinuation(of: last) }
    if reader.chain.sequence > end.sequence { try pass(reader.position, isKnown: true) }
  }

  /// Appends the first group, or compares it with that of the log.
  ///
  /// - Returns: The end of the log.
  private func begin(with group: FrameGroup) throws(JournalError) -> SharedHead {
    if try calling({ () throws(SharedLogError) in try link.head() }) == nil {
      try append(group)
      return group.end
    }
    let first = try calling { () throws(SharedLogError) in
      try link.read(from: .zero, byteCount: 1).first
    }
    guard let first, let head = try calling({ () throws(SharedLogError) in try link.head() })
    else { throw refused("it has lost its first group") }
    guard first.bytes == group.bytes else {
      if let other = try? JournalBeginning(first),
        other.header.identity != journal.header.identity
      {
        throw JournalError(
          .otherLog(
            link.name, expected: journal.header.identity, found: other.header.identity),
          path: journal.path)
      }
      throw refused("it already contains a different journal")
    }
    return head
  }

  /// Throws an error if the log, which ends inside of the journal, has a different history.
  private func check(_ head: SharedHead) throws(JournalError) {
    guard head.checksum == end.chain.point.checksum else {
      throw refused(JournalPublication.difference(after: end.sequence))
    }
  }

  private static func difference(after sequence: SequenceNumber) -> String {
    """
    its transaction \(sequence) is not that of the journal. Another machine can have saved to the \
    log before the publication was complete. The journal was not changed, and can be published \
    under a new name
    """
  }

  /// Throws an error if the log, which ends after the journal, does not continue it.
  private func checkContinuation(of last: FramePosition) throws(JournalError) {
    let groups = try calling { () throws(SharedLogError) in
      try link.read(from: last.sequence.next, byteCount: 1)
    }
    // A read can use a server that does not have the newest groups yet. It proves nothing.
    guard !groups.isEmpty else {
      throw JournalError(
        .sharedLog(
          SharedLogError(
            .unavailable("it does not return transaction \(last.sequence.next)"), log: link.name)),
        path: journal.path)
    }
    do throws(PulledFrames.Defect) {
      _ = try PulledFrames(groups, after: last, salt: journal.header.salt)
    } catch { throw refused(JournalPublication.difference(after: last.sequence)) }
  }

  /// Moves the end of the published frames to a position. Appends the frames up to it, unless the
  /// log contains them.
  private mutating func pass(_ position: FramePosition, isKnown: Bool) throws(JournalError) {
    if isKnown {
      try append(
        FrameGroup(
          first: end.sequence.next, next: position.sequence.next,
          previousChecksum: end.chain.point.checksum, checksum: position.chain.point.checksum,
          bytes: try bytes(end.endOffset..<position.endOffset),
          nonce: position.chain.point.checksum))
    }
    end = position
    steps?.pass(position.endOffset)
  }

  /// Appends a group, again if the log does not answer.
  private func append(_ group: FrameGroup) throws(JournalError) {
    for attempt in 1... {
      do throws(SharedLogError) {
        switch try link.append(group) {
        case .appended: return
        case .conflict:
          throw SharedLogError(
            .refused("another machine has appended transaction \(group.first) meanwhile"),
            log: link.name)
        case .missingPredecessor:
          throw SharedLogError(
            .refused("it has lost the transaction before \(group.first)"), log: link.name)
        }
      } catch {
        guard case .unknown = error.reason, attempt < JournalPublication.attemptMax else {
          throw JournalError(.sharedLog(error), path: journal.path)
        }
        link.waitForHint(milliseconds: 10 << attempt)
      }
    }
  }

  // MARK: Parts

  private func advance(_ reader: inout FrameReader) throws(JournalError) {
    let hasAdvanced = try JournalError.translating(journal.path) { () throws(DiskError) in
      try reader.advance()
    }
    guard hasAdvanced else {
      throw JournalError(
        .damagedFrame, path: journal.path, offset: reader.offset,
        lastReadable: reader.chain.lastReadable)
    }
  }

  private func bytes(_ range: Range<UInt64>) throws(JournalError) -> [UInt8] {
    let view = try JournalError.translating(journal.path) { () throws(DiskError) in
      try journal.file.view(at: range.lowerBound, atLeast: range.count)
    }
    return view[0..<range.count].copy()
  }

  private func refused(_ why: String) -> JournalError {
    JournalError(
      .sharedLog(SharedLogError(.refused(why), log: link.name)), path: journal.path)
  }

  private func calling<Value>(
    _ call: () throws(SharedLogError) -> Value
  ) throws(JournalError) -> Value {
    do throws(SharedLogError) { return try call() } catch {
      throw JournalError(.sharedLog(error), path: journal.path)
    }
  }
}

extension FileJournal {
  /// Appends the journal to a shared log, and writes the file that makes it a replica of the log.
  ///
  /// - Throws: ``JournalError`` with `sharedLog` if the log cannot be used, or contains a different
  ///   history; with `otherLog` if it contains a different journal.
  package func publish(to link: SharedLink) throws(JournalError) {
    var publication = JournalPublication(of: self, to: link)
    try publication.run()
    let end = queue.withLock { $0.durable }
    try JournalError.translating(path) { () throws(DiskError) in
      try ReplicaFile(
        identity: header.identity,
        head: SharedHead(next: end.sequence.next, checksum: end.chain.point.checksum),
        log: link.address
      ).write(beside: location, options)
    }
  }
}
