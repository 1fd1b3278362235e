import Daybook
import DaybookCLibrary
import DaybookJournal
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// The output of `watch` for a journal that is being written.
@Suite struct `A watched list` {
  struct Entry: Record {
    var id = 0
    var title = ""
    var shelf: Reference<Shelf>?
    static let schema = RecordSchema<Entry>("Entry")
      .attribute("title", at: \.title).reference("shelf", at: \.shelf)
  }

  struct Shelf: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Shelf>("Shelf").attribute("name", at: \.name)
  }

  /// A watch of a list with readable output.
  private struct Watched {
    private let scratch: TemporaryDirectory
    private let output: Output
    private let watch: ListWatch
    private let printer: WatchPrinter

    init(_ words: [String], _ scratch: TemporaryDirectory) throws {
      self.scratch = scratch
      let descriptor = open(scratch.path("output"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0)
      output = Output(descriptor)
      let terminal = Terminal(columnCount: nil, usesColor: false, isPlain: false)
      let invocation = try Invocation(
        WatchVerb.verb, words: words, among: Tool.verbs, on: terminal, to: output)
      let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
      watch = try ListWatch(
        Store(following: words[0], mode: .manual), request: request)
      printer = try WatchPrinter(invocation, request: request)
      try printer.write(watch.objects, of: watch.snapshot)
    }

    /// Prints the changes that are available, and returns all lines since the start.
    func lines() throws -> [String] {
      while let event = try watch.next() { try printer.write(event, of: watch.snapshot) }
      try output.flush()
      let text = String(decoding: try scratch.bytes(of: "output"), as: UTF8.self)
      return text.split(separator: "\n").map(String.init)
    }
  }

  private static let words = [
    "Entry", "--sort", "shelf.name,title", "--section-by", "shelf.name", "--where", "id != 3",
  ]

  private func change(_ context: EditingContext, _ random: inout SplitMix64) throws {
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let id = below(8)
    switch below(5) {
    case 0:
      let shelf = Shelf(id: below(3), name: ["a", "b", "c"][below(3)])
      if try context.object(Shelf.self, id: shelf.id) == nil {
        try context.insert(shelf)
      } else {
        try context.update(Shelf.self, id: shelf.id) { $0 = shelf }
      }
    case _ where try context.object(Entry.self, id: id) == nil:
      try context.insert(Entry(id: id, title: "t\(below(5))", shelf: Reference(below(4))))
    case 1: try context.delete(Entry.self, id: id)
    case 2: try context.update(Entry.self, id: id) { $0.shelf = Reference(below(4)) }
    default: try context.update(Entry.self, id: id) { $0.title = "t\(below(5))" }
    }
  }

  /// The law: the printed differences equal those of a later replay, byte for byte, however many
  /// transactions arrive at once.
  @Test func `a watch prints the differences of a replay`() throws {
    for seed in 0..<12 as Range<UInt64> {
      try TemporaryDirectory.with { scratch in
        var random = SplitMix64(seed: seed)
        let path = scratch.path("entries.daybook")
        let store = try Store(at: path, records: Entry.self, Shelf.self)
        let context = store.makeContext()
        for _ in 0..<5 { try change(context, &random) }
        try context.saveAndWait()
        let watched = try Watched([path] + Self.words + ["--format", "json"], scratch)
        let first = try watched.lines()
        #expect(first.count == 1)
        #expect(
          try PrintedTool.lines(["show", path] + Self.words + ["--format", "json"]) == first)
        for _ in 0..<10 {
          for _ in 0..<1 + random.next() % 3 {
            for _ in 0..<1 + random.next() % 3 { try change(context, &random) }
            try context.saveAndWait()
          }
          let replay =
            ["replay", path] + Self.words + ["--as", "differences", "--format", "jsonl"]
          let lines = try watched.lines()
          #expect(
            try Array(lines.dropFirst()) == PrintedTool.lines(replay + ["--from", "2"]),
            "seed \(seed)")
          // The printed list plus the printed differences equals the list that is shown.
          var followed = try PrintedList(JSONValue(Array(first[0].utf8)))
          for line in lines.dropFirst() { try followed.follow(JSONValue(Array(line.utf8))) }
          let shown = try PrintedTool.objects(["show", path] + Self.words + ["--format", "json"])
          #expect(try followed == PrintedList(#require(shown.first)), "seed \(seed)")
        }
        try store.closeAndWait()
      }
    }
  }

  @Test func `the heading of a watched transaction has its metadata`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("entries.daybook")
      let store = try Store(at: path, records: Entry.self, Shelf.self)
      let context = store.makeContext()
      try context.saveAll { try $0.insert(Entry(id: 1, title: "one")) }
      let watched = try Watched([path, "Entry", "--sort", "title"], scratch)
      context.metadata.author = "Ann"
      context.metadata.reason = "spring\u{9B}"
      try context.insert(Entry(id: 2, title: "two"))
      try context.saveAndWait()
      let heading = try #require(try watched.lines().first { $0.hasPrefix("tx 2") })
      #expect(heading.hasSuffix("  author: Ann, reason: spring\\u{9B}"))
      try store.closeAndWait()
    }
  }

  /// Replaces the history up to a transaction by a base. The transactions must contain only
  /// inserts.
  private func compact(_ path: String, through sequence: UInt64, _ payloads: [[UInt8]]) throws {
    let journal = try FileJournal(at: path)
    try journal.compact(through: SequenceNumber(sequence), state: payloads)
    try journal.closeAndWait()
  }

  private func payloads(_ path: String) throws -> [[UInt8]] {
    let journal = try FileJournal(at: path)
    var reader = try journal.transactions(from: journal.header.base.sequence.next)
    var payloads: [[UInt8]] = []
    while let transaction = try reader.next() { payloads.append(transaction.payload.copy()) }
    try journal.closeAndWait()
    return payloads
  }

  private func insert(_ ids: ClosedRange<Int>, _ path: String) throws {
    let store = try Store(at: path, records: Entry.self, Shelf.self)
    let context = store.makeContext()
    for id in ids { try context.saveAll { try $0.insert(Entry(id: id, title: "t\(id)")) } }
    try store.closeAndWait()
  }

  @Test func `a watch continues after a compaction`() throws {
    for known in 1...3 {
      try TemporaryDirectory.with { scratch in
        let path = scratch.path("entries.daybook")
        try insert(1...known, path)
        let watched = try Watched([path, "Entry", "--format", "json"], scratch)
        let before = try watched.lines()
        try insert((known + 1)...4, path)
        let replay = [
          "replay", path, "Entry", "--as", "differences", "--format", "jsonl", "--from",
          "\(known + 1)",
        ]
        let received = try PrintedTool.lines(replay)
        try compact(path, through: 2, Array(payloads(path)[..<2]))
        // The old file is read to its end first.
        #expect(try watched.lines() == before + received, "known \(known)")
        try insert(5...6, path)
        let more = try PrintedTool.lines(replay.dropLast() + ["5"])
        #expect(try watched.lines() == before + received + more, "known \(known)")
      }
    }
  }

  @Test func `a watch prints the list again after a compaction beyond its position`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("entries.daybook")
      try insert(1...1, path)
      let watched = try Watched([path, "Entry", "--format", "json"], scratch)
      let before = try watched.lines()
      let early = try payloads(path)
      try compact(path, through: 1, early)
      try insert(2...5, path)
      try compact(path, through: 3, early + payloads(path)[..<2])
      #expect(
        try watched.lines() == before
          + PrintedTool.lines(["show", path, "Entry", "--format", "json", "--at", "3"])
          + PrintedTool.lines([
            "replay", path, "Entry", "--as", "differences", "--format", "jsonl", "--from", "4",
          ]))
    }
  }

  @Test func `a watch prints attributes that a newer program adds`() throws {
    struct Longer: Record {
      var id = 0
      var title = ""
      var pages: Int?
      static let schema = RecordSchema<Longer>("Entry").attribute("title", at: \.title).attribute(
        "pages", at: \.pages)
    }
    struct Short: Record {
      var id = 0
      var title = ""
      static let schema = RecordSchema<Short>("Entry").attribute("title", at: \.title)
    }
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("entries.daybook")
      var store = try Store(at: path, records: Short.self)
      try store.makeContext().saveAll { try $0.insert(Short(id: 1, title: "one")) }
      try store.closeAndWait()
      let watched = try Watched([path, "Entry"], scratch)
      store = try Store(at: path, records: Longer.self)
      try store.makeContext().saveAll {
        try $0.insert(Longer(id: 2, title: "two", pages: 2))
        try $0.update(Longer.self, id: 1) { $0.pages = 1 }
      }
      let lines = try watched.lines()
      #expect(lines.prefix(3) == ["Entry after transaction 1: 1 row", "id  title", " 1  one"])
      #expect(lines.dropFirst(3).first?.hasPrefix("tx 2  ") == true)
      #expect(
        lines.dropFirst(4) == [
          #"+ [0, 1] 2  title: "two", pages: 2"#, #"~ [0, 0] -> [0, 0] 1  pages: null -> 1"#,
        ])
      try store.closeAndWait()
    }
  }

  @Test func `a watch ends after its output is closed`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("entries.daybook")
      try insert(1...1, path)
      // If the tool does not exit, the test hangs.
      let lines = try BuiltTool.run(
        "daybook watch \(path) Entry | head -n 1; echo ${PIPESTATUS[0]}", scratch)
      #expect(lines == ["Entry after transaction 1: 1 row", "0"])
    }
  }

  @Test func `a live watch redraws the list`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("entries.daybook")
      let store = try Store(at: path, records: Entry.self, Shelf.self)
      try store.makeContext().saveAll { try $0.insert(Entry(id: 1, title: "one")) }
      let session = try TerminalSession(
        ["watch", "entries.daybook", "Entry", "--sort", "title:desc", "--columns", "title"]
          + ["--live"],
        columnCount: 60, rowCount: 9, in: scratch.path)
      func isShown(_ title: String, _ lines: [String]) throws {
        let text = try session.read(through: lines.joined(separator: "\n") + "\n")
        #expect(text.hasPrefix("\u{1B}[H\u{1B}[2J\u{1B}[1mtx \(title)  "))
      }
      let head = "\u{1B}[1m  id  title\u{1B}[0m"
      try isShown("1", ["no changes", head, "   1  one"])
      try store.makeContext().saveAll { try $0.insert(Entry(id: 2, title: "two")) }
      try isShown("2", ["1 row inserted", head, "\u{1B}[32m+  2  two\u{1B}[0m", "   1  one"])
      try session.press("\u{3}")
      #expect(try session.end() == "exit 0")
      #expect(session.isAsBefore)
      try store.closeAndWait()
    }
  }

  /// The command is a subshell, which a signal to the shell alone does not reach.
  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal to a watch ends the command of --exec and the watch`(signal: Int32) throws {
    try TemporaryDirectory.with { scratch in
      let path = try journal(in: scratch)
      let command =
        "(exec 2>/dev/null; trap \"echo ended; exit\" INT TERM; echo started; sleep 60; "
        + "echo finished); exit 0"
      let pipe = try #require(
        try BuiltTool.started(
          "echo $$; exec daybook watch '\(path)' Entry --from 1 --exec '\(command)' 2>&1"))
      let process = try #require(line(of: pipe).flatMap { Int32($0) })
      while let line = line(of: pipe), line != "started" {}
      kill(process, signal)
      #expect(line(of: pipe) == "ended")
      #expect(line(of: pipe) == nil)
      #expect(pclose(pipe) == 0)
    }
  }

  @Test func `a signal to a watch reaches a command that does not read its input`() throws {
    try TemporaryDirectory.with { scratch in
      // The difference is longer than the capacity of a pipe.
      let path = try journal(in: scratch, title: String(repeating: "x", count: 1 << 20))
      let command = "echo started $PPID; sleep 60; echo finished"
      let pipe = try #require(
        try BuiltTool.started(
          "daybook watch '\(path)' Entry --from 1 --values --format jsonl --exec '\(command)' "
            + #"| sed -u 's/\(.\{20\}\).*/\1/'"#))
      var process: Int32?
      while process == nil, let line = line(of: pipe) {
        process = line.hasPrefix("started ") ? Int32(line.dropFirst(8)) : nil
      }
      kill(try #require(process), SIGINT)
      #expect(line(of: pipe) == nil)
      pclose(pipe)
    }
  }

  @Test func `a zero byte in an author or a reason does not cut the variables of --exec`() throws {
    try TemporaryDirectory.with { scratch in
      let path = try journal(in: scratch, author: "a\0b", reason: "\0c")
      let command = "echo \"$DAYBOOK_AUTHOR $DAYBOOK_REASON\"; kill $PPID"
      #expect(
        try BuiltTool.run("daybook watch '\(path)' Entry --from 1 --exec '\(command)'", scratch)
          .last == "a␀b ␀c")
    }
  }

  /// Creates a journal of two transactions. The second one inserts an entry.
  private func journal(
    in scratch: TemporaryDirectory, title: String = "two", author: String? = nil,
    reason: String? = nil
  ) throws -> String {
    let path = scratch.path("entries.daybook")
    let store = try Store(at: path, records: Entry.self, Shelf.self)
    let context = store.makeContext()
    try context.saveAll { try $0.insert(Entry(id: 1, title: "one")) }
    context.metadata = TransactionMetadata(author: author, reason: reason)
    try context.saveAll { try $0.insert(Entry(id: 2, title: title)) }
    try store.closeAndWait()
    return path
  }

  /// Reads a line; nil at the end.
  private func line(of pipe: UnsafeMutablePointer<FILE>) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    guard fgets(&buffer, Int32(buffer.count), pipe) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init), as: UTF8.self)
  }

  /// Tests a separate process that waits for changes until it is interrupted.
  @Test func `an interrupted watch exits with status 0`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("entries.daybook")
      let store = try Store(at: path, records: Entry.self, Shelf.self)
      try store.makeContext().saveAll { try $0.insert(Entry(id: 1, title: "one")) }
      let pipe = try #require(
        try BuiltTool.started("echo $$; exec daybook watch '\(path)' Entry 2>&1"))
      func line() -> String? { self.line(of: pipe) }
      let process = try #require(line().flatMap { Int32($0) })
      #expect(line() == "Entry after transaction 1: 1 row")
      #expect(line() == "id  title  shelf")
      #expect(line() == " 1  one    nil")
      try store.makeContext().saveAll { try $0.insert(Entry(id: 2, title: "two")) }
      #expect(line() == "")
      #expect(line()?.hasPrefix("tx 2  ") == true)
      #expect(line() == #"+ [0, 1] 2  title: "two""#)
      kill(process, SIGINT)
      #expect(line() == nil)
      #expect(pclose(pipe) == 0)
      try store.closeAndWait()
    }
  }
}

extension EditingContext {
  /// Applies changes to a context and saves them.
  fileprivate func saveAll(_ body: (EditingContext) throws -> Void) throws {
    try body(self)
    try saveAndWait()
  }
}
