#if Postgres
  import DaybookJournal

  /// Bases of logs, which are stored in pieces.
  extension PostgresLink {
    /// The size of a piece. Each piece is one row.
    static let pieceByteCount = 1 << 20
    /// The largest number of groups that one statement deletes before the log is locked.
    private static let dropCount: Int64 = 10_000
    /// The number of times that a base is read again because a different one has replaced it.
    private static let readAttemptMax = 5

    // MARK: Reading

    mutating func read(
      from first: SequenceNumber, byteCount: Int
    ) throws(SharedLogError) -> [FrameGroup] {
      for _ in 0..<PostgresLink.readAttemptMax {
        var groups = try readRows(from: first, byteCount: byteCount)
        guard let base = groups.first, base.first == .zero, base.bytes.isEmpty else {
          return groups
        }
        // Between the two reads, a different base can replace this one.
        guard let bytes = try readBase(nonce: base.nonce) else { continue }
        groups[0].bytes = bytes
        return bytes.count >= byteCount ? [groups[0]] : groups
      }
      throw connector.error(.unavailable("its base was replaced during each of several reads"))
    }

    /// Reads the rows of groups. The bytes of a base are empty.
    private mutating func readRows(
      from first: SequenceNumber, byteCount: Int
    ) throws(SharedLogError) -> [FrameGroup] {
      let log = connector.logValue
      return try query { session throws(PostgresFailure) in
        let values: [PostgresValue] = [
          log, .integer(Int64(clamping: first.rawValue)), .integer(Int64(max(1, byteCount))),
        ]
        let rows = try session.execute(.read, with: values)
        var groups: [FrameGroup] = []
        groups.reserveCapacity(rows.count)
        for row in 0..<rows.count {
          let group = FrameGroup(
            first: try rows.number(row: row, column: 0), next: try rows.number(row: row, column: 1),
            previousChecksum: try rows.check(row: row, column: 2),
            checksum: try rows.check(row: row, column: 3), bytes: rows.bytes(row: row, column: 5),
            nonce: try rows.check(row: row, column: 4))
          // A read replica can show commits in a different order. The groups after a gap are read
          // later.
          let expected = groups.last?.next ?? min(first, group.next)
          guard groups.isEmpty ? group.first <= expected : group.first == expected else { break }
          groups.append(group)
        }
        return groups
      }
    }

    /// Reads the pieces of a base; nil if they were deleted.
    private mutating func readBase(nonce: UInt64) throws(SharedLogError) -> [UInt8]? {
      let log = connector.logValue
      return try query { session throws(PostgresFailure) -> [UInt8]? in
        var bytes: [UInt8] = []
        var number: Int64 = 0
        while true {
          let rows = try session.execute(
            .readPiece, with: [log, .check(nonce), .integer(number)])
          guard rows.count == 1 else { return nil }
          bytes += rows.bytes(row: 0, column: 1)
          if Int64(bytes.count) >= (try rows.integer(row: 0, column: 0)) { return bytes }
          number += 1
        }
      }
    }

    // MARK: Replacing

    /// Replaces the first groups by a base.
    ///
    /// - Returns: False if no group of the log ends where the base ends.
    mutating func replaceGroups(with base: FrameGroup) throws(SharedLogError) -> Bool {
      guard base.first == .zero, base.next.rawValue <= UInt64(Int64.max), !base.bytes.isEmpty
      else { throw connector.error(.refused("a base from \(base.first) cannot be stored")) }
      let log = connector.logValue
      let found = try query { session throws(PostgresFailure) in
        try PostgresLink.findEnd(of: base, in: log, on: session)
      }
      if let found { return found }
      return try change { session throws(PostgresFailure) in
        try PostgresLink.replace(with: base, in: log, on: session)
      } ?? true
    }

    /// Deletes the groups and the name of the log.
    mutating func removeLog() throws(SharedLogError) {
      let log = connector.logValue
      _ = try change { session throws(PostgresFailure) -> Void? in
        _ = try session.execute(.lockTransaction, with: [log])
        for statement in [PostgresStatement.removePieces, .removeGroups, .removeLog] {
          _ = try session.execute(statement, with: [log])
        }
        return nil
      }
    }

    /// Runs statements of a keeper in one transaction.
    ///
    /// - Parameter body: Returns nil if the transaction can be committed. Otherwise it is rolled
    ///   back.
    /// - Returns: The value of the body.
    private mutating func change<Value>(
      _ body: (PostgresSession) throws(PostgresFailure) -> Value?
    ) throws(SharedLogError) -> Value? {
      let session = try openSession()
      do {
        try session.execute("begin isolation level read committed")
        // The server ends the session of a keeper that stops here.
        try session.execute("set local idle_in_transaction_session_timeout = '60s'")
        if let value = try body(session) {
          try session.execute("rollback")
          return value
        }
      } catch {
        // The end of the session ends the transaction.
        drop()
        if case .refused(SQLState.insufficientPrivilege, let message) = error {
          throw connector.error(
            .refused("\(message). Grant the role of the URL the rights of a keeper"))
        }
        throw connector.notSent(error)
      }
      do { try session.execute("commit") } catch {
        drop()
        throw connector.error(.unknown(error.text))
      }
      if let warning = session.warning {
        drop()
        throw connector.error(.unknown("the server warned at the commit: \(warning)"))
      }
      return nil
    }

    /// Returns whether the log has a group that ends with the base: true if it is the first group,
    /// nil if it is a later one.
    private static func findEnd(
      of base: FrameGroup, in log: PostgresValue, on session: PostgresSession
    ) throws(PostgresFailure) -> Bool? {
      let rows = try session.execute(
        .findEnd, with: [log, .number(base.next), .check(base.checksum)])
      guard rows.count == 1 else { return false }
      return try rows.integer(row: 0, column: 0) == 0 ? true : nil
    }

    /// Writes the base, and deletes the groups that it replaces.
    ///
    /// - Returns: nil if the transaction can be committed.
    private static func replace(
      with base: FrameGroup, in log: PostgresValue, on session: PostgresSession
    ) throws(PostgresFailure) -> Bool? {
      var number: Int64 = 0
      for start in stride(from: 0, to: base.bytes.count, by: PostgresLink.pieceByteCount) {
        let end = min(start + PostgresLink.pieceByteCount, base.bytes.count)
        _ = try session.execute(
          .addPiece,
          with: [
            log, .check(base.nonce), .integer(number), .integer(Int64(base.bytes.count)),
            .bytes(Array(base.bytes[start..<end])),
          ])
        number += 1
      }
      // Appends wait after the lock, so most rows are deleted before it. The last group stays,
      // because its end is compared after the lock.
      _ = try session.execute(.dropPieces, with: [log, .check(base.nonce)])
      while try session.execute(
        .dropSomeGroups,
        with: [log, .number(base.next), .integer(PostgresLink.dropCount)]
      ).integer(row: 0, column: 0) == PostgresLink.dropCount {}
      // The statements after the lock see all appends and bases before it.
      _ = try session.execute(.lockTransaction, with: [log])
      if let isReplaced = try findEnd(of: base, in: log, on: session) { return isReplaced }
      _ = try session.execute(.dropGroups, with: [log, .number(base.next)])
      _ = try session.execute(
        .storeBase,
        with: [log, .number(base.next), .check(base.checksum), .check(base.nonce)])
      _ = try session.execute(.dropPieces, with: [log, .check(base.nonce)])
      return nil
    }
  }
#endif
