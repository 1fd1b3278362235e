import Glibc

extension FileJournal {
  /// Puts in the journal's place a file without the history up to a transaction: the state as of
  /// it, then the transactions after it, sealed anew. Ends this writer; opening the path again
  /// finds the new file.
  ///
  /// The new file keeps the journal's identity, mode and, as far as this process may, owner. It is
  /// locked before it has the name and gets the name only when it is synced, in one step: whoever
  /// opens the path finds either the old journal or the new one. Readers of the old file go on
  /// reading it, and followers go over to the new one.
  ///
  /// - Parameters:
  ///   - last: The last transaction to drop.
  ///   - payloads: The state as of it, in pieces of 1 byte to 1 MiB.
  /// - Throws: ``JournalError``. The old file then still has the name, and is whole and closed.
  package func compact(
    through last: SequenceNumber, state payloads: [[UInt8]]
  ) throws(JournalError) {
    precondition(
      last > header.base.sequence && last <= head.sequence,
      "transaction \(last) of \(header.base.sequence.next)...\(head.sequence)")
    try perform(.close)
    defer {
      housekeeper?.end()
      file.file.unlock()
    }
    var damage: JournalError?
    do {
      let status = try file.file.status()
      _ = try JournalCreation.write(at: place, options, permissions: status.permissions) {
        (new) throws(DiskError) in
        try new.setPermissions(status.permissions, owner: status.owner, group: status.group)
        try self.write(through: last, payloads, to: new, &damage)
      } named: { (newPath) throws(DiskError) in
        try options.disk.rename(newPath, to: place.resolvedPath)
        return true
      }
    } catch {
      throw damage ?? JournalError(error, path: path)
    }
  }

  private func write(
    through last: SequenceNumber, _ payloads: [[UInt8]], to new: any DiskFile,
    _ damage: inout JournalError?
  ) throws(DiskError) {
    var old = FrameReader(file, header: header)
    while old.chain.sequence < last || !old.chain.isPastBase {
      try advance(&old, &damage)
    }

    let newHeader = JournalHeader(
      identity: identity, salt: options.random(), created: header.created,
      base: JournalBase(sequence: last, time: old.chain.time, check: old.chain.check))
    var output = FrameOutput(to: new, header: newHeader)
    for payload in payloads {
      try output.append(.base, at: old.chain.time, payload.span.bytes)
    }
    var count = PageWriter()
    count.append(UInt64(payloads.count))
    try output.append(.baseEnd, at: old.chain.time, count.bytes.span.bytes)
    while old.chain.sequence < head.sequence {
      try advance(&old, &damage)
      guard old.header.kind == .transaction else { continue }
      let time = old.header.time
      try old.payload.withSpan { (bytes) throws(DiskError) in
        try output.append(.transaction, at: time, bytes)
      }
    }
    let end = try output.finish()
    let beginning = JournalCreation.beginning(
      newHeader, markedEnd: end.endOffset, markedCheck: end.chain.check,
      markedSequence: end.sequence)
    try new.writeAll(beginning.span.bytes, at: 0)
  }
}

extension FileJournal {
  /// Goes past a frame that must be there, or notes that it cannot be read and throws.
  private func advance(
    _ reader: inout FrameReader, _ damage: inout JournalError?
  ) throws(DiskError) {
    guard try !reader.advance() else { return }
    damage = JournalError(
      .damagedFrame, path: path, offset: reader.offset,
      lastReadable: reader.chain.isPastBase ? reader.chain.sequence : .zero)
    throw DiskError(.read, path: place.resolvedPath, code: EIO)
  }
}

/// Writes the frames of a file that is being made, a megabyte at a time.
private struct FrameOutput: ~Copyable {
  private let file: any DiskFile
  private let salt: UInt64
  private var chain: FrameChain
  private var offset = JournalLayout.firstFrameOffset
  private var frames = FrameWriter()

  init(to file: any DiskFile, header: JournalHeader) {
    self.file = file
    salt = header.salt
    chain = FrameChain(before: header)
  }

  mutating func append(
    _ kind: FrameKind, at time: JournalTime, _ payload: RawSpan
  ) throws(DiskError) {
    let isTransaction = kind == .transaction
    // The file gets its name only when all of it is synced, so that for whoever finds it each
    // transaction was durable before the next.
    let header = FrameHeader(
      payloadByteCount: payload.byteCount, kind: kind,
      sequence: isTransaction ? chain.sequence.next : .zero, time: time,
      durable: isTransaction ? chain.sequence : .zero, previousCheck: chain.check)
    let check = frames.append(header, payload: payload, salt: salt)
    chain.advance(over: header, check: check)
    if frames.byteCount >= 1 << 20 { try flush() }
  }

  mutating func finish() throws(DiskError) -> FramePosition {
    try flush()
    return FramePosition(chain: chain, endOffset: offset)
  }

  private mutating func flush() throws(DiskError) {
    try frames.withBytes { (bytes) throws(DiskError) in try file.writeAll(bytes, at: offset) }
    offset += UInt64(frames.byteCount)
    frames.removeAll()
  }
}
