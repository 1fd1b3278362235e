#if Postgres
  import Foundation

  /// Two PostgreSQL servers on this machine: a primary, and a standby that has each acknowledged
  /// commit. They end with this process.
  final class ExampleCluster {
    /// A problem with the servers. The text is a sentence.
    struct Refusal: Error, CustomStringConvertible {
      let description: String
    }

    /// A URL of a log that leads to the primary, whichever server it is.
    var url: String {
      let hosts = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
      return "postgres://admin@\(hosts)/postgres/shopping?target_session_attrs=read-write"
    }

    private let directory: String
    private let ports: [Int]
    private let programs: String
    private let supervisor: Process
    private let supervision: Pipe

    private static let installations = "/usr/lib/postgresql"

    /// Starts the servers, in a directory of their own.
    init() throws {
      let files = FileManager.default
      let versions = (try? files.contentsOfDirectory(atPath: ExampleCluster.installations)) ?? []
      let servers = versions.compactMap { Int($0) }.filter { version in
        files.isExecutableFile(atPath: "\(ExampleCluster.installations)/\(version)/bin/initdb")
      }
      guard let newest = servers.max() else {
        throw Refusal(
          description: "shared needs a PostgreSQL server, and \(ExampleCluster.installations) "
            + "contains none. Install the package of the server.")
      }
      programs = "\(ExampleCluster.installations)/\(newest)/bin"
      directory = try ExampleCluster.output(
        of: """
          directory=$(mktemp -d /tmp/daybook-example-XXXXXX) && echo $directory
          if [ "$(id -u)" = 0 ]; then chown postgres $directory; fi
          """)
      // The system gives ports above these to connections.
      let port = 2 * Int.random(in: 10_000..<16_000)
      ports = [port, port + 1]
      // The shell outlives this process, however it ends.
      (supervisor, supervision) = (Process(), Pipe())
      supervisor.executableURL = URL(filePath: "/bin/sh")
      supervisor.arguments = [
        "-c",
        """
        trap '' INT; read line
        for name in a b; do \(ExampleCluster.user)\(programs)/pg_ctl -D \(directory)/$name -m \
        immediate stop; done >/dev/null 2>&1
        rm -rf \(directory)
        """,
      ]
      supervisor.standardInput = supervision
      try supervisor.run()
      do {
        try start()
      } catch {
        stop()
        throw error
      }
    }

    /// The words before a command of the server, which refuses to run as root.
    private static let user = """
      $([ "$(id -u)" != 0 ] || echo setpriv --reuid=postgres --regid=postgres --clear-groups) \

      """

    private func start() throws {
      try run(
        """
        initdb -D a -U admin -A trust --no-sync -E UTF8 --locale=C
        \(starting("a", port: ports[0]))
        pg_basebackup -D b -R --no-sync -c fast -d 'host=127.0.0.1 port=\(ports[0]) user=admin'
        \(starting("b", port: ports[1]))
        """)
      try sql("alter system set synchronous_standby_names = 'ANY 1 (*)'", onPort: ports[0])
      try sql("select pg_reload_conf()", onPort: ports[0])
      let condition = "select count(*) from pg_stat_replication where sync_state = 'quorum'"
      for _ in 0..<600 {
        if try sql(condition, onPort: ports[0]) == "1" { return }
        Thread.sleep(forTimeInterval: 0.05)
      }
      throw Refusal(description: "The standby has not connected to the primary.")
    }

    private func starting(_ name: String, port: Int) -> String {
      """
      pg_ctl -D \(name) -w -l \(name).log -o '-p \(port) -c listen_addresses=127.0.0.1 \
      -c unix_socket_directories= -c shared_buffers=16MB' start
      """
    }

    /// Kills the primary, and lets the standby take its place.
    func failOver() throws {
      try run("kill -9 $(head -1 a/postmaster.pid)", isOfServer: false)
      try run("pg_ctl -D b -w promote")
    }

    /// Stops the servers, and removes their files.
    func stop() {
      try? supervision.fileHandleForWriting.close()
      supervisor.waitUntilExit()
    }

    // MARK: Commands

    /// Runs commands of the server, one in each line, in the directory.
    private func run(_ commands: String, isOfServer: Bool = true) throws {
      for command in commands.split(separator: "\n") {
        let prefix = isOfServer ? "\(ExampleCluster.user)\(programs)/" : ""
        do {
          try ExampleCluster.output(
            of: "cd \(directory) && \(prefix)\(command) </dev/null >>commands.log 2>&1",
            isRead: false)
        } catch {
          let log = try? String(contentsOfFile: "\(directory)/commands.log", encoding: .utf8)
          throw Refusal(description: "\(command): the command failed. \((log ?? "").suffix(300))")
        }
      }
    }

    @discardableResult
    private func sql(_ text: String, onPort port: Int) throws -> String {
      try ExampleCluster.output(
        of: "\(programs)/psql -h 127.0.0.1 -p \(port) -U admin -d postgres -Atqc \"\(text)\"")
    }

    /// A command of bash that closes all descriptors except for the standard ones.
    private static let closing = """
      for path in /proc/$$/fd/*; do n=${path##*/}; [ $n -le 2 ] || eval "exec $n>&-"; done
      """

    /// Runs a command, and returns its output.
    ///
    /// A command may start a server, which keeps the descriptors that it inherits. So the output of
    /// such a command is not read. It also inherits no socket of `Process`, which waits until the
    /// socket is closed in all processes.
    @discardableResult
    private static func output(of command: String, isRead: Bool = true) throws -> String {
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["-c", isRead ? command : "\(closing)\n\(command)"]
      if isRead { process.standardOutput = pipe }
      try process.run()
      let data = isRead ? try pipe.fileHandleForReading.readToEnd() : nil
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw Refusal(description: "\(command): status \(process.terminationStatus)")
      }
      return String(decoding: data ?? Data(), as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
#endif
