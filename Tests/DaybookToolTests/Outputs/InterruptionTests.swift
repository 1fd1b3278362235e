import DaybookCLibrary
import DaybookPlatform
import TestSupport
import Testing

@testable import DaybookTool

/// The files that an interruption removes, and the commands that it ends.
@Suite struct `An interruption` {
  @Test func `an interruption removes the files without a final name`() throws {
    try TemporaryDirectory.with { scratch in
      let interruption = Interruption()
      let disk = InterruptibleDisk(interruption)
      let folder = scratch.path("files")
      #expect(mkdir(folder, 0o700) == 0)
      func path(_ name: String) -> String { FilePaths.join(folder, name: name) }
      func create(_ name: String) throws { _ = try disk.create(path(name), permissions: 0o600) }
      for name in [".a.new-1", "b.new-2", ".c.new-3", ".d.new-4", "journal-end", ".e.new-5"] {
        try create(name)
      }
      try disk.rename(path("b.new-2"), to: path("b"))
      try disk.link(path(".c.new-3"), to: path("c"))
      try disk.remove(path(".c.new-3"))
      // A linked file has two names until the temporary one is removed.
      try disk.link(path(".d.new-4"), to: path("d"))
      // A file can get a second temporary name first.
      try disk.link(path(".e.new-5"), to: path(".e.new-6"))
      try create(".e.new-6-end")
      interruption.removeAll()
      #expect(Set(try SystemDisk().list(folder)) == ["b", "c", "d"])
    }
  }

  @Test func `an interruption removes a folder with its files`() throws {
    try TemporaryDirectory.with { scratch in
      let interruption = Interruption()
      let folder = scratch.path("folder")
      _ = try interruption.creatingFolder { () throws(DiskError) in
        mkdir(folder, 0o700)
        return folder
      }
      _ = try SystemDisk().create(FilePaths.join(folder, name: "file"), permissions: 0o600)
      interruption.removeAll()
      #expect(try SystemDisk().list(scratch.path("")).isEmpty)
    }
  }

  /// The law: whenever an interruption arrives, the journal is the old one or the new one. The
  /// message says which one it is, and there is no other file.
  @Test func `an interrupted compaction leaves one complete journal`() throws {
    try TemporaryDirectory.with { scratch in
      let lines = try BuiltTool.run(
        """
        cd $SCRATCH; mkdir j; seq 20000 | sed 's/.*/{"tx":&,"time":"2026-01-01T00:00:00Z",\
        "changes":[{"op":"insert","entity":"Row","id":&,"set":{"name":"a row"}}]}/' | \
        tr -d '\\n' | sed 's/}]}/}]}\\n/g' > text
        daybook import text old >/dev/null; cp old new; daybook compact new --yes >/dev/null
        for tries in 1 2 3 4 5 6 7 8; do
          rm -f j/*; cp old j/j
          env --default-signal=INT daybook compact j/j --yes >out 2>err & p=$!
          # The first tries interrupt the opening, and the others the rewriting.
          [ $tries -le 2 ] || until [ "$(ls -A j)" != j ] || ! kill -0 $p; do :; done 2>/dev/null
          kill -INT $p 2>/dev/null; wait $p; status=$?; sentence=$(cat err)
          # A command that was not interrupted leaves the file with the committed end.
          files=$(ls -A j | tr '\\n' ' ')
          [ "$status $files" = "130 j " ] || [ "$status $files" = "0 j j-end " ] || \
            echo "$status, files: $files"
          if cmp -s j/j old; then
            [ "$status $sentence" = "130 Interrupted. The journal was not changed." ] || \
              [ "$status $sentence" = "130 " ] || echo "old: $status $sentence"
          else
            daybook verify j/j >/dev/null || echo "damaged"
            daybook show j/j Row --format csv | cmp - <(daybook show new Row --format csv)
            [ "$status $sentence" = "0 " ] || \
              [ "$status $sentence" = "130 Interrupted after the new file had replaced the journal." ] \
              || echo "new: $status $sentence"
          fi
        done 2>/dev/null
        """, scratch)
      #expect(lines == [])
    }
  }

  @Test func `the journal is unchanged after an interruption of the question`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("games.daybook")
      _ = try BuiltTool.run("daybook import Journal/Samples/games.jsonl '\(path)'", scratch)
      let before = try scratch.bytes(of: "games.daybook")
      let session = try TerminalSession(["compact", path])
      _ = try session.read(through: "Continue? [y/N] ")
      try session.press("\u{3}")
      #expect(try session.end() == "exit 130")
      #expect(try session.rest().hasSuffix("Interrupted. The journal was not changed.\n"))
      #expect(try scratch.bytes(of: "games.daybook") == before)
    }
  }
}

/// A pager on a terminal of six lines.
@Suite struct `A pager on a terminal` {
  private func session(_ pager: String) throws -> TerminalSession {
    try TerminalSession(
      ["log", "Journal/Samples/games.jsonl", "--oneline"], rowCount: 6,
      variables: ["DAYBOOK_PAGER=\(pager)"])
  }

  @Test(.enabled(if: BuiltTool.has("less")))
  func `the tool exits with status 0 when the user quits the pager`() throws {
    let session = try session("less")
    _ = try session.read(through: "7  2026-01-01T00:02:00Z  +1")
    try session.press("q")
    #expect(try session.end() == "exit 0")
    #expect(session.isAsBefore)
  }

  @Test func `a pager that is killed leaves the terminal as it was`() throws {
    let session = try session("stty raw -echo </dev/tty; kill -9 $$")
    #expect(try session.end() == "exit 0")
    #expect(session.isAsBefore)
  }

  @Test func `Ctrl-C does not end the tool while its pager shows the whole output`() throws {
    let session = try session("trap '' INT; echo ready; read line </dev/tty; cat")
    _ = try session.read(through: "ready\n")
    try session.press("\u{3}")
    try session.press("\n")
    _ = try session.read(through: "\n1  2026-01-01T00:00:00Z  +1\n")
    #expect(try session.end() == "exit 0")
  }
}
