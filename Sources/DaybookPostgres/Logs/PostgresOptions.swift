#if Postgres
  /// Options of a log in PostgreSQL.
  public struct PostgresOptions: Hashable, Sendable {
    /// The longest time without any reaction of the server, after which a call gives up its
    /// connection. The default is 10 seconds.
    ///
    /// The limit does not apply to a new connection. Each host of the URL has its `connect_timeout`
    /// for that, which is 5 seconds if the URL does not contain it.
    public var timeLimit: Duration

    /// A Boolean value that indicates whether appends notify other machines by `NOTIFY`. The
    /// default is true.
    ///
    /// At most one notification is sent in a few milliseconds. `NOTIFY` takes a lock that all
    /// commits of the server's databases share. If the server is busy with other commits, set the
    /// property to false on each machine. The machines then find new groups when they next read.
    public var notifiesFollowers: Bool

    /// A Boolean value that indicates whether the log accepts a server that can lose what it has
    /// acknowledged: with the setting `fsync = off`, or `synchronous_commit` `off` or `local`. The
    /// default is false.
    ///
    /// With such a server, the number of servers in the outcome of an append is 0 or 1.
    public var allowsLossyServer: Bool

    /// The time after which the server ends a session that has the lock of a log and stays silent.
    var lockSilenceMilliseconds = 3000

    /// Creates options.
    public init(
      timeLimit: Duration = .seconds(10), notifiesFollowers: Bool = true,
      allowsLossyServer: Bool = false
    ) {
      self.timeLimit = timeLimit
      self.notifiesFollowers = notifiesFollowers
      self.allowsLossyServer = allowsLossyServer
    }

    var limitMilliseconds: Int {
      let (seconds, attoseconds) = timeLimit.components
      guard seconds >= 0 else { return 1 }
      guard seconds < 1_000_000 else { return 1_000_000_000 }
      return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
  }
#endif
