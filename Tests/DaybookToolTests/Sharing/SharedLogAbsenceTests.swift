import DaybookJournal
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// The commands for shared logs in a tool that was built without PostgreSQL.
@Suite(.enabled(if: !SharedLogs.isSupported, "the tool was built with PostgreSQL"))
struct `A tool without PostgreSQL` {
  private struct Item: Record {
    var id = 0
    var amount = 0
    static let schema = RecordSchema<Item>("Item").attribute("amount", at: \.amount)
  }

  private func absence(_ purpose: String) -> [String] {
    [
      "\(purpose) needs a tool with PostgreSQL. Install libpq, and build the tool with the trait "
        + "Postgres.",
      "try: swift build -c release --traits Postgres", "[exit 3]",
    ]
  }

  @Test(arguments: [
    ("daybook log create postgres://db/app/banks", "create-log"),
    ("daybook create-log postgres://db/app/banks", "create-log"),
    ("daybook log remove postgres://db/app/banks --yes", "remove-log"),
    ("daybook remove-log postgres://db/app/banks", "remove-log"),
    ("daybook publish Journal/Samples/games.jsonl postgres://db/app/banks", "publish"),
    ("daybook clone postgres://db/app/banks $SCRATCH/new", "clone"),
  ])
  func `a command for a log says what to build`(_ command: String, purpose: String) throws {
    try TemporaryDirectory.with { scratch in
      let lines = try BuiltTool.run(command, scratch)
      #expect(lines == absence(purpose))
    }
  }

  @Test func `a replica can be read, and the commands that need its log say what to build`()
    async throws
  {
    try await TemporaryDirectory.with { scratch in
      let path = scratch.path("list.daybook")
      let store = try await Store(
        at: path, sharing: MemorySharedLog(name: "list"), records: Item.self)
      try await store.write { try $0.insert(Item(id: 1, amount: 2)) }
      try await store.close()
      for (command, purpose) in [
        ("daybook sync $SCRATCH/list.daybook", "sync"),
        ("daybook status $SCRATCH/list.daybook", "status"),
        ("daybook repair $SCRATCH/list.daybook --dry-run", "repair"),
        ("daybook set $SCRATCH/list.daybook Item 1 amount=3", "set on a replica"),
        ("daybook tag $SCRATCH/list.daybook now", "tag on a replica"),
      ] {
        #expect(try BuiltTool.run(command, scratch) == absence(purpose))
      }
      #expect(
        try BuiltTool.run(
          "daybook show $SCRATCH/list.daybook Item --format csv; "
            + "daybook watch $SCRATCH/list.daybook Item --format jsonl | head -n 1", scratch) == [
            "id,amount", "1,2", #"{"section":"","id":1,"amount":2}"#,
            "$SCRATCH/list.daybook: the tool was built without PostgreSQL, so only other processes "
              + "read the log.",
          ])
      #expect(
        try BuiltTool.run("daybook publish $SCRATCH/list.daybook postgres://db/list", scratch)
          == absence("publish"))
    }
  }

  @Test func `a journal that is no replica cannot be synchronized`() throws {
    try TemporaryDirectory.with { scratch in
      let lines = try BuiltTool.run(
        """
        daybook import Journal/Samples/games.jsonl $SCRATCH/games.daybook >/dev/null
        daybook sync $SCRATCH/games.daybook; daybook status $SCRATCH/missing
        """, scratch)
      #expect(
        lines == [
          "$SCRATCH/games.daybook: the journal is not a replica of a shared log. Publish it first.",
          "try: daybook publish $SCRATCH/games.daybook postgres://HOST/DATABASE/LOG",
          "$SCRATCH/missing: there is no file of this name. Check the path.", "[exit 3]",
        ])
    }
  }

  @Test func `help describes the commands of two words`() throws {
    try TemporaryDirectory.with { scratch in
      let lines = try BuiltTool.run(
        "for word in create remove; do daybook help log $word | head -n 1; done", scratch)
      #expect(
        lines == [
          "usage: daybook create-log URL [OPTION …]", "usage: daybook remove-log URL [OPTION …]",
        ])
    }
  }

  @Test func `a journal with the name create is still read by log`() throws {
    try TemporaryDirectory.with { scratch in
      let commands = """
        root=$PWD; cd $SCRATCH; daybook import $root/Journal/Samples/games.jsonl create >/dev/null
        daybook log create -n 1 --oneline | wc -l
        daybook log create --author http://nobody 2>/dev/null | wc -l; daybook log create --help | head -n 1
        daybook log create postgres://db/log 2>&1 | head -n 1; rm create; daybook log create
        """
      let lines = try BuiltTool.run(commands, scratch)
      #expect(
        lines == [
          "1", "0", "usage: daybook log JOURNAL [OPTION …]", absence("create-log")[0],
          "create-log needs URL.", "try: daybook create-log --help", "[exit 2]",
        ])
    }
  }
}
