import DaybookPlatform

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
    beginningAfter last: SequenceNumber, _ write: (JournalOutput) throws -> Void
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
        let output = try JournalOutput(to: new, newHeader, reading: options.reading)
        do { try write(output) } catch {
          failure = error
          throw DiskError(.write, path: place.resolvedPath, code: Errno.inputOutputError)
        }
        precondition(
          output.end.sequence == expected,
          "transactions up to \(output.end.sequence) of \(expected) were written")
        try output.finish()
      } named: { (newPath) throws(DiskError) in
        try options.disk.rename(newPath, to: place.resolvedPath)
        return true
      }
    } catch {
      throw failure ?? JournalError(error, path: path)
    }
  }

  /// What a file that begins with the state after a transaction says of it.
  private func base(after last: SequenceNumber) throws(JournalError) -> ChainPoint {
    if last == header.base.sequence { return header.base }
    guard let position = try position(after: last) else {
      preconditionFailure("transaction \(last) is not there")
    }
    return position.chain.point
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
      try replace(beginningAfter: last) { output in
        for payload in payloads { _ = try output.append(payload.span.bytes, at: .distantPast) }
        try output.endBase()
        // By now all that was appended is durable, and so is read.
        var rest = try transactions(from: last.next)
        while let transaction = try rest.next() {
          _ = try transaction.payload.withSpan { (bytes) throws(DiskError) in
            try output.append(bytes, at: transaction.time)
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
