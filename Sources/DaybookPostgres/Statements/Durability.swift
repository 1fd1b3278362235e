#if Postgres
  /// The settings of a server that decide what an acknowledgement rests on.
  struct ServerDurability: Hashable {
    var standbyNames: String
    var synchronousCommit: String
    var fsync: String

    /// The number of servers that have a commit on disk when it is acknowledged.
    var serverCount: Int {
      guard fsync != "off", synchronousCommit != "off" else { return 0 }
      guard ["on", "remote_apply"].contains(synchronousCommit) else { return 1 }
      return 1 + requiredStandbyCount
    }

    /// The number of standbys that a commit waits for, by `synchronous_standby_names`. The value is
    /// a list of names, or a number and a list in parentheses, perhaps after FIRST or ANY.
    private var requiredStandbyCount: Int {
      guard standbyNames.contains(where: { !$0.isWhitespace }) else { return 0 }
      guard let list = standbyNames.firstIndex(of: "(") else { return 1 }
      let words = standbyNames[..<list].split(whereSeparator: \.isWhitespace)
      return words.last.flatMap { Int($0) }.map { min(max($0, 1), 10_000) } ?? 1
    }

    /// The reason why a server must not be used without an option; nil if it may be used.
    var defect: String? {
      if fsync == "off" {
        return """
          its setting fsync is off, so a crash of the machine can damage the database. Set it to \
          on, or allow such a server with the option allowsLossyServer
          """
      }
      if ["off", "local"].contains(synchronousCommit) {
        return """
          its setting synchronous_commit is \(synchronousCommit), so a crash can lose transactions \
          that were acknowledged. Set it to on, or allow such a server with the option \
          allowsLossyServer
          """
      }
      return nil
    }
  }

  /// The history that a server continues. Each promotion of a standby starts a new timeline.
  struct ServerTimeline: Hashable {
    /// The identifier of the database cluster, which its standbys share.
    var system: Int64
    var number: Int64

    /// Returns a Boolean value that indicates whether a server with a different timeline has
    /// replaced the server with this one.
    func precedes(_ other: ServerTimeline) -> Bool {
      system == other.system && number < other.number
    }

    /// Returns one row; the number is 0 on a standby. The name of a file of the write-ahead log
    /// starts with the timeline.
    static let query = """
      select system_identifier, case when pg_is_in_recovery() then 0 else
        ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int::bigint end
      from pg_control_system()
      """
  }

  extension PostgresRows {
    /// The settings in the first columns of the only row; see ``PostgresStatement/barrier``.
    var durability: ServerDurability {
      ServerDurability(
        standbyNames: text(row: 0, column: 0), synchronousCommit: text(row: 0, column: 1),
        fsync: text(row: 0, column: 2))
    }
  }
#endif
