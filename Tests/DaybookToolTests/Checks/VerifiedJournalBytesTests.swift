import DaybookJournal
import DaybookPlatform
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// The law of `verify`: every command can use a journal that is OK, and `export` followed by
/// `import` is the identity. No journal, whatever its content, crashes the process.
@Suite("Journals that verify calls OK") struct VerifiedJournalBytesTests {
  private func write(_ payloads: [[UInt8]], to path: String) throws {
    var options = JournalOptions()
    options.worksInBackground = false
    options.durability = .none
    let journal = try FileJournal(at: path, options: options)
    for payload in payloads where !payload.isEmpty { _ = try journal.appendAndWait(payload) }
    try journal.closeAndWait()
  }

  /// Runs a command of the tool in this process.
  private func run(_ words: [String]) throws -> (lines: [String], status: DaybookTool.ExitStatus) {
    do { return try PrintedTool.printed(words) } catch let error as ToolError {
      return ([error.sentence], error.status)
    }
  }

  /// Returns the commands that can run on every journal, with other files as targets for those that
  /// write.
  private func commands(_ path: String, _ scratch: TemporaryDirectory) -> [[String]] {
    [
      ["show", path, "Place"], ["show", path, "Person", "--sort", "name"], ["log", path],
      ["log", path, "--format", "jsonl"], ["stats", path],
      ["replay", path, "Person", "--sort", "name"],
      ["replay", path, "Person", "--sort", "home.title", "--as", "snapshots", "--format", "jsonl"],
      ["diff", path, "Person", "--from", "1"],
      ["bisect", path, "Person", "--where", "name == 'nobody'"],
      ["history", path, "Person", "p00"], ["why", path, "Person", "p00", "weight"],
      ["backup", path, scratch.path("backup")],
      ["salvage", path, scratch.path("salvaged")],
      ["verify", path, "--deep"],
    ]
  }

  /// Checks the law for a journal, and for the journals that an erasure and a compaction make from
  /// it.
  ///
  /// - Returns: A Boolean value that indicates whether `verify` called the journal OK.
  private func check(
    _ payloads: [[UInt8]], _ comment: Comment, in scratch: TemporaryDirectory
  ) throws -> Bool {
    let path = scratch.path("j")
    try write(payloads, to: path)
    guard try check(journal: path, comment, in: scratch) else { return false }
    for rewriting in [["erase", path, "Person", "p00"], ["compact", path, "--yes"]] {
      let (lines, status) = try run(rewriting)
      // The record or its entity may not exist.
      let isMissing = lines.contains {
        $0.contains("Person p00 does not exist") || $0.contains("no entity 'Person'")
      }
      let isRewritten = status == .done || isMissing
      #expect(isRewritten, "\(comment): \(rewriting): \(lines)")
      let isOK = try TemporaryDirectory.with { copies in
        try check(journal: path, "\(comment), after \(rewriting[0])", in: copies)
      }
      #expect(isOK, "\(comment): \(rewriting)")
    }
    return true
  }

  /// Checks the law for one journal, with a directory for its copies.
  ///
  /// - Returns: A Boolean value that indicates whether `verify` called it OK.
  private func check(
    journal path: String, _ comment: Comment, in scratch: TemporaryDirectory
  ) throws -> Bool {
    let verdict = try run(["verify", path])
    let isOK = verdict.status == .done
    // Of a journal that is not OK, only run the commands that read most of it.
    let notOK: Set<String> = ["replay", "salvage", "log"]
    for command in commands(path, scratch) where isOK || notOK.contains(command[0]) {
      let (lines, status) = try run(command)
      // A command about a record or an entity that does not exist has another status.
      let isQuestion = command.contains("Person") || command.contains("Place")
      if isOK, !isQuestion { #expect(status == .done, "\(comment): \(command): \(lines)") }
      if isOK, isQuestion {
        let isRefused = lines.contains { $0.contains("its checks hold") }
        #expect(!isRefused, "\(comment): \(command): \(lines)")
      }
    }
    for name in ["backup", "salvaged"] where try exists(scratch.path(name)) {
      let (lines, status) = try run(["stats", scratch.path(name)])
      if isOK || name == "salvaged" { #expect(status == .done, "\(comment): \(name): \(lines)") }
    }
    let text = scratch.path("text.jsonl")
    let exported = try run(["export", path, text])
    if isOK {
      #expect(exported.status == .done, "\(comment): \(exported.lines)")
      let imported = try run(["import", text, scratch.path("again")])
      #expect(imported.status == .done, "\(comment): \(imported.lines)")
      let second = try run(["export", scratch.path("again"), scratch.path("again.jsonl")])
      #expect(second.status == .done, "\(comment): \(second.lines)")
      if imported.status == .done {
        #expect(
          try scratch.bytes(of: "again.jsonl") == scratch.bytes(of: "text.jsonl"), "\(comment)")
        let again = try run(["verify", scratch.path("again")])
        #expect(again.status == .done, "\(comment): \(again.lines)")
      }
    } else if exported.status == .done {
      // The import may refuse the text, but must not crash.
      _ = try run(["import", text, scratch.path("again")])
    }
    return isOK
  }

  private func exists(_ path: String) throws -> Bool {
    (try? SystemDisk().status(of: path)) != nil
  }

  @Test func `every command accepts a journal that verify accepts`() throws {
    var (okCount, count) = (0, 0)
    try FaultRow.run(14, "structured journals and every verb") { cases in
      for seed in 0..<UInt64(FaultRow.count(400, full: 100_000)) {
        var random = SplitMix64(seed: seed)
        var story = try HostileStory(seed: seed)
        let lies = (0..<Int(random.next() % 3)).map { _ in
          Int(random.next() % UInt64(HostileStory.lieCount))
        }
        for lie in lies { story.lie(lie) }
        let identifiers: [[UInt8]?] = [
          nil, nil, nil, [0x65, 0xCC, 0x81], [0xFF, 0x30, 0x30], [0x30, 0xCC, 0x81],
        ]
        let identifier = identifiers[Int(random.next() % 6)]
        let comment: Comment = "seed \(seed), lies \(lies), identifier \(identifier ?? [])"
        let isOK = try TemporaryDirectory.with { scratch in
          try check(story.payloads(identifier: identifier), comment, in: scratch)
        }
        if lies.isEmpty, identifier == nil { #expect(isOK, comment) }
        okCount += isOK ? 1 : 0
        cases += 1
        count = cases
      }
    }
    #expect(okCount > count / 20 && okCount < count)
  }
}
