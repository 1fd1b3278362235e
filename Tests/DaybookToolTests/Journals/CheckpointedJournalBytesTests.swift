import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// The law: each command that reads a journal prints the same with a checkpoint as without one.
@Suite("Journals with a checkpoint") struct CheckpointedJournalBytesTests {
  /// Imports a text journal, writes a checkpoint, and then runs commands that change the journal.
  private func make(
    _ lines: [String], at path: String, _ scratch: TemporaryDirectory, changes: [[String]] = []
  ) throws {
    let text = lines.joined(separator: "\n") + "\n"
    _ = try PrintedTool.lines(
      ["import", try scratch.write(Array(text.utf8), to: "lines.jsonl"), path])
    _ = try PrintedTool.lines(["checkpoint", path])
    for change in changes {
      let words = change.map { $0 == "J" ? path : $0 }
      _ = try PrintedTool.lines(words)
    }
  }

  /// The commands to compare, with the journal as `J`.
  private func commands(_ records: [(entity: String, id: String)], last: UInt64) -> [[String]] {
    var commands = [
      ["stats", "J"], ["stats", "J", "--format", "json"], ["schema", "J"],
      ["schema", "J", "--format", "json"], ["log", "J"], ["log", "J", "-n", "3"],
      ["log", "J", "-n", "3", "--reverse", "--oneline"], ["log", "J", "--format", "jsonl"],
      ["log", "J", "--from", "\(last / 2)", "--to", "\(last)"], ["log", "J", "--author", "a1"],
      ["tag", "J"],
    ]
    for entity in Set(records.map(\.entity)).sorted() {
      commands += [
        ["show", "J", entity], ["show", "J", entity, "--limit", "3", "--offset", "1"],
        ["show", "J", entity, "--sort", "id:desc", "--format", "json"],
        ["show", "J", entity, "--at", "\(last / 3)", "--format", "csv"],
        ["show", "J", entity, "--explain"], ["blame", "J", entity],
        ["diff", "J", entity, "--from", "\(last / 2)", "--to", "\(last)"],
        ["replay", "J", entity, "--as", "differences", "--format", "jsonl"],
      ]
    }
    for (entity, id) in records {
      commands += [
        ["why", "J", entity, "--", id], ["history", "J", entity, "--", id],
        ["history", "J", entity, "--format", "jsonl", "--", id],
      ]
    }
    return commands
  }

  /// The result of a command: its lines and its status, or its error.
  private func result(of words: [String], path: String) -> String {
    let words = words.map { $0 == "J" ? path : $0 }
    do {
      let (lines, status) = try PrintedTool.printed(words)
      return (lines + ["\(status)"]).joined(separator: "\n")
    } catch {
      // Two equal errors would prove nothing. Only an absent record is refused.
      #expect(["why", "history"].contains(words[0]), "\(words): \(error)")
      return "\(error)"
    }
  }

  private func compare(
    _ path: String, _ scratch: TemporaryDirectory, _ comment: Comment,
    also: [(entity: String, id: String)] = [], isWhole: Bool = true
  ) throws {
    let store = try Store(reading: path)
    if isWhole {
      #expect(
        try Store(readingFromCheckpoint: path).snapshot.sequence == store.snapshot.sequence, comment
      )
    }
    var records = also
    var transactions = try store.transactions(from: store.base.next)
    while let transaction = try transactions.next() {
      for change in transaction.changes {
        let record = (entity: change.entity, id: ValueText.text(of: change.id))
        if !records.contains(where: { $0 == record }), records.count < 12 {
          records.append(record)
        }
      }
    }
    records += (records.first.map { [(entity: $0.entity, id: "77777")] } ?? [])
    var commands = commands(records, last: store.snapshot.sequence.rawValue)
    if !isWhole {
      // With a checkpoint, these commands need not read the damaged part of the journal.
      commands.removeAll {
        ["stats", "schema", "tag"].contains($0[0]) || $0.contains("--explain")
      }
    }
    let fast = commands.map { result(of: $0, path: path) }
    for name in DerivedFiles.checkpointNames { try? SystemDisk().remove(path + name) }
    for (words, fast) in zip(commands, fast) {
      #expect(fast == result(of: words, path: path), "\(comment): \(words)")
    }
  }

  /// Changes after a checkpoint.
  private static let changes = [
    ["insert", "J", "Player", "900", "name=New"], ["insert", "J", "Player", "901", "points=4"],
    ["set", "J", "Player", "900", "points=3", "--author", "a1"], ["delete", "J", "Player", "901"],
    ["insert", "J", "Player", "901", "points=5"], ["tag", "J", "late"],
  ]

  @Test func `commands print the same with and without a checkpoint, for random journals`() throws {
    for seed in 0..<UInt64(FaultRow.count(6, full: 200)) {
      try TemporaryDirectory.with { scratch in
        let path = scratch.path("clubs.daybook")
        let changes = seed % 2 == 0 ? [] : CheckpointedJournalBytesTests.changes
        try make(RandomClubs.text(seed: seed), at: path, scratch, changes: changes)
        try compare(path, scratch, "seed \(seed)", also: [("Player", "901")])
      }
    }
  }

  /// A command that reads damage before the checkpoint prints the same as without a checkpoint.
  @Test func `commands that read damage before the checkpoint read the whole journal`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("clubs.daybook")
      try make(RandomClubs.text(seed: 4), at: path, scratch)
      var bytes = try scratch.bytes(of: "clubs.daybook")
      let frame = 16_384
      let firstByteCount = Int(bytes[frame]) | Int(bytes[frame + 1]) << 8
      // A byte of the second transaction.
      bytes[frame + firstByteCount + 120] ^= 1
      try scratch.write(bytes, to: "clubs.daybook")
      let words = ["log", path]
      #expect(try PrintedTool.printed(words).status == .problem)
      try compare(path, scratch, "damage", also: [("Player", "1")], isWhole: false)
    }
  }

  @Test(arguments: ["games", "items", "reorder", "food", "failed-banks"])
  func `commands print the same with and without a checkpoint, for the samples`(
    name: String
  ) throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("sample.daybook")
      let lines = try ProjectFiles.lines("Journal/Samples/\(name).jsonl").filter { !$0.isEmpty }
      try make(lines, at: path, scratch)
      try compare(path, scratch, "\(name)")
    }
  }
}
