#if Postgres
  import DaybookJournal
  import Synchronization
  import TestSupport

  @testable import DaybookPostgres

  /// A primary and its standbys, one of which can replace it.
  //
  // Shared state: `primaryIndex`, guarded by its mutex.
  final class PostgresCluster: Sendable {
    let servers: [PostgresServer]
    private let isSynchronous: Bool
    private let primaryIndex = Mutex(0)

    /// Starts the servers.
    ///
    /// - Parameters:
    ///   - standbyCount: The number of standbys.
    ///   - isSynchronous: A Boolean value that indicates whether a commit waits for any one standby.
    init(standbyCount: Int, isSynchronous: Bool) async throws {
      self.isSynchronous = isSynchronous
      // The limit of kept files: a standby that follows a new primary needs older ones.
      let primary = try PostgresServer(["wal_keep_size=256MB"])
      var servers = [primary]
      for _ in 0..<standbyCount {
        let names = isSynchronous ? ["synchronous_standby_names=ANY 1 (*)"] : []
        servers.append(try PostgresServer(standbyOf: primary, ["wal_keep_size=256MB"] + names))
      }
      self.servers = servers
      if isSynchronous {
        // The setting applies to the primary after its first start, which creates the tables.
        try primary.session().execute("alter system set synchronous_standby_names = 'ANY 1 (*)'")
        try primary.session().execute("select pg_reload_conf()")
      }
      try await waitForStandbys(standbyCount)
    }

    /// The server that takes appends.
    var primary: PostgresServer { servers[primaryIndex.withLock { $0 }] }

    /// A URL that leads to the primary, whichever server it is.
    var url: String {
      let hosts = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
      return "postgres://admin@\(hosts)/postgres?target_session_attrs=read-write&connect_timeout=5"
    }

    func log(_ name: String, options: PostgresOptions = PostgresOptions()) -> PostgresLog {
      PostgresLog(url, name: name, options: options)
    }

    /// Ends the primary by SIGKILL, and promotes the standby that has received most. The other
    /// standbys follow it.
    func failOver() async throws {
      let old = primaryIndex.withLock { $0 }
      try servers[old].crash()
      let standbys = servers.indices.filter { $0 != old }
      var received: [(index: Int, position: Int64)] = []
      for index in standbys {
        // A standby writes what it has received, and then notices the end of the connection.
        try await servers[index].wait(for: "select count(*) from pg_stat_wal_receiver", toBe: 0)
        let position = try servers[index].number(
          "select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::bigint")
        received.append((index, position))
      }
      guard let furthest = received.max(by: { $0.position < $1.position }) else {
        throw Surprise("the cluster has no standby")
      }
      try await promote(furthest.index, followedBy: standbys.filter { $0 != furthest.index })
    }

    /// Promotes a standby.
    func promote(_ index: Int, followedBy others: [Int]) async throws {
      let server = servers[index]
      try server.session().execute("select pg_promote(false)")
      try await server.wait(for: "select pg_is_in_recovery()::int::bigint", toBe: 0)
      primaryIndex.withLock { $0 = index }
      for other in others {
        try servers[other].session().execute(
          """
          alter system set primary_conninfo = 'host=127.0.0.1 port=\(server.port) user=admin'
          """)
        try servers[other].session().execute("select pg_reload_conf()")
      }
      try await waitForStandbys(others.count)
    }

    private func waitForStandbys(_ count: Int) async throws {
      let condition = isSynchronous ? "sync_state = 'quorum'" : "state = 'streaming'"
      try await primary.wait(
        for: "select count(*) from pg_stat_replication where \(condition)", toBe: Int64(count))
    }
  }
#endif
