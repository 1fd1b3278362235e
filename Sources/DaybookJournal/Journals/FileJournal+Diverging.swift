import DaybookPlatform

/// The comparison of a replica with a log that may have lost transactions.
///
/// The checksum of each frame covers all earlier frames. So one comparison of checksums shows
/// whether two histories are equal up to a frame, and the last common frame is found by halves.
extension FileJournal {
  /// The reasons why a call of the log, or a write of what it has returned, ends early.
  enum PullFailure: Error {
    case refused(JournalError.Reason)
    case failed(DiskError)

    /// A Boolean value that indicates whether the log contains a rewritten journal.
    var isRewritten: Bool {
      if case .refused(.rewritten) = self { true } else { false }
    }
  }

  /// Finds the transactions that the log does not contain, as the leader. If there are any, records
  /// them in the link, and throws `diverged`.
  ///
  /// The method returns if the log contains the whole replica. For example, a different machine has
  /// appended the lost transactions again meanwhile.
  func diverge(_ link: SharedLink) throws(PullFailure) {
    let divergence = try divergence(from: link)
    guard divergence.missingCount > 0 || divergence.isLogEmpty else { return }
    link.diverge(divergence)
    throw .refused(.diverged(divergence))
  }

  /// Compares the replica with the log.
  ///
  /// - Complexity: O(log *n*) reads of the log
  func divergence(from link: SharedLink) throws(PullFailure) -> LogDivergence {
    let head = try calling { () throws(SharedLogError) in try link.head() }
    let written = queue.withLock { $0.written.sequence }
    var common: SequenceNumber? = .zero
    let lost: Lost
    if let head {
      let beginning = try beginning(of: link)
      if beginning.end.sequence > written {
        if case .diverged(let known)? = link.refusal { return known.dropped(in: head) }
        common = nil
        lost = self.lost(before: beginning, in: head, of: link)
      } else {
        common = try lastCommon(with: head, after: beginning, in: link)
        lost =
          if let common { try self.lost(after: common, in: head, of: link) } else {
            self.lost(from: max(header.base.sequence, beginning.end.sequence), in: head, of: link)
          }
      }
    } else {
      lost = try self.lost(after: .zero, in: nil, of: link)
    }
    do throws(JournalError) {
      let listed = try missing(
        from: lost.first, count: min(lost.count, LogDivergence.listedCountMax),
        authors: link.authors)
      return LogDivergence(
        link.name, lastCommon: common ?? header.base.sequence, in: head, relation: lost.relation,
        missing: (listed, lost.count))
    } catch { throw .refused(error.reason) }
  }

  /// The range of the transactions that a log has acknowledged and does not contain.
  private struct Lost {
    var first: SequenceNumber
    var count: Int
    var relation: LogDivergence.Relation

    init(
      after before: SequenceNumber, through last: SequenceNumber, _ relation: LogDivergence.Relation
    ) {
      first = before.next
      count = Int(clamping: last.rawValue - min(before, last).rawValue)
      self.relation = relation
    }
  }

  /// Returns the known loss of a log whose base is after the end of the replica. If none is known,
  /// the next pull restarts the replica.
  private func lost(
    before beginning: JournalBeginning, in head: SharedHead, of link: SharedLink
  ) -> Lost {
    let written = queue.withLock { $0.written.sequence }
    if let acknowledged = link.acknowledged {
      if acknowledged.next > head.next {
        return Lost(after: head.last, through: acknowledged.last, .dropped)
      }
      let differs = [head, beginning.head].contains {
        $0.next == acknowledged.next && $0.checksum != acknowledged.checksum
      }
      if differs { return Lost(after: written, through: acknowledged.last, .dropped) }
    }
    return Lost(after: written, through: written, .shorter)
  }

  /// Returns the loss of a log with which no transaction is known to be common.
  ///
  /// - Parameter compared: The first transaction that was compared. It differs, or the log ends
  ///   before it.
  private func lost(
    from compared: SequenceNumber, in head: SharedHead, of link: SharedLink
  ) -> Lost {
    let written = queue.withLock { $0.written.sequence }
    let before = min(SequenceNumber(max(compared.rawValue, 1) - 1), head.last)
    return Lost(after: before, through: max(written, link.acknowledged?.last ?? .zero), .unknown)
  }

