import Glibc

/// A file that is to take a journal's place: the state that it begins with, and what came after that.
///
/// Payloads are written in order, those of the base first. What was written can be read back, as what comes
/// later may refer to it.
package final class JournalReplacement {
  private let file: any DiskFile
  private let image: JournalFile
  private let header: JournalHeader
  private var chain: FrameChain
  private var offset = JournalLayout.firstFrameOffset
  private var frames = FrameWriter()
  private var baseFrameCount: UInt64 = 0

  fileprivate init(
    _ file: any DiskFile, _ header: JournalHeader, reading: JournalReading
  ) throws(DiskError) {
    self.file = file
    self.header = header
    image = try JournalFile(file, reading: reading)
    chain = FrameChain(before: header)
  }

  /// The transaction that it begins with the state after; 0 if it has all history.
  package var base: JournalBase { header.base }

  /// The file as far as it is written, if it can be mapped.
  package var written: ByteView? { image.mapped(through: offset) }

  /// How many bytes it has so far.
  package var byteCount: UInt64 { offset }

  /// Writes a piece of the base, or the next transaction behind it, and says where its payload stands.
  package func append(_ payload: RawSpan, at time: JournalTime) throws(DiskError) -> UInt64 {
    let isBase = !chain.isPastBase
    if isBase { baseFrameCount += 1 }
    return try append(isBase ? .base : .transaction, isBase ? header.base.time : time, payload)
  }

  /// Ends the base. It is for files that begin with one.
  package func endBase() throws(DiskError) {
    precondition(!chain.isPastBase, "the base ended before")
    var count = PageWriter()
    count.append(baseFrameCount)
    _ = try append(.baseEnd, header.base.time, count.bytes.span.bytes)
  }

  private func append(
    _ kind: FrameKind, _ time: JournalTime, _ payload: RawSpan
  ) throws(DiskError) -> UInt64 {
    let isTransaction = kind == .transaction
    // The file gets its name only when all of it is synced, so that for whoever finds it each
    // transaction was durable before the next.
    let header = FrameHeader(
      payloadByteCount: payload.byteCount, kind: kind,
      sequence: isTransaction ? chain.sequence.next : .zero, time: time,
      durable: isTransaction ? chain.sequence : .zero, previousCheck: chain.check)
    let check = frames.append(header, payload: payload, salt: self.header.salt)
    let start = offset
    try frames.withBytes { (bytes) throws(DiskError) in try file.writeAll(bytes, at: start) }
    frames.removeAll()
    chain.advance(over: header, check: check)
    offset += UInt64(header.frameByteCount)
    image.grow(to: offset)
    return start + UInt64(Frame.headerByteCount)
  }

  fileprivate func finish() throws(DiskError) {
    precondition(chain.isPastBase, "the base did not end")
    let beginning = JournalCreation.beginning(
      header, markedEnd: offset, markedCheck: chain.check, markedSequence: chain.sequence)
    try file.writeAll(beginning.span.bytes, at: 0)
  }

  fileprivate var sequence: SequenceNumber { chain.sequence }
}

extension FileJournal {
  /// Puts another file in the journal's place, sealed anew. Ends this writer; opening the path again finds
  /// the new file.
  ///
  /// The new file keeps the journal's identity, mode and, as far as this process may, owner. It is
  /// locked before it has the name and gets the name only when it is synced, in one step: whoever
  /// opens the path finds either the old journal or the new one. Readers of the old file go on
  /// reading it, and followers go over to the new one.
  ///
  /// - Parameters:
  ///   - last: The transaction that the new file begins with the state after: that of the old base, or a
  ///     later one.
  ///   - write: Writes the base, if there is one, and then all transactions behind it.
  /// - Throws: ``JournalError``, and what `write` throws. The old file then still has the name, and is whole
  ///   and closed.
  package func replace(
    beginningAfter last: SequenceNumber, _ write: (JournalReplacement) throws -> Void
  ) throws {
    precondition(
      last >= header.base.sequence && last <= head.sequence,
      "transaction \(last) of \(header.base.sequence)...\(head.sequence)")
    let base = try base(after: last)
    try perform(.close)
    defer {
      housekeeper?.end()
      file.file.unlock()
    }
    let expected = head.sequence
    var failure: (any Error)?
    do throws(DiskError) {
      let status = try file.file.status()
      _ = try JournalCreation.write(at: place, options, permissions: status.permissions) {
        (new) throws(DiskError) in
        try new.setPermissions(status.permissions, owner: status.owner, group: status.group)
        let newHeader = JournalHeader(
          identity: identity, salt: options.random(), created: header.created, base: base)
        let replacement = try JournalReplacement(new, newHeader, reading: options.reading)
        do { try write(replacement) } catch {
          failure = error
          throw DiskError(.write, path: place.resolvedPath, code: EIO)
        }
        precondition(
          replacement.sequence == expected,
          "transactions up to \(replacement.sequence) of \(expected) were written")
        try replacement.finish()
      } named: { (newPath) throws(DiskError) in
        try options.disk.rename(newPath, to: place.resolvedPath)
        return true
      }
    } catch {
      throw failure ?? JournalError(error, path: path)
    }
  }

  /// What a file that begins with the state after a transaction says of it.
  private func base(after last: SequenceNumber) throws(JournalError) -> JournalBase {
    if last == header.base.sequence { return header.base }
    guard let position = try position(after: last) else {
      preconditionFailure("transaction \(last) is not there")
    }
    return JournalBase(
      sequence: last, time: position.chain.time, check: position.chain.check)
  }

  /// Puts in the journal's place a file without the history up to a transaction: the state as of
  /// it, then the transactions after it as they are.
  ///
  /// - Parameters:
  ///   - last: The last transaction to drop.
  ///   - payloads: The state as of it, in pieces.
  /// - Throws: ``JournalError``. The old file then still has the name, and is whole and closed.
  package func compact(
    through last: SequenceNumber, state payloads: [[UInt8]]
  ) throws(JournalError) {
    precondition(
      last > header.base.sequence && last <= head.sequence,
      "transaction \(last) of \(header.base.sequence.next)...\(head.sequence)")
    do {
      var rest = try transactions(from: last.next)
      try replace(beginningAfter: last) { replacement in
        for payload in payloads { _ = try replacement.append(payload.span.bytes, at: .distantPast) }
        try replacement.endBase()
        while let transaction = try rest.next() {
          _ = try transaction.payload.withSpan { (bytes) throws(DiskError) in
            try replacement.append(bytes, at: transaction.time)
          }
        }
      }
    } catch let error as JournalError {
      throw error
    } catch let error as DiskError {
      throw JournalError(error, path: path)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
