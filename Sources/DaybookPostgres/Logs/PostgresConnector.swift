#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import Synchronization

  /// Opens sessions of one log, and checks the server of each new session.
  struct PostgresConnector: Sendable {
    /// The name of the log in its database.
    let log: String
    /// The address, or the reason why the URL cannot be used.
    let address: Result<PostgresAddress, PostgresAddress.Defect>
    let options: PostgresOptions
    let gate: ConnectionGate
    /// What the last replies have shown of the server.
    let serverFacts = ServerFacts()
    /// The source of the random numbers of pauses.
    var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    /// The name of the log in messages.
    var name: String {
      switch address {
      case .success(let address): "\(log) at \(address.displayName)"
      case .failure: log
      }
    }

    /// The name of the log as a parameter of a statement.
    var logValue: PostgresValue { .text(log) }

    /// Connects to a server, sets up the session, and checks the settings and the tables.
    func connect(firstHost: Int) throws(SharedLogError) -> PostgresSession {
      let session = try openSession(firstHost: firstHost)
      do {
        try setUp(session)
        return session
      } catch {
        throw notSent(error)
      }
    }

    /// Connects to a server, and checks nothing.
    ///
    /// - Parameter triesOthers: A Boolean value that indicates whether the hosts after the first
    ///   one are tried too.
    func openSession(
      firstHost: Int, triesOthers: Bool = true
    ) throws(SharedLogError) -> PostgresSession {
      do {
        let address = try address.get()
        return try PostgresSession(
          triesOthers ? address : address.limited(toHost: firstHost),
          firstHost: triesOthers ? firstHost : 0, gate: gate,
          limitMilliseconds: options.limitMilliseconds)
      } catch let failure as PostgresFailure {
        throw notSent(failure)
      } catch let defect as PostgresAddress.Defect {
        throw self.error(.refused(defect.reason))
      } catch {
        throw self.error(.unavailable("\(error)"))
      }
    }

    /// Checks what the server promises, and the version of the tables, and sets what the session
    /// needs, in one round trip.
    private func setUp(_ session: PostgresSession) throws(PostgresFailure) {
      // A server that ends a statement or an idle session by itself would make outcomes unknown.
      // Warnings must arrive: one at a commit makes the outcome unknown. `remote_apply` promises
      // more than `on`.
      let values = [
        "statement_timeout": "'0'", "lock_timeout": "'0'", "idle_session_timeout": "'0'",
        "default_transaction_isolation": "'read committed'",
        "transaction_timeout": "'0'", "client_min_messages": "'warning'",
        // Each statement is planned once, for the indexes: also for tables that are small then.
        "plan_cache_mode": "'force_generic_plan'", "enable_seqscan": "'off'",
        "synchronous_commit": """
        case current_setting('synchronous_commit') when 'remote_write' then 'on'
          else current_setting('synchronous_commit') end
        """,
      ]
      let list = values.sorted { $0.key < $1.key }.map { "('\($0)', \($1))" }
        .joined(separator: ", ")
      // A setting that the server's version does not have is skipped.
      let rows = try session.execute(
        """
        select \(PostgresStatement.durability), (\(Tables.readVersion)),
          (extract(epoch from clock_timestamp()) * 1000000)::bigint,
          (select count(set_config(name, value, false)) from (values \(list)) as wanted (name, value)
            join pg_settings using (name))
        """)
      serverFacts.set(microseconds: try rows.integer(row: 0, column: 4))
      if let defect = rows.durability.defect, !options.allowsLossyServer {
        throw .refused(state: "", message: defect)
      }
      serverFacts.set(rows.durability)
      try check(version: rows.isNull(row: 0, column: 3) ? 0 : rows.integer(row: 0, column: 3))
    }

    // MARK: Former primaries

    /// Returns the timeline of a server; nil for a standby, and for a server without timelines.
    func timeline(of session: PostgresSession) -> ServerTimeline? {
      guard let rows = try? session.execute(ServerTimeline.query),
        let system = try? rows.integer(row: 0, column: 0),
        let number = try? rows.integer(row: 0, column: 1), number > 0
      else { return nil }
      return ServerTimeline(system: system, number: number)
    }

    /// Returns the number of a host of the URL whose server has replaced the server of a session.
    /// The method queries the other hosts: a former primary that runs again can be the first one.
    ///
    /// - Parameters:
    ///   - timeline: The timeline of the session's server.
    ///   - known: The hosts that are not queried: that of the session, and those that took no
    ///     connection just before.
    func successor(
      of timeline: ServerTimeline, except known: [Int]
    ) -> (host: Int, timeline: ServerTimeline)? {
      guard let address = try? address.get(), address.hostCount > 1 else { return nil }
      var newest: (host: Int, timeline: ServerTimeline)?
      for host in 0..<address.hostCount where !known.contains(host) && !gate.isClosed {
        guard let session = try? openSession(firstHost: host, triesOthers: false),
          let other = self.timeline(of: session), (newest?.timeline ?? timeline).precedes(other)
        else { continue }
        newest = (host, other)
      }
      return newest
    }

    /// The error for a server that was replaced.
    var formerPrimary: SharedLogError {
      error(
        .unavailable(
          """
          the server is a former primary, which a different server has replaced. Stop it, or \
          remove it from the URL
          """))
    }

    // MARK: Tables

    /// Checks that the tables exist and have the version of this build.
    func checkTables(_ session: PostgresSession) throws(PostgresFailure) {
      let rows = try session.execute(Tables.readVersion)
      try check(version: rows.isNull(row: 0, column: 0) ? 0 : rows.integer(row: 0, column: 0))
    }

    private func check(version: Int64) throws(PostgresFailure) {
      guard version != Tables.version else { return }
      let advice =
        version > Tables.version
        ? "Use a newer version of Daybook"
        : "Update them with `daybook log create`"
      throw .refused(
        state: "",
        message: """
          the tables of Daybook in its database have the version \(version), and this version of \
          Daybook uses the version \(Tables.version). \(advice)
          """)
    }

    // MARK: Errors

    func error(_ reason: SharedLogError.Reason) -> SharedLogError {
      SharedLogError(reason, log: name)
    }

    /// Returns the error for a statement that the server has not executed, or whose effect does not
    /// matter.
    ///
    /// - Parameters:
    ///   - failure: The failure of the statement.
    ///   - right: The role that may execute the statement, in words.
    func notSent(
      _ failure: PostgresFailure, right: String = "reader or a writer"
    ) -> SharedLogError {
      switch failure {
      case .closed: error(.closed)
      case .lost(let why), .late(let why): error(.unavailable(why))
      case .refused(SQLState.undefinedTable, _), .refused(SQLState.undefinedSchema, _):
        error(
          .refused(
            "its database contains no tables of Daybook. Create them with `daybook log create`"))
      case .refused(SQLState.insufficientPrivilege, let message):
        error(.refused("\(message). Grant the role of the URL the rights of a \(right)"))
      case .refused(SQLState.duplicateStatement, _), .refused(SQLState.unknownStatement, _):
        error(
          .refused(
            """
            a pooler gives its connections to several clients in turn. Connect without the pooler, \
            or set its mode to session
            """))
      case .refused(SQLState.readOnly, _):
        error(
          .unavailable(
            """
            the server is a standby or is read-only, so it takes no appends and does not know the \
            head. Add target_session_attrs=read-write to the URL
            """))
      case .refused(let state, let message):
        error(SQLState.isTransient(state) ? .unavailable(message) : .refused(message))
      }
    }
  }

  /// The clock of a server at the last connection, and the number of servers that have a commit on
  /// disk, by its last reply.
  //
  // Shared state: two numbers. Each is the smallest number before it is known.
  final class ServerFacts: Sendable {
    /// The difference between the two clocks, in nanoseconds.
    private let difference = Atomic(Int64.min)
    private let count = Atomic(Int.min)

    func set(_ durability: ServerDurability) {
      count.store(durability.serverCount, ordering: .relaxed)
    }

    var serverCount: Int? {
      let count = count.load(ordering: .relaxed)
      return count == .min ? nil : count
    }

    func set(microseconds: Int64) {
      let (time, overflows) = microseconds.multipliedReportingOverflow(by: 1000)
      if overflows { return }
      difference.store(time &- SystemClock.uptimeNanoseconds, ordering: .relaxed)
    }

    var now: JournalTime? {
      let difference = difference.load(ordering: .relaxed)
      if difference == .min { return nil }
      return JournalTime(nanoseconds: difference &+ SystemClock.uptimeNanoseconds)
    }
  }
#endif
