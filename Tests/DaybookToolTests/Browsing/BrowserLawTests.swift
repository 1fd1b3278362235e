import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// The law of the browser: the list on the screen is the list that the command on the last line
/// prints.
@Suite struct `The law of the browser` {
  private static let journals: [[String]] = [
    ["games.jsonl", "Game", "--sort", "name"],
    ["reorder.jsonl", "Chore", "--sort", "room,index", "--section-by", "room"],
    ["items.jsonl", "Item", "--sort", "name", "--limit", "3", "--offset", "1"],
    ["failed-banks.jsonl", "FailedBankInfo", "--section-by", "state", "--total", "count"],
    [
      "reorder.jsonl", "Chore", "--sort", "room,index", "--section-by", "room", "--limit", "4",
      "--offset", "2",
    ],
    ["compacted.daybook"], ["damaged-middle.daybook"],
    ["torn-group.daybook"],
  ]

  private static let keys =
    "\u{1B}[D|\u{1B}[D|\u{1B}[C|\u{1B}[A|\u{1B}[B|\u{1B}[B|\u{1B}[5~|\u{1B}[6~|\u{1B}[H|\u{1B}[F|\t"
    .split(separator: "|").map(String.init)
    + [
      "\r", "\u{1B}", "d", "m", "x", "w", "s", "S", "F", "e", "?", "/", "b", "g", "z", "1", "=",
      "\u{7F}", "name != nil", "\u{1B}[Z",
    ]

  @Test(arguments: journals)
  func `the list on the screen is the list that its command prints`(words: [String]) async throws {
    let path = ProjectFiles.path("Journal/Samples/\(words[0])")
    try await check([path] + words.dropFirst(), seeds: 1...3)
  }

  @Test(arguments: RandomClubs.options)
  func `the lists of random journals are those that their commands print`(
    words: [String]
  ) async throws {
    for seed: UInt64 in 1...2 {
      let text = RandomClubs.text(seed: seed).joined(separator: "\n")
      try await TemporaryDirectory.with { scratch in
        let path = try scratch.write(Array(text.utf8), to: "clubs.jsonl")
        try await check([path] + words, seeds: seed...seed)
      }
    }
  }

  private func check(_ words: [String], seeds: ClosedRange<UInt64>) async throws {
    for seed in seeds {
      var random = SplitMix64(seed: seed)
      let session = try await BrowserSession(words, columnCount: 70, rowCount: 20)
      var pressed: [String] = []
      var compared: [String] = []
      for _ in 0..<40 {
        let key = Self.keys[Int(random.next() % UInt64(Self.keys.count))]
        pressed.append(key)
        await session.press(key)
        let screen = session.screen
        #expect(screen.count == 20)
        #expect(screen.allSatisfy { DisplayWidth.columns($0) <= 70 })
        if session.model.command != compared { try compare(session, after: pressed) }
        compared = session.model.command
      }
    }
  }

  /// Compares the list, or the page, with the output of the command.
  private func compare(_ session: BrowserSession, after keys: [String]) throws {
    let command = session.model.command
    if let page = session.model.page {
      guard let question = page.question else { return }
      let terminal = Terminal(columnCount: 70, usesColor: false, isPlain: false)
      var printed = try PrintedTool.printed(command, on: terminal).lines
      // The heading of a difference is the title of the page.
      if case .difference = question {
        let heading = printed.removeFirst()
        #expect(heading == page.title)
      }
      if case .bisect = question, printed.last?.hasPrefix("try: ") == true { printed.removeLast() }
      #expect(printed == page.lines, "\(command), after \(keys)")
      return
    }
    guard session.model.picture != nil else { return }
    let (lines, _) = try PrintedTool.printed(command + ["--format", "json"])
    let object = try JSONValue(Array(try #require(lines.first).utf8))
    let printed = try PrintedList(object)
    let shown = session.ids.map { id in
      switch id {
      case .string(let text): JSONValue.string(text)
      default: JSONValue.string("\(id)")
      }
    }
    let ids = printed.sections.flatMap(\.rows).map { row -> JSONValue in
      if case .string = row { row } else { .string(row.text) }
    }
    #expect(shown == ids, "\(command), after \(keys)")
    if session.model.picture?.isSectioned == true {
      let sections = session.model.picture?.objects.sections.map { JSONValue.string($0.name) }
      #expect(printed.sections.map(\.name) == sections, "\(command), after \(keys)")
    }
  }
}
