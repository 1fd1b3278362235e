import DaybookStore
import DaybookTesting
import TestSupport
import Testing

/// A journal beside which an earlier replica has left the file that names its log.
@Suite("The file of an earlier replica")
struct StaleReplicaTests {
  private struct Item: Record {
    var id = 0
    static let schema = RecordSchema<Item>("Item")
  }

  @Test(arguments: [
    "set $SCRATCH/games.daybook Game 1 name=x", "sync $SCRATCH/games.daybook",
    "status $SCRATCH/games.daybook",
  ])
  func `the error of a command names the file to move away`(_ command: String) async throws {
    try await TemporaryDirectory.with { scratch in
      let log = MemorySharedLog(name: "list")
      let store = try await Store(
        at: scratch.path("list.daybook"), sharing: log, records: Item.self)
      try await store.close()
      let lines = try BuiltTool.run(
        """
        cd $SCRATCH; root=$OLDPWD; daybook import $root/Journal/Samples/games.jsonl games.daybook \
        >/dev/null; mv list.daybook-shared games.daybook-shared; daybook \(command)
        """, scratch)
      let path = "$SCRATCH/games.daybook"
      #expect(
        lines.filter { !$0.contains("swift build") && !$0.contains("PostgreSQL") } == [
          "\(path): the journal is not a replica of the log list, but the file \(path)-shared of "
            + "an earlier replica is beside it. Nothing was changed. Move that file away.",
          "try: mv \(path)-shared \(path)-shared.old", "[exit 3]",
        ])
    }
  }
}
