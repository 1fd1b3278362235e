import TestSupport
import Testing

@testable import DaybookExamples

@Suite struct `The command of the examples` {
  init() async throws { try await `The examples`.rewriting.value }

  private struct Ran {
    var status: Int32
    var output: String
    var problem: String
    /// The files that were left in the directory for temporary files.
    var left: [String]
  }

  private func run(_ arguments: String..., in parent: String? = nil) async throws -> Ran {
    try await TemporaryDirectory.with { directory in
      var (output, problem) = ("", "")
      let status = await Command.run(
        arguments, in: parent ?? directory.path, output: { output += $0 + "\n" },
        problem: { problem += $0 + "\n" })
      return Ran(
        status: status, output: output, problem: problem, left: directory.names)
    }
  }

  @Test func `the command lists the examples without a name or with help`() async throws {
    for arguments in [[], ["--help"], ["-h"], ["games", "--help"]] {
      var output = ""
      let status = await Command.run(
        arguments, output: { output += $0 + "\n" }, problem: { Issue.record("\($0)") })
      #expect(status == 0)
      #expect(
        output == """
          usage: daybook-examples NAME [--timed]

          Plays one of these examples in the terminal:

            items         items by name: sections, an index, three tracking modes
            reorder       every delegate method, and a user who drags rows
            games         DemoArcade: a list that is updated only by its callbacks
            failed-banks  234 banks, sorted by a date of another record, cached
            food          a food log that always shows the newest 100 rows
            apps          an app store: eleven record types, delete rules, upsert, undo
            tracker       an issue tracker's server: eight writers, pages, JSON answers
            sales         a sales report: sums, averages, groups, live totals
            shared        three machines, one list, and a server that is killed

          An example needs no files, prints the same text in every run, and removes its
          files. With --timed it also prints the durations of fetches, which vary. The
          example shared needs PostgreSQL.

          example: swift run daybook-examples games

          """)
    }
  }

  @Test func `the README has the list of the examples, and the checks run them`() throws {
    let rows = try ProjectFiles.lines("README.md").drop { $0 != "| example | is about |" }
      .dropFirst(2).prefix { !$0.isEmpty }
    #expect(Array(rows) == Command.examples.map { "| `\($0.name)` | \($0.summary) |" })
    let names = Command.examples.map(\.name).joined(separator: " ")
    #expect(
      try ProjectFiles.lines(".ci/run").contains { $0.hasSuffix("for example in \(names); do") })
  }

  @Test(arguments: Command.examples.map(\.name))
  func `the command plays the named example and leaves no files`(_ name: String) async throws {
    let ran = try await run(name)
    #expect(ran.status == 0 && ran.problem == "" && ran.left == [])
    let stored = try ProjectFiles.bytes("Journal/Samples/\(name).txt")
    #expect(ran.output == String(decoding: stored, as: UTF8.self))
  }

  @Test func `the command prints the durations of fetches on request`() async throws {
    let ran = try await run("failed-banks", "--timed")
    #expect(ran.status == 0 && ran.problem == "")
    let times = ran.output.matches(of: /\ \([0-9]+\.[0-9]{6} s\)/)
    #expect(times.count >= 3)
    let stored = try ProjectFiles.bytes("Journal/Samples/failed-banks.txt")
    #expect(
      ran.output.replacing(/\ \([0-9]+\.[0-9]{6} s\)/, with: "")
        == String(decoding: stored, as: UTF8.self))
  }

  @Test func `the command suggests the nearest name for an unknown example`() async throws {
    let ran = try await run("gaems")
    #expect(ran.status == 2 && ran.output == "")
    #expect(ran.problem == "no example 'gaems'; did you mean 'games'?\n")
    #expect(
      try await run("quicksort").problem
        == "no example 'quicksort'; the examples are items, reorder, games, failed-banks, food, "
        + "apps, tracker, sales, shared.\n")
  }

  #if !Postgres
    @Test func `the example of several machines says what it needs`() async throws {
      let ran = try await run("shared")
      #expect(ran.status == 3 && ran.output == "" && ran.left == [])
      #expect(
        ran.problem == "shared needs PostgreSQL: install the server and libpq, and type: "
          + "swift run --traits Postgres daybook-examples shared\n")
    }
  #endif

  @Test func `the command refuses invalid arguments`() async throws {
    let ran = try await run("games", "loudly")
    #expect(ran.status == 2 && ran.output == "")
    #expect(ran.problem == "games has no option 'loudly'; its only option is --timed.\n")
  }

  @Test func `the command reports failed system calls`() async throws {
    let ran = try await run("games", in: "/nowhere")
    #expect(ran.status == 3 && ran.output == "")
    #expect(
      ran.problem == "/nowhere: a directory for the example's files cannot be created here. "
        + "Nothing was changed. Set TMPDIR to a directory that you can write to.\n")
  }
}