  /// Returns the transactions that the log has acknowledged and does not contain.
  ///
  /// These are the frames of the replica after the last common one. The acknowledged position is a
  /// promise too, also if the replica has lost its own end.
  private func lost(
    after common: SequenceNumber, in head: SharedHead?, of link: SharedLink
  ) throws(PullFailure) -> Lost {
    func range(
      after before: SequenceNumber, through last: SequenceNumber, isForked: Bool
    ) -> Lost {
      // A transaction of the base has no frame, and returns with the beginning of the journal.
      Lost(
        after: max(before, header.base.sequence), through: last, isForked ? .forked : .shorter)
    }
    let written = queue.withLock { $0.written.sequence }
    let acknowledged = link.acknowledged?.last ?? .zero
    let lastInLog = head?.last ?? .zero
    if head == nil || common < written {
      return range(after: common, through: max(written, acknowledged), isForked: lastInLog > common)
    }
    if acknowledged > lastInLog {
      return range(after: lastInLog, through: acknowledged, isForked: false)
    }
    guard acknowledged > written else {
      return range(after: written, through: written, isForked: false)
    }
    let group = try calling { () throws(SharedLogError) in
      try link.read(from: acknowledged, byteCount: 1).first
    }
    guard let checksum = group?.checksum(of: acknowledged) else {
      throw unavailable(link, because: "it does not return transaction \(acknowledged)")
    }
    let isEqual = checksum == link.acknowledged?.checksum
    return range(after: written, through: isEqual ? written : acknowledged, isForked: !isEqual)
  }

  /// Reads the first group of the log, and compares its header with that of the replica.
  private func beginning(of link: SharedLink) throws(PullFailure) -> JournalBeginning {
    try beginning(firstGroup(of: link), of: link)
  }

  func firstGroup(of link: SharedLink) throws(PullFailure) -> FrameGroup {
    let first = try calling { () throws(SharedLogError) in
      try link.read(from: .zero, byteCount: 1).first
    }
    guard let first else { throw unavailable(link, because: "it does not return its first group") }
    return first
  }

  /// Reads the header and the base of the log, and compares the header with that of the replica.
  func beginning(
    _ group: FrameGroup, of link: SharedLink
  ) throws(PullFailure) -> JournalBeginning {
    let beginning: JournalBeginning
    do throws(PulledFrames.Defect) { beginning = try JournalBeginning(group) } catch {
      switch error {
      case .diverged: throw rewritten(link)
      case .invalid(let why): throw refused(link, because: why)
      }
    }
    guard beginning.header.identity == header.identity else {
      throw .refused(
        .otherLog(link.name, expected: header.identity, found: beginning.header.identity))
    }
    // A journal that was compacted or erased has a new salt, so that no frame of it is equal. The
    // log and the replica can have different bases.
    guard beginning.header.salt == header.salt else { throw rewritten(link) }
    return beginning
  }

  private func rewritten(_ link: SharedLink) -> PullFailure {
    link.report(SharedLogError(.refused("it contains a rewritten journal"), log: link.name))
    return .refused(.rewritten(log: link.name))
  }

  /// Returns the last transaction up to which the log and the replica are equal, by halves; nil if
  /// none is known, because one of them has dropped its older history.
  private func lastCommon(
    with head: SharedHead, after beginning: JournalBeginning, in link: SharedLink
  ) throws(PullFailure) -> SequenceNumber? {
    let last = queue.withLock { $0.written.sequence }
    // Invariant: the frame of `low` is common, and no frame after `high` is.
    var low = header.base.sequence
    if beginning.end.sequence > .zero, beginning.end.sequence >= low {
      // The log shows nothing before its base.
      guard try containsEnd(of: beginning) else { return nil }
      low = beginning.end.sequence
    } else if low > .zero {
      // The replica shows nothing before its own base.
      guard try isBaseContained(in: link, through: head) else { return nil }
    }
    var high = min(last, head.last)
    while low < high {
      let middle = SequenceNumber(low.rawValue + (high.rawValue - low.rawValue + 1) / 2)
      let group = try calling { () throws(SharedLogError) in
        try link.read(from: middle, byteCount: 1).first
      }
      // A server that is late can return no group, which proves nothing.
      guard let group, group.first > .zero, group.first <= middle, group.next > middle else {
        throw unavailable(link, because: "it does not return transaction \(middle)")
      }
      let before = SequenceNumber(max(group.first.rawValue, 1) - 1)
      if let equal = try lastEqual(to: group, after: max(before, header.base.sequence)) {
        if equal.next < group.next { return max(equal, low) }
        low = equal
      } else {
        high = SequenceNumber(max(before.rawValue, low.rawValue + 1) - 1)
      }
    }
    return low
  }

  /// Returns whether the replica contains the transaction before the history of the log.
  private func containsEnd(of beginning: JournalBeginning) throws(PullFailure) -> Bool {
    do throws(JournalError) {
      let last = beginning.end.sequence
      var reader = writtenFrames(from: last).reader
      return try reader.advance(past: last, path: path).chain == beginning.end.chain
    } catch { throw .refused(error.reason) }
  }

  /// Returns whether the log contains the transaction before the history of the replica.
  private func isBaseContained(
    in link: SharedLink, through head: SharedHead
  ) throws(PullFailure) -> Bool {
    let base = header.base.sequence
    guard head.last >= base else { return false }
    let group = try calling { () throws(SharedLogError) in
      try link.read(from: base, byteCount: 1).first
    }
    guard let group else {
      throw unavailable(link, because: "it does not return transaction \(base)")
    }
    do throws(JournalError) {
      var reader = writtenFrames(from: base).reader
      return try group.checksum(of: base)
        == reader.advance(past: base, path: path).chain.point.checksum
    } catch { throw .refused(error.reason) }
  }

