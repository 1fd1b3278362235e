#if Postgres
  import DaybookCLibrary
  import DaybookJournal
  import DaybookPlatform
  import Synchronization
  import TestSupport

  @testable import DaybookPostgres

  /// A PostgreSQL server that a test starts on the loopback interface, in a temporary directory.
  ///
  /// A shell starts the server and waits for a line of this process. If this process ends in any
  /// way, the shell ends the server that it started, and deletes its files.
  final class PostgresServer: Sendable {
    /// The address of the pipe to the shell; 0 while the server is stopped.
    private let shell = Mutex(0)
    private let directory: String
    private let settings: [String]
    /// The network of the server; nil for the loopback interface.
    private let cable: NetworkCable?
    let port: Int

    static let absence = """
      no PostgreSQL server can be started: initdb is not in /usr/lib/postgresql, or this is root \
      and there is no user postgres
      """

    static var isInstalled: Bool { programs != nil && (getuid() != 0 || userPrefix != "") }

    /// The directory of the programs of the newest version.
    private static let programs: String? = {
      let root = "/usr/lib/postgresql"
      let versions = ((try? SystemDisk().list(root)) ?? []).compactMap { Int($0) }.sorted()
      return versions.map { "\(root)/\($0)/bin" }.last { access("\($0)/initdb", X_OK) == 0 }
    }()

    /// The words before a command that must not run as root.
    private static let userPrefix: String =
      getuid() == 0 && getpwnam("postgres") != nil
      ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : ""

    /// A server for tests that change nothing outside of their own logs.
    static let shared = Result { try PostgresServer() }

    /// A new database cluster, which each server copies.
    private static let template = Result {
      try ServerDirectory.removeAbandoned()
      let directory = try makeDirectory()
      // The pipe stays open until this process ends.
      _ = try startShell("read line; rm -rf \(directory)")
      try run(
        """
        cd \(directory) && \(userPrefix) \(programs ?? "")/initdb -D \(directory)/data -U admin \
        -A trust --no-sync -E UTF8 --locale=C >initdb.log 2>&1 &&
        sed -i -e '1i host all careful 127.0.0.1/32 scram-sha-256' \
          -e '$a host all all \(NetworkCable.addresses) trust' data/pg_hba.conf
        """)
      return directory
    }

    /// Starts a server, and creates the tables of Daybook.
    ///
    /// - Parameters:
    ///   - settings: Settings such as `fsync=off`.
    ///   - cable: The network of the server; nil for the loopback interface.
    ///   - preparation: A command that runs in the directory of the server before its first start.
    init(
      _ settings: [String] = [], cable: NetworkCable? = nil, preparation: String = "true"
    ) throws {
      let template = try PostgresServer.template.get()
      directory = try PostgresServer.makeDirectory()
      self.settings = settings
      self.cable = cable
      port = try PostgresServer.freePort()
      try PostgresServer.run(
        """
        cd \(directory) && mkdir data && { \(preparation); } >preparation.log 2>&1 && \
        cp -a \(template)/data/. data/
        """)
      try start()
      _ = try sql(Tables.create)
    }

    /// Starts a standby of a server. Its tables are those of the server.
    init(standbyOf primary: PostgresServer, _ settings: [String] = []) throws {
      directory = try PostgresServer.makeDirectory()
      self.settings = settings
      cable = nil
      port = try PostgresServer.freePort()
      try PostgresServer.run(
        """
        \(PostgresServer.userPrefix) \(PostgresServer.programs ?? "")/pg_basebackup \
        -D \(directory)/data -R --no-sync -c fast -d 'host=127.0.0.1 port=\(primary.port) user=admin'
        """)
      try start()
    }

    deinit {
      stop(keepsFiles: false)
      // The shell of a server that was stopped before has ended.
      try? PostgresServer.run(ServerDirectory.removal(of: directory))
    }

    /// Returns the path of a file in the directory of the server.
    func path(_ name: String) -> String { "\(directory)/\(name)" }

    // MARK: Connecting

    /// Returns a URL of the server with a query, such as `options=…`.
    func url(user: String = "admin", _ query: String = "") -> String {
      "postgres://\(user)@\(cable?.serverAddress ?? "127.0.0.1"):\(port)/postgres\(query.isEmpty ? "" : "?\(query)")"
    }

    func log(
      _ name: String, user: String = "admin", query: String = "",
      options: PostgresOptions = PostgresOptions()
    ) -> PostgresLog {
      PostgresLog(url(user: user, query), name: name, options: options)
    }

    func session(user: String = "admin") throws -> PostgresSession {
      try PostgresSession(
        PostgresAddress(url(user: user)), firstHost: 0, gate: ConnectionGate(),
        limitMilliseconds: 60_000)
    }

    /// Executes statements on a new connection.
    func sql(_ text: String) throws { try session().executeAll(text) }

    /// Returns the number that a query of a `bigint` returns.
    func number(_ query: String) throws -> Int64 {
      try session().execute(query).integer(row: 0, column: 0)
    }

    /// Waits until a query of a `bigint` returns a number.
    func wait(for query: String, toBe expected: Int64) async throws {
      for _ in 0..<3000 {
        if try number(query) == expected { return }
        // The tasks of other tests run meanwhile.
        try await Task.sleep(for: .milliseconds(10))
      }
      throw Surprise("\(query) did not become \(expected)")
    }

    /// Returns a query for the number of sessions that have the lock of a log, or that wait for it.
    static func lockCount(of log: String, isGranted: Bool) -> String {
      """
      select count(*) from pg_locks where locktype = 'advisory' and granted = \(isGranted)
        and classid = \(LockKeys.classID) and objid::bigint = hashtext('\(log)')::bigint & 4294967295
      """
    }

    // MARK: Starting and stopping

    func start() throws {
      let options = settings.map { "-c '\($0)'" }.joined(separator: " ")
      let command = """
        cd \(directory)
        \(cable?.prefix ?? "") \(PostgresServer.userPrefix) \
        \(PostgresServer.programs ?? "")/postgres -D data \
        -p \(port) -c listen_addresses=\(cable?.serverAddress ?? "127.0.0.1") -c unix_socket_directories= \
        -c shared_buffers=16MB -c max_connections=60 \(options) </dev/null >>log 2>&1 &
        server=$!
        read line
        kill -INT $server 2>/dev/null
        wait $server
        [ "$line" = keep ] || { \(ServerDirectory.removal(of: directory)); \(cable?.removal ?? "true"); }
        """
      let address = try PostgresServer.startShell(command)
      shell.withLock { $0 = address }
      for _ in 0..<3000 {
        if (try? session()) != nil { return }
        SystemThread.pause(milliseconds: 10)
      }
      throw Surprise("the server in \(directory) did not start")
    }

    /// Stops the server, and waits until it has ended.
    func stop(keepsFiles: Bool = true) {
      let address = shell.withLock { shell in
        defer { shell = 0 }
        return shell
      }
      guard let pipe = UnsafeMutablePointer<FILE>(bitPattern: address) else { return }
      fputs(keepsFiles ? "keep\n" : "delete\n", pipe)
      pclose(pipe)
    }

    /// Ends all processes of the server at once, as a crash of its machine does.
    ///
    /// If only the first process were killed, its children would notice that some milliseconds
    /// later. Meanwhile, a commit that waits for a standby would end without one, and other sessions
    /// could read it.
    func crash() throws {
      let file = try TemporaryDirectory(path: "\(directory)/data").bytes(of: "postmaster.pid")
      let line = String(decoding: file.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      guard let process = Int32(line), process > 1 else { throw Surprise("no process: \(line)") }
      // A stopped process starts no children, and notices nothing. A new server cannot start before
      // all of them have ended.
      try PostgresServer.run(
        """
        kill -STOP \(process) || exit 1
        children=$(cat /proc/\(process)/task/\(process)/children)
        kill -STOP $children
        kill -KILL \(process) $children
        for child in $children; do
          while readlink -e /proc/$child/exe >/dev/null; do sleep 0.01; done
        done
        """)
      stop()
    }

    // MARK: Parts

    private static func makeDirectory() throws -> String {
      let path = try ServerDirectory.make()
      if getuid() == 0 { try run("chown postgres \(path)") }
      return path
    }

    /// Starts a shell with a pipe as its input, and returns the address of the pipe.
    private static func startShell(_ command: String) throws -> Int {
      // A shell that inherits a blocked SIGCHLD does not notice the end of its children.
      var signals = sigset_t()
      var oldSignals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGCHLD)
      pthread_sigmask(SIG_UNBLOCK, &signals, &oldSignals)
      defer { pthread_sigmask(SIG_SETMASK, &oldSignals, nil) }
      // The letter "e" closes the pipe in other children, which would keep it open. The shell must
      // not keep the output of the tests open.
      guard let pipe = popen("exec >/dev/null 2>&1\n\(command)", "we") else {
        throw Surprise("popen: errno \(errno)")
      }
      return Int(bitPattern: pipe)
    }

    static func run(_ command: String) throws {
      let status = try CurrentProcess.run("sh", arguments: ["-c", command])
      guard status == 0 else { throw Surprise("\(command): status \(status)") }
    }

    /// Returns a port that no program uses at the moment.
    private static func freePort() throws -> Int {
      let socket = try LoopbackSocket.listening()
      defer { close(socket.descriptor) }
      return socket.port
    }
  }

  /// A maker of names that no other log of a test has.
  final class NameMaker: Sendable {
    private let count = Mutex(0)

    func next(_ name: String) -> String {
      count.withLock { count in
        count += 1
        return "\(name) \(count)"
      }
    }
  }

  extension PostgresLog {
    /// The name of the log in its database.
    var baseName: String { String(name.split(separator: " at ")[0]) }
  }

  /// A socket that listens on the loopback interface.
  struct LoopbackSocket {
    let descriptor: Int32
    let port: Int

    static func listening() throws -> LoopbackSocket {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
      var address = LoopbackSocket.address(port: 0)
      var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(descriptor, pointer, byteCount) + listen(descriptor, 16)
            + getsockname(descriptor, pointer, &byteCount)
        }
      }
      guard status == 0 else { throw Surprise("a socket cannot be made: errno \(errno)") }
      return LoopbackSocket(descriptor: descriptor, port: Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects to a port.
    static func connected(toPort port: Int) -> Int32 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
      var address = LoopbackSocket.address(port: port)
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if status == 0 { return descriptor }
      close(descriptor)
      return -1
    }

    private static func address(port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return address
    }
  }
#endif
