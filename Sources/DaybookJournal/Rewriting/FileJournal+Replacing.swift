import DaybookPlatform

extension FileJournal {
  /// Replaces the journal's file with a new one, which has a new salt, and closes this journal
  /// object. The next opening of the path finds the new file.
  ///
  /// The new file keeps the journal's identity, its permissions and, if this process may set it,
  /// its owner. The new file is locked when it is created. After its bytes are synced, one rename
  /// gives it the journal's name. So an opening of the path finds the whole old journal or the
  /// whole new one. Existing readers continue to read the old file. Followers read the old file to
  /// its end, and then the new one.
  ///
  /// - Parameters:
  ///   - last: The last transaction that the new file does not contain: the old base or a later
  ///     transaction. The new file starts with the state after this transaction.
  ///   - write: A closure that writes the base, if the file has one, and then all transactions
  ///     after it.
  /// - Throws: ``JournalError``, and the errors of `write`. After an error before the rename, the
  ///   old file keeps the name and is whole. If the sync of the directory fails after the rename,
  ///   the new file has the name.
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
      _ = try JournalCreation.write(at: location, options, permissions: status.permissions) {
        (new) throws(DiskError) in
        try new.setPermissions(status.permissions, owner: status.owner, group: status.group)
        let newHeader = JournalHeader(
          identity: identity, salt: options.random(), created: header.created, base: base)
        let output = try JournalOutput(to: new, newHeader, reading: options.reading)
        do { try write(output) } catch {
          failure = error
          throw DiskError(.write, path: location.resolvedPath, code: Errno.inputOutputError)
        }
        precondition(
          output.end.sequence == expected,
          "expected transactions up to \(expected), found those up to \(output.end.sequence)")
        try output.finish()
      } named: { (newPath) throws(DiskError) in
        try options.disk.rename(newPath, to: location.resolvedPath)
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
  /// contains the state after that transaction, and then the later transactions unchanged.
  ///
  /// - Parameters:
  ///   - last: The last transaction to drop.
  ///   - payloads: The state after that transaction, in pieces.
  /// - Throws: ``JournalError``. After an error before the rename, the old file keeps the name and
  ///   is whole. If the sync of the directory fails after the rename, the new file has the name.
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
        // `replace` has closed the journal, so every transaction is durable, and
        // `transactions(from:)` returns all of them.
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
