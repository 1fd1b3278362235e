#if Postgres
  import DaybookJournal
  import DaybookPlatform

  /// The connection of a log, and what the log knows about it. All calls block the thread.
  ///
  /// ```
  ///   ┌──────────────┐  connected   ┌──────┐  lost, late   ┌──────────────┐
  ///   │ disconnected │ ───────────▶ │ open │ ────────────▶ │ disconnected │ …
  ///   └──────────────┘              └──────┘               └──────────────┘
  ///      │       ▲  failed: the next attempt is made after a random pause
  ///      └───────┘
  /// ```
  ///
  /// A machine that loses an append three times in a row takes the log's lock, and keeps it until
  /// the outcome of its next append. Meanwhile the appends of other machines wait. The server ends
  /// the session of a machine that has the lock and stays silent.
  struct PostgresLink {
    let connector: PostgresConnector
    /// The channel of notifications; nil if the log sends none.
    private let channel: String?

    var session: PostgresSession?
    /// The number of the host that the next connection tries first. It changes after a server did
    /// not react: a former primary can accept connections and let each append wait.
    private var firstHost = 0

    /// The timeline of the last server that took appends. A server with an earlier one is a former
    /// primary.
    private var timeline: ServerTimeline?

    /// The largest end of the log that a server has returned.
    private var knownNext = SequenceNumber.zero

    private var pauses = RetryPauses(from: 50_000_000, to: 2_000_000_000)
    private var nextAttemptTime: Int64 = .min
    private var lastFailure: SharedLogError?

    private var lastNotificationTime: Int64 = .min
    /// A Boolean value that indicates whether the last appends have sent no notification.
    private(set) var owesNotification = false

    /// The number of conflicts since the last append that succeeded.
    private var lossCount = 0
    /// The time at which the session took the log's lock; nil if the session does not have it.
    private var lockTime: Int64?

    static let notificationIntervalNanoseconds: Int64 = 5_000_000
    private static let lossCountBeforeLock = 3
    /// The number of times that an insert is tried, if each of them ends in a deadlock.
    private static let insertAttemptMax = 5

    init(_ connector: PostgresConnector, channel: String?) {
      self.connector = connector
      self.channel = channel
    }

    // MARK: Connecting

    /// Returns the open session, or connects.
    mutating func openSession() throws(SharedLogError) -> PostgresSession {
      if connector.gate.isClosed { throw connector.error(.closed) }
      if let session, session.isOpen { return session }
      drop()
      let now = SystemClock.uptimeNanoseconds
      if let lastFailure, now < nextAttemptTime { throw lastFailure }
      do throws(SharedLogError) {
        let session = try newestSession()
        self.session = session
        pauses.reset()
        lastFailure = nil
        return session
      } catch {
        nextAttemptTime = SystemClock.uptimeNanoseconds + pauses.next(connector.random())
        lastFailure = error
        firstHost += 1
        throw error
      }
    }

    /// Connects to the server that no other server has replaced.
    private mutating func newestSession() throws(SharedLogError) -> PostgresSession {
      var session = try connector.connect(firstHost: firstHost)
      guard var found = connector.timeline(of: session) else { return session }
      if let successor = connector.successor(of: found, except: session.triedHosts) {
        (firstHost, timeline) = (successor.host, successor.timeline)
        session = try connector.connect(firstHost: firstHost)
        found = connector.timeline(of: session) ?? found
      }
      if let timeline, found.precedes(timeline) { throw connector.formerPrimary }
      timeline = found
      return session
    }

    /// Throws if a different server of the URL has replaced the server of the session: the groups
    /// that it lacks are on that server.
    private mutating func checkIsNewest() throws(SharedLogError) {
      guard let timeline, let session,
        let successor = connector.successor(of: timeline, except: session.triedHosts.suffix(1))
      else { return }
      drop()
      self.timeline = successor.timeline
      firstHost = successor.host
      throw connector.formerPrimary
    }

    /// Closes the connection.
    mutating func drop() {
      session = nil
      lockTime = nil
    }

    /// Drops the session after a failure that leaves its state open.
    private mutating func drop(after failure: PostgresFailure) {
      switch failure {
      case .refused(let state, _) where state != SQLState.readOnly: return
      case .late, .refused: firstHost += 1
      case .lost, .closed: break
      }
      drop()
    }

    // MARK: Reading

    /// Runs a statement that changes nothing, and runs it again if the connection was lost.
    mutating func query<Value>(
      _ body: (PostgresSession) throws(PostgresFailure) -> Value
    ) throws(SharedLogError) -> Value {
      var isSecond = false
      while true {
        let session = try openSession()
        do {
          try releaseOldLock(session)
          return try body(session)
        } catch {
          drop(after: error)
          if case .lost = error, !isSecond {
            isSecond = true
            continue
          }
          throw connector.notSent(error)
        }
      }
    }

    mutating func head() throws(SharedLogError) -> SharedHead? {
      let (connector, log) = (connector, connector.logValue)
      let head = try query { session throws(PostgresFailure) -> SharedHead? in
        let rows = try session.execute(.head, with: [log])
        // A store would take the head of a late server for a loss of groups.
        guard try rows.integer(row: 0, column: 3) == 0 else {
          throw .refused(state: SQLState.readOnly, message: "the server is a standby")
        }
        connector.serverFacts.set(rows.durability)
        guard !rows.isNull(row: 0, column: 4) else { return nil }
        return SharedHead(
          next: try rows.number(row: 0, column: 4), checksum: try rows.check(row: 0, column: 5))
      }
      // A server that was replaced during the session returns an earlier end.
      if head?.next ?? .zero < knownNext { try checkIsNewest() }
      knownNext = max(knownNext, head?.next ?? .zero)
      return head
    }

    // MARK: Appending

    mutating func append(_ group: FrameGroup) throws(SharedLogError) -> SharedAppendOutcome {
      if let defect = PostgresLink.defect(group, byteCount: group.bytes.count) {
        throw connector.error(.refused(defect))
      }
      let session = try openSession()
      let insert: PostgresStatement
      var values: [PostgresValue] = [
        connector.logValue, .number(group.first), .number(group.next),
        .check(group.previousChecksum), .check(group.checksum), .bytes(group.bytes),
        .check(group.nonce),
      ]
      let now = SystemClock.uptimeNanoseconds
      let interval = PostgresLink.notificationIntervalNanoseconds
      let notifies = channel != nil && now >= lastNotificationTime &+ interval
      if group.first == .zero {
        insert = .create
      } else if notifies, let channel {
        insert = .appendWithNotification
        values.append(.text(channel))
      } else {
        insert = .appendQuietly
      }
      do {
        try session.prepare(insert)
      } catch {
        drop(after: error)
        throw connector.notSent(error)
      }

      let outcome = try insertOrCompare(group, with: insert, of: values)
      switch outcome {
      case .appended:
        lossCount = 0
        knownNext = max(knownNext, group.next)
        if notifies, group.first > .zero {
          lastNotificationTime = now
          owesNotification = false
        } else {
          owesNotification = channel != nil
        }
      case .conflict: lossCount += 1
      case .missingPredecessor: try checkIsNewest()
      }
      updateLock()
      return outcome
    }

    /// Returns the reason why the tables cannot store a group; nil if they can.
    static func defect(_ group: FrameGroup, byteCount: Int) -> String? {
      guard group.next.rawValue <= UInt64(Int64.max), group.first < group.next else {
        return "a group from \(group.first) to before \(group.next) cannot be stored"
      }
      // A message of the protocol is smaller than 1 GiB, and contains the other columns too.
      guard byteCount <= 1_000_000_000 else {
        return "a group of \(byteCount) bytes cannot be stored, but at most 1000000000 bytes can"
      }
      return nil
    }

    /// The group of the log with the first number of a group that could not be inserted.
    private enum Comparison {
      case equal(ServerDurability)
      case different
      /// The log does not contain the end of the previous group, or no group with the number.
      case noPredecessor
    }

    /// Inserts a group, or compares it with the group that has its number. From here on, a failure
    /// of the connection leaves the outcome open.
    private mutating func insertOrCompare(
      _ group: FrameGroup, with insert: PostgresStatement, of values: [PostgresValue]
    ) throws(SharedLogError) -> SharedAppendOutcome {
      guard let session else { throw connector.error(.unavailable("the connection was closed")) }
      let inserted: ServerDurability?
      do {
        inserted = try execute(insert, with: values, on: session)
      } catch {
        drop(after: error)
        throw failedInsert(error)
      }
      if let inserted { return try appended(inserted, on: session) }
      let comparison: Comparison
      do {
        comparison = try compare(group, on: session)
      } catch {
        // The group may be in the log, by an earlier append that got no answer.
        drop(after: error)
        throw connector.error(.unknown(error.text))
      }
      return switch comparison {
      case .equal(let durability): try appended(durability, on: session)
      case .different: .conflict
      // A base can have replaced the group that had the number at the time of the insert. It can
      // be the same group, so this is no conflict.
      case .noPredecessor: .missingPredecessor
      }
    }

    /// Executes the insert of a group.
    ///
    /// - Returns: nil if the number is taken, or the log does not end before the group.
    private func execute(
      _ insert: PostgresStatement, with values: [PostgresValue], on session: PostgresSession
    ) throws(PostgresFailure) -> ServerDurability? {
      var attempt = 1
      while true {
        do throws(PostgresFailure) {
          let rows = try session.execute(insert, with: values)
          return rows.count == 1 ? rows.durability : nil
        } catch {
          switch error {
          case .refused(SQLState.uniqueViolation, _): return nil
          // A keeper has deleted groups meanwhile. The server has undone the insert.
          case .refused(SQLState.deadlock, _) where attempt < PostgresLink.insertAttemptMax:
            attempt += 1
          default: throw error
          }
        }
      }
    }

    /// Compares a group with the group of the log that has the same first number. If they are
    /// equal, waits until the group is durable.
    private func compare(
      _ group: FrameGroup, on session: PostgresSession
    ) throws(PostgresFailure) -> Comparison {
      let values: [PostgresValue] = [
        connector.logValue, .number(group.first), .number(group.next), .check(group.checksum),
        .check(group.nonce), .check(group.previousChecksum),
      ]
      let rows = try session.execute(.compare, with: values)
      guard rows.count == 1 else { return .noPredecessor }
      guard !rows.isNull(row: 0, column: 0), rows.bytes(row: 0, column: 0) == group.bytes
      else { return try rows.integer(row: 0, column: 1) == 1 ? .different : .noPredecessor }
      return .equal(try session.execute(.barrier, with: []).durability)
    }

    /// Returns the outcome of a commit, unless the server has warned.
    ///
    /// If an administrator cancels the wait for the standbys, the server answers as after a commit,
    /// and sends a warning.
    private mutating func appended(
      _ durability: ServerDurability, on session: PostgresSession
    ) throws(SharedLogError) -> SharedAppendOutcome {
      if let warning = session.warning {
        drop()
        throw connector.error(.unknown("the server warned at the commit: \(warning)"))
      }
      connector.serverFacts.set(durability)
      return .appended(serverCount: durability.serverCount)
    }

    /// Returns the error for an insert that failed.
    private func failedInsert(_ failure: PostgresFailure) -> SharedLogError {
      switch failure {
      case .lost, .late, .closed: connector.error(.unknown(failure.text))
      // The server has undone the insert.
      case .refused: connector.notSent(failure, right: "writer")
      }
    }

    // MARK: Notifications

    /// Sends the notification that the last appends did not send.
    ///
    /// - Returns: The number of milliseconds after which the method must be called again; nil if
    ///   nothing is owed.
    mutating func sendOwedNotification() -> Int? {
      guard owesNotification, let channel else { return nil }
      guard let session, !connector.gate.isClosed else {
        // A hint may be lost.
        owesNotification = false
        return nil
      }
      let now = SystemClock.uptimeNanoseconds
      let time = lastNotificationTime &+ PostgresLink.notificationIntervalNanoseconds
      if now < time { return Int((time - now) / 1_000_000) + 1 }
      (owesNotification, lastNotificationTime) = (false, now)
      do {
        _ = try session.execute(.notify, with: [.text(channel)])
      } catch {
        drop(after: error)
      }
      return nil
    }

    // MARK: The lock of a machine that loses

    /// Takes the lock after several losses, and releases it after the next append.
    private mutating func updateLock() {
      guard let session else { return }
      do {
        if lockTime != nil {
          try release(session)
        } else if lossCount >= PostgresLink.lossCountBeforeLock, session.serverVersion >= 140_000 {
          // Older servers do not end silent sessions.
          let silence = "\(connector.options.lockSilenceMilliseconds)"
          _ = try session.execute(.lock, with: [connector.logValue, .text(silence)])
          lockTime = SystemClock.uptimeNanoseconds
        }
      } catch {
        // The outcome of the append is known. The end of the session releases the lock.
        drop()
      }
    }

    private mutating func release(_ session: PostgresSession) throws(PostgresFailure) {
      _ = try session.execute(.unlock, with: [connector.logValue])
      lockTime = nil
    }

    /// Releases a lock that no append has used: reads keep the session from being silent.
    private mutating func releaseOldLock(_ session: PostgresSession) throws(PostgresFailure) {
      guard let lockTime,
        // Before the server ends the session.
        SystemClock.uptimeNanoseconds - lockTime
          > Int64(connector.options.lockSilenceMilliseconds) * 600_000
      else { return }
      try release(session)
    }
  }
#endif
