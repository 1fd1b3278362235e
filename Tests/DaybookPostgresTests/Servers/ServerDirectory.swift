#if Postgres
  import DaybookCLibrary
  import TestSupport

  /// The temporary directories of servers.
  ///
  /// A directory contains the file `owner`, which identifies the process of the tests: its number,
  /// the time of its start, and its number space. If the process is killed together with its
  /// shells, the next run of the tests removes the directory.
  enum ServerDirectory {
    static let prefix = "/tmp/daybook-postgres-"

    /// Creates a directory that this process owns.
    static func make() throws -> String {
      var template = Array("\(prefix)XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw Surprise("mkdtemp: errno \(errno)") }
      let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      try PostgresServer.run("\(identity)\necho $(identity \(getpid())) >\(path)/owner")
      return path
    }

    /// A shell function that prints the identity of a process; nothing if there is none.
    private static let identity = """
      identity() {
        set -- $1 "$(sed 's/.*) //' /proc/$1/stat | cut -d ' ' -f 20)" "$(readlink /proc/$1/ns/pid)"
        [ -z "$2" ] || echo $1 $2 $3
      } 2>/dev/null
      """

    /// Returns a command that removes a directory, also if its data is a mounted file system.
    static func removal(of path: String) -> String {
      "{ umount \(path)/data || true; rm -rf \(path); } 2>/dev/null"
    }

    /// Removes the directories of processes that have ended, and ends their servers. A process of a
    /// different number space may still run.
    static func removeAbandoned() throws {
      try PostgresServer.run(
        """
        \(identity)
        for directory in \(prefix)*; do
          [ -f $directory/owner ] || continue
          read process start space <$directory/owner
          [ "$space" = "$(readlink /proc/self/ns/pid)" ] || continue
          [ "$(identity $process)" = "$process $start $space" ] && continue
          server=$(head -n 1 $directory/data/postmaster.pid 2>/dev/null)
          if [ "$(readlink /proc/$server/cwd)" = $directory/data ]; then
            kill -KILL $server
          fi
          \(removal(of: "$directory"))
        done
        true
        """)
    }
  }
#endif
