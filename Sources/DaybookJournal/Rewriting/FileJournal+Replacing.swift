import DaybookPlatform

extension FileJournal {
  /// Replaces the journal's file with a new one, which has a new salt. This writer ends; the next
  /// opening of the path finds the new file.
  ///
  /// The new file keeps the journal's identity, mode and, if this process has the right, owner. It
  /// is locked before it has the name, and gets the name in one step, after it is synced. So an
  /// opening of the path finds the old journal or the new one. Readers of the old file continue to
  /// read it, and followers change to the new one.
  ///
  /// - Parameters:
  ///   - last: The last transaction before those of the new file, which starts with the state after
  ///     it: that of the old base, or a later one.
  ///   - write: A closure that writes the base, if the file has one, and then all transactions
  ///     after it.
  /// - Throws: ``JournalError``, and the errors of `write`. The old file then still has the name,
  ///   and is whole and closed.
  package func replace(
    beginningAfter last: SequenceNumber, _ write: (JournalOutput) throws -> Void
  ) throws {
    precondition(
      last >= header.base.sequence && last <= head.sequence,
      "transaction \(last) is not in \(header.base.sequence)...\(head.sequence)")
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
          "expected transactions up to \(expected), found those up to \(output.end.sequence)")
        try output.finish()
      } named: { (newPath) throws(DiskError) in
        try options.disk.rename(newPath, to: place.resolvedPath)
        return true
      }
    } catch {
      throw failure ?? JournalError(error, path: path)
    }
  }

  /// Returns the base of a file that starts with the state after a transaction.
  private func base(after last: SequenceNumber) throws(JournalError) -> ChainPoint {
    if last == header.base.sequence { return header.base }
    guard let position = try position(after: last) else {
      preconditionFailure("transaction \(last) does not exist")
    }
    return position.chain.point
  }

  /// Replaces the journal's file with one that drops the history up to a transaction. The new file
  /// contains the state as of that transaction, then the later transactions unchanged.
  ///
  /// - Parameters:
  ///   - last: The last transaction to drop.
  ///   - payloads: The state as of that transaction, in pieces.
  /// - Throws: ``JournalError``. The old file then still has the name, and is whole and closed.
  package func compact(
    through last: SequenceNumber, state payloads: [[UInt8]]
  ) throws(JournalError) {
    precondition(
      last > header.base.sequence && last <= head.sequence,
      "transaction \(last) is not in \(header.base.sequence.next)...\(head.sequence)")
    do {
      try replace(beginningAfter: last) { output in
        for payload in payloads { _ = try output.append(payload.span.bytes, at: .distantPast) }
        try output.endBase()
        // All appended transactions are durable at this point, so the reader returns all of them.
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
