#if Postgres
  import DaybookCLibrary
  import DaybookPlatform
  import Synchronization
  import TestSupport

  /// The built tool and the built examples, run by a shell with a temporary directory.
  struct ToolSession {
    private let scratch: TemporaryDirectory
    /// The URL of the log, which the commands have as `$URL`.
    private let url: String
    /// The hosts with their ports, which differ in each run, and what is compared in place of them.
    private let names: [(text: String, name: String)]

    init(scratch: TemporaryDirectory, on servers: [PostgresServer], log: String) {
      self.init(scratch: scratch, ports: servers.map(\.port), log: log)
    }

    init(scratch: TemporaryDirectory, ports: [Int], log: String) {
      self.scratch = scratch
      let hosts = ports.map { "127.0.0.1:\($0)" }
      url = """
        postgres://admin@\(hosts.joined(separator: ","))/postgres/\(log)\
        ?target_session_attrs=read-write
        """
      var names = hosts.enumerated().map { (text: $1, name: "db\($0 + 1)") }
      names += ports.enumerated().map {
        (text: "\"127.0.0.1\", port \($1)", name: "db\($0 + 1)")
      }
      names.append((text: scratch.path, name: "$SCRATCH"))
      self.names = names
    }

    // The lock prevents that a new process inherits the pipe of another.
    private static let starting = Mutex(())

    /// Runs commands in bash, and returns standard output, then standard error, then the exit status
    /// if it is not 0. The times of transactions are replaced.
    func lines(_ commands: String) throws -> [String] {
      let directory = FilePaths.split(try SystemDisk().resolve("/proc/self/exe")).directory
      let script = """
        cd '\(scratch.path)'; PATH='\(directory)':$PATH; URL='\(url)'
        export PATH TERM=xterm LC_ALL=C.UTF-8 DAYBOOK_PAGER= TMPDIR='\(scratch.path)' PGPASSWORD=
        unset COLUMNS NO_COLOR PAGER LESS DAYBOOK_NOW
        \(commands)
        """
      let path = try scratch.write(Array(script.utf8), to: "script")
      let errors = "\(path)-errors"
      let started = ToolSession.starting.withLock { _ in
        Started(pipe: popen("/bin/bash '\(path)' 2>'\(errors)' </dev/null", "re"))
      }
      guard let pipe = started.pipe else { throw Surprise("\(commands): errno \(errno)") }
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = fread(&piece, 1, piece.count, pipe)
        if count == 0 { break }
        bytes += piece[..<count]
      }
      let status = pclose(pipe) >> 8 & 0xFF
      bytes += try scratch.bytes(of: "script-errors")
      var text = String(decoding: bytes, as: UTF8.self)
      for (found, name) in names { text = text.replacing(found, with: name) }
      // The times of imported transactions are those of an earlier year.
      text = text.replacing(/20(2[6-9]|[3-9]\d)-\d\d-\d\dT[0-9:.]+Z/, with: "2026-11-27T09:00:00Z")
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
      return status == 0 ? lines : lines + ["[exit \(status)]"]
    }

    private struct Started: @unchecked Sendable {
      // The pipe is used only by the thread that requested it.
      let pipe: UnsafeMutablePointer<FILE>?
    }
  }
#endif