  /// Returns the last frame of the replica that a group of the log contains too; nil if already the
  /// frame before the group differs.
  func lastEqual(
    to group: FrameGroup, after before: SequenceNumber
  ) throws(PullFailure) -> SequenceNumber? {
    do throws(JournalError) {
      let frames = writtenFrames(from: before)
      var reader = frames.reader
      let start = try reader.advance(past: before, path: path)
      guard start.chain.point.checksum == group.previousChecksum else { return nil }
      let bytes = ByteView(group.bytes)
      var equal = before
      while equal < frames.last {
        guard try advance(&reader) else {
          throw JournalError(.damagedFrame, path: path, offset: reader.offset)
        }
        let end = Int(reader.offset - start.endOffset)
        guard end <= group.bytes.count,
          bytes.load(end - Frame.checksumByteCount, as: UInt64.self)
            == reader.chain.point.checksum
        else { break }
        equal = reader.chain.sequence
      }
      return equal
    } catch { throw .refused(error.reason) }
  }

  /// Returns the transactions of a range, with their times and authors.
  func missing(
    from first: SequenceNumber, count: Int, authors: SharedLink.Authors
  ) throws(JournalError) -> [MissingTransaction] {
    guard count > 0 else { return [] }
    let last = SequenceNumber(first.rawValue + UInt64(count) - 1)
    var times: [SequenceNumber: JournalTime] = [:]
    let frames = writtenFrames(from: first)
    var reader = frames.reader
    while reader.chain.sequence < min(frames.last, last), try advance(&reader) {
      // The base can contain parts of a transaction, but not its frame.
      guard reader.header.kind == .transaction else { continue }
      times[reader.chain.sequence] = reader.header.time
    }
    let authors = times.isEmpty ? [:] : authors(writtenFrames(from: 1), first...last)
    return (first.rawValue...last.rawValue).map { number in
      let sequence = SequenceNumber(number)
      return MissingTransaction(
        sequence: sequence, time: times[sequence], author: authors[sequence])
    }
  }

  private func advance(_ reader: inout FrameReader) throws(JournalError) -> Bool {
    do throws(DiskError) { return try reader.advance() } catch {
      throw JournalError(error, path: path)
    }
  }

  // MARK: Calls of the log

  func calling<Value>(
    _ call: () throws(SharedLogError) -> Value
  ) throws(PullFailure) -> Value {
    do throws(SharedLogError) { return try call() } catch { throw .refused(.sharedLog(error)) }
  }

  func unavailable(_ link: SharedLink, because why: String) -> PullFailure {
    let error = SharedLogError(.unavailable(why), log: link.name)
    link.report(error)
    return .refused(.sharedLog(error))
  }

  func refused(_ link: SharedLink, because why: String) -> PullFailure {
    let error = SharedLogError(.refused(why), log: link.name)
    link.report(error)
    return .refused(.sharedLog(error))
  }
}

extension FrameGroup {
  /// Returns the checksum that ends the frame of a transaction; nil if the group does not contain
  /// the transaction.
  @_spi(Tools) public func checksum(of sequence: SequenceNumber) -> UInt64? {
    if sequence.next == next { return checksum }
    return frames.first { $0.first == sequence }?.checksum
  }

  /// The frames as groups of a repair; empty for the first group of a log. They end before a frame
  /// that the group does not contain in full.
  var frames: [FrameGroup] {
    let view = ByteView(bytes)
    var (frames, offset, previous): ([FrameGroup], Int, UInt64) = ([], 0, previousChecksum)
    while first > .zero, offset + Frame.headerByteCount <= bytes.count {
      let header = FrameHeader(bytes.span.bytes, at: offset)
      let end = offset + header.frameByteCount
      guard end <= bytes.count, header.sequence >= first, header.sequence < next else { break }
      let checksum = view.load(end - Frame.checksumByteCount, as: UInt64.self)
      frames.append(
        .ofRepair(
          header.sequence, after: previous, checksum: checksum, bytes: Array(bytes[offset..<end])))
      (offset, previous) = (end, checksum)
    }
    return frames
  }

  /// Returns a frame as a group of a repair. Its checksum is its nonce, so several replicas that
  /// append the frame again append equal groups.
  static func ofRepair(
    _ sequence: SequenceNumber, after previous: UInt64, checksum: UInt64, bytes: [UInt8]
  ) -> FrameGroup {
    FrameGroup(
      first: sequence, next: sequence.next, previousChecksum: previous, checksum: checksum,
      bytes: bytes, nonce: checksum)
  }

  /// A Boolean value that indicates whether a repair has appended the group.
  var isOfRepair: Bool { nonce == checksum }
}
