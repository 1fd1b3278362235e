#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import Synchronization

  /// A shared log in a PostgreSQL database.
  ///
  /// ```swift
  /// let log = PostgresLog("postgres://daybook@db.example.com/app", name: "banks")
  /// ```
  ///
  /// The database needs the tables that ``createSchema(_:readers:writers:keepers:)`` creates once.
  /// One database can contain many logs. The first append creates a log.
  ///
  /// The URL is a connection string of libpq, the client library of PostgreSQL. libpq performs the
  /// login and TLS, and it tries several hosts in order:
  ///
  /// ```
  /// postgres://daybook@db1.example.com,db2.example.com/app?target_session_attrs=read-write
  /// ```
  ///
  /// With several hosts, the log compares the servers when it connects. It uses the one that was
  /// promoted last, and not a former primary that runs again.
  ///
  /// Store the password in the file `.pgpass` or in the variable `PGPASSWORD`. A password in the
  /// URL works too, and no message contains it.
  ///
  /// The log needs sessions of its own: a direct connection, or a pooler such as PgBouncer in its
  /// session mode.
  ///
  /// The log connects at the first call. After a connection was lost, the next call connects again.
  /// After an attempt that failed, calls fail with the same reason for a short time. The limit of
  /// this time doubles from 50 milliseconds to 2 seconds, and the time is a random one between half
  /// of the limit and the limit. So clients that lost a server do not return at the same moment.
  ///
  /// The number of servers in an acknowledgement is the number that the primary waits for: one,
  /// unless `synchronous_standby_names` is set. If that server fails and a standby replaces it,
  /// acknowledged groups can be lost. A store finds such a loss by the checksums of the frames.
  ///
  /// The type is available with the package trait `Postgres`:
  ///
  /// ```swift
  /// .package(url: "…", from: "…", traits: ["Postgres"])
  /// ```
  public final class PostgresLog: SharedLog {
    // Shared state
    //
    // - `link`: guarded by its mutex, which a call holds until the server has replied. So at most
    //   one append is in flight. Calls run on worker threads.
    // - `hasNotifier`: a flag that is true while a worker thread waits to send a notification.

    /// The name of the log, with the hosts and the database.
    public var name: String { connector.name }

    /// The URL of the log without passwords, as ``init(_:options:)`` reads it.
    public var address: String {
      (try? connector.address.get())?.url(ofLog: connector.log) ?? connector.name
    }

    /// The time on the clock of the server; nil before the log has connected.
    public var serverTime: JournalTime? { connector.serverFacts.now }

    /// The number of servers that have a group on disk when an append returns, by the settings of
    /// the server; nil before the log has connected.
    public var serverCount: Int? { connector.serverFacts.serverCount }

    private let connector: PostgresConnector
    private let link: Mutex<PostgresLink>
    private let listener: PostgresListener
    private let hasNotifier = Atomic(false)

    /// Creates a log that connects when it is first used.
    ///
    /// A URL that cannot be used is reported by the first call.
    ///
    /// - Parameters:
    ///   - url: A connection string of libpq, such as `postgres://user@host/database`.
    ///   - name: The name of the log in the database.
    ///   - options: The time limit and other options.
    public convenience init(
      _ url: String, name: String, options: PostgresOptions = PostgresOptions()
    ) {
      self.init(
        Result { () throws(PostgresAddress.Defect) in try PostgresAddress(url) }, name: name,
        options: options)
    }

    init(
      _ address: Result<PostgresAddress, PostgresAddress.Defect>, name: String,
      options: PostgresOptions
    ) {
      connector = PostgresConnector(
        log: name, address: address, options: options, gate: ConnectionGate())
      let channel = PostgresLog.channel(for: name)
      link = Mutex(
        PostgresLink(connector, channel: options.notifiesFollowers ? channel : nil))
      listener = PostgresListener(
        PostgresConnector(log: name, address: address, options: options, gate: ConnectionGate()),
        channel: channel)
    }

    deinit { listener.close() }

    /// Creates the tables of Daybook in a database, if they do not exist, and grants rights.
    ///
    /// ```swift
    /// try await PostgresLog.createSchema(
    ///   "postgres://admin@db.example.com/app", readers: ["reporting"], writers: ["app"])
    /// ```
    ///
    /// The role of the URL needs the right to create a schema in the database. A role of the lists
    /// that does not exist is created without login, for which the role of the URL needs
    /// `CREATEROLE`. Grant such a role to the roles of users, or let it log in.
    ///
    /// A reader can read all logs of the database. A writer can also append to them and create
    /// logs. Neither can change or delete a group, or read other tables. A keeper is a writer that
    /// can also drop the older part of a log's history. By SQL, it can change and delete any group.
    /// A role of the lists gets exactly these rights, and other roles keep theirs.
    ///
    /// - Parameters:
    ///   - url: A connection string of libpq.
    ///   - readers: The names of roles that read.
    ///   - writers: The names of roles that read and append.
    ///   - keepers: The names of roles that read, append and drop history.
    public static func createSchema(
      _ url: String, readers: [String] = [], writers: [String] = [], keepers: [String] = []
    ) async throws(SharedLogError) {
      let log = PostgresLog(url, name: "schema")
      let connector = log.connector
      let result = await WorkerThreads.shared.value {
        Result { () throws(SharedLogError) in
          let session = try connector.openSession(firstHost: 0)
          do throws(PostgresFailure) {
            try session.executeAll(Tables.create)
            try connector.checkTables(session)
            for (roles, rights) in [
              (readers, Roles.reader), (writers, Roles.writer), (keepers, Roles.keeper),
            ] {
              for role in roles { try Roles.grant(rights, to: role, through: session) }
            }
          } catch {
            guard case .refused(SQLState.insufficientPrivilege, let message) = error else {
              throw connector.notSent(error)
            }
            throw connector.error(
              .refused(
                """
                \(message). The role of the URL needs CREATE on the database, and CREATEROLE if \
                roles are created
                """))
          }
        }
      }
      try result.get()
    }

    /// Returns the channel of a log's notifications. The names of channels are shorter than the
    /// names of logs can be, so the channel contains a hash. Two logs with one channel only receive
    /// more hints.
    static func channel(for name: String) -> String {
      let bytes = Array(name.utf8)
      let digits = String(XXH64.checksum(bytes.span.bytes, seed: 0), radix: 16)
      return "daybook_\(digits)"
    }

    // MARK: SharedLog

    /// Returns the head of the log; nil if the log contains no group.
    public func head() async throws(SharedLogError) -> SharedHead? {
      try await call { link throws(SharedLogError) in try link.head() }
    }

    /// Appends a group, if the log ends directly before it.
    ///
    /// The group is inserted as one row. The primary key of the table decides which of several
    /// machines appends a number.
    public func append(
      _ group: FrameGroup
    ) async throws(SharedLogError) -> SharedAppendOutcome {
      let (outcome, owesNotification) = try await call { link throws(SharedLogError) in
        (try link.append(group), link.owesNotification)
      }
      if owesNotification { startNotifier() }
      return outcome
    }

    /// Returns consecutive groups, starting with the group that contains a number.
    public func read(
      from first: SequenceNumber, byteCount: Int
    ) async throws(SharedLogError) -> [FrameGroup] {
      try await call { link throws(SharedLogError) in
        try link.read(from: first, byteCount: byteCount)
      }
    }

    /// Replaces the first groups by one group, which ends where one of them ends.
    ///
    /// The group is stored in pieces, in one transaction. Appends wait only for its last
    /// statements. The role needs the rights of a keeper; see
    /// ``createSchema(_:readers:writers:keepers:)``.
    public func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
      try await call { link throws(SharedLogError) in try link.replaceGroups(with: base) }
    }

    /// Removes the log with all its groups from the database.
    ///
    /// The role of the URL needs the rights of a keeper. Replicas keep their transactions, and a
    /// repair of one of them would create the log again. If the database contains no such log, the
    /// call changes nothing.
    public func remove() async throws(SharedLogError) {
      try await call { link throws(SharedLogError) in try link.removeLog() }
    }

    /// Returns a stream that gets an element when the log may have grown.
    ///
    /// The stream uses a connection of its own. It gets a first element when the connection exists,
    /// and one after each new connection.
    public func changes() -> AsyncStream<Void> { listener.stream() }

    /// Closes the connections to the log. A call that waits for a reply ends with an error. A call
    /// that is connecting ends after the `connect_timeout` of each host.
    public func close() async {
      connector.gate.close()
      listener.close()
      dropIfClosed()
    }

    // MARK: Calls

    /// Performs a call on a worker thread.
    private func call<Value: Sendable>(
      _ body: @escaping @Sendable (inout PostgresLink) throws(SharedLogError) -> Value
    ) async throws(SharedLogError) -> Value {
      let result = await WorkerThreads.shared.value { [self] in
        let result = link.withLock { link in
          Result { () throws(SharedLogError) in try body(&link) }
        }
        dropIfClosed()
        return result
      }
      return try result.get()
    }

    /// Closes the connection if the log is closed and no call has the link. A call or a notifier
    /// that has it calls this method at its end.
    private func dropIfClosed() {
      guard connector.gate.isClosed else { return }
      _ = link.withLockIfAvailable { $0.drop() }
    }

    /// Sends a notification a few milliseconds later, if the last appends have sent none. The last
    /// group of a burst would otherwise stay unnoticed.
    private func startNotifier() {
      guard !hasNotifier.exchange(true, ordering: .sequentiallyConsistent) else { return }
      let isRunning = WorkerThreads.shared.run { [self] in
        repeat {
          var pause: Int? = 1
          while let milliseconds = pause {
            SystemThread.pause(milliseconds: milliseconds)
            pause = link.withLock { $0.sendOwedNotification() }
          }
          hasNotifier.store(false, ordering: .sequentiallyConsistent)
          // An append in between may have found the flag set, and started no thread.
        } while link.withLock({ $0.owesNotification })
          && !hasNotifier.exchange(true, ordering: .sequentiallyConsistent)
        dropIfClosed()
      }
      if !isRunning { hasNotifier.store(false, ordering: .sequentiallyConsistent) }
    }
  }
#endif
