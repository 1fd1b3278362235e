import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// Journals with texts that could change the layout of a screen.
@Suite struct `The browser with untrusted text` {
  private static let hostile = "\u{1B}[2J\u{7}\r\n\u{8}\u{9B}1m\u{7F}\u{2028}\u{202E}'\"\\"

  private static func quoted(_ text: String) -> String {
    let units = text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(units.joined())\""
  }

  /// A journal of two entities. One entity has no attributes. The other one has values with wide
  /// characters, with combining characters and with control characters, and very long values.
  private static var text: String {
    let (entity, name) = (quoted("E\(hostile)"), quoted("a\(hostile)"))
    let values = [
      hostile, "漢字かな交じり文の長い値", "e\u{301}\u{301}\u{301}", "👩‍👩‍👧🇨🇿", "",
      String(repeating: "x", count: 100_000), String(repeating: "漢", count: 5000),
      "\u{200B}\u{200D}",
    ]
    let changes = values.enumerated().map { place, value in
      #"{"op":"insert","entity":\#(entity),"id":"\#(place)","set":{\#(name):\#(quoted(value))}}"#
    }
    let change =
      #"{"op":"update","entity":\#(entity),"id":"1","set":{\#(name):\#(quoted(hostile))}}"#
    return """
      {"daybook":1,"entities":{\(entity):{"id":"string","attributes":{\(name):"string"}},"Bare":{"id":"int","attributes":{}}}}
      {"tx":1,"time":"2026-01-01T00:00:00Z","meta":{"author":\(quoted(hostile))},"changes":[\(changes.joined(separator: ","))]}
      {"tx":2,"time":"2026-01-01T00:00:01Z","meta":{"reason":\(quoted(hostile))},"changes":[\(change),{"op":"insert","entity":"Bare","id":1,"set":{}}]}

      """
  }

  private static let keys: [Key] =
    [
      .left, .right, .up, .down, .pageDown, .home, .end, .tab, .enter, .escape, .backspace,
      .character("漢"),
    ] + "dmxwsSFe?/bg=".map { .character($0) }

  @Test(arguments: [(80, 24), (40, 10), (20, 6), (61, 18), (200, 50), (3, 2)])
  func `no text changes the size of a screen`(columnCount: Int, rowCount: Int) async throws {
    try await TemporaryDirectory.with { scratch in
      let path = try scratch.write(Array(Self.text.utf8), to: "hostile.jsonl")
      for seed: UInt64 in 1...3 {
        let words = [[path], [path, "E\(Self.hostile)"], [path, "Bare"]][Int(seed % 3)]
        let session = try await BrowserSession(
          words, columnCount: columnCount, rowCount: rowCount)
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
          await session.press(Self.keys[Int(random.next() % UInt64(Self.keys.count))])
          let lines = BrowserDrawing(session.model).screen.lines
          #expect(lines.count == rowCount)
          for line in lines {
            #expect(DisplayWidth.shown(line.text) == line.text)
            #expect(line.columnCount == columnCount)
          }
        }
      }
    }
  }

  @Test func `the name of a list that is not read yet does not change the size of a screen`() {
    let entity = "E\(Self.hostile)"
    var model = BrowserModel(
      journal: "j", entities: [(name: entity, count: 0)], history: 0...1,
      size: ScreenSize(columnCount: 80, rowCount: 24))
    _ = model.want(BrowserView(query: BrowserQuery(entity: entity), moment: 1, without: nil))
    for line in BrowserDrawing(model).screen.lines {
      #expect(DisplayWidth.shown(line.text) == line.text)
      #expect(line.columnCount == 80)
    }
  }

  @Test func `values that later transactions changed are marked`() async throws {
    let text = """
      {"daybook":1,"entities":{"Game":{"id":"int","attributes":{"name":"string","points":"int64"}}}}
      {"tx":1,"time":"2026-01-01T00:00:00Z","changes":[{"op":"insert","entity":"Game","id":1,"set":{"name":"a","points":1}},{"op":"insert","entity":"Game","id":2,"set":{"name":"b"}}]}
      {"tx":2,"time":"2026-01-01T00:00:01Z","changes":[{"op":"update","entity":"Game","id":1,"set":{"name":"c","points":2}},{"op":"update","entity":"Game","id":2,"set":{"name":"d"}}]}
      {"tx":3,"time":"2026-01-01T00:00:02Z","changes":[{"op":"update","entity":"Game","id":1,"set":{"name":"e"}}]}

      """
    try await TemporaryDirectory.with { scratch in
      let path = try scratch.write(Array(text.utf8), to: "games.jsonl")
      let session = try await BrowserSession(["games.jsonl", "Game"], in: scratch.path)
      for key: Key in [.tab, .down, .character("x"), .tab, .down] { await session.press(key) }
      let screen = session.screen
      #expect(
        screen[1...4] == [
          "-- Game: 2 rows; without transaction 2, 1 conflict -----------------------------",
          "   id  name  points", ">!  1  e          1", " ~  2  b        nil",
        ])
      #expect(screen[15].hasSuffix("  id      1"))
      #expect(screen[16].hasSuffix(">!name    e"))
      #expect(screen[17].hasSuffix("  points  1"))
      #expect(screen[23] == "daybook show games.jsonl Game --at 3 --without 2")
      #expect(
        try BuiltTool.run("daybook show '\(path)' Game --at 3 --without 2", scratch) == [
          "Game after transaction 3: 2 rows", "id  name  points", " 1  e          1",
          " 2  b        nil",
          "Later transactions changed 1 record again; their values were kept: Game 1 (name).",
        ])
    }
  }
}
