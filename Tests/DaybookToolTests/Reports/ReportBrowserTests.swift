import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// The behavior of a page in a browser.
@Suite(.enabled(if: ChromiumPage.isInstalled, ChromiumPage.absence))
struct `A report in a browser` {
  /// Runs actions on the page of a sample, and returns what they print, as texts.
  private func seen(
    _ actions: [String], of words: String = "Journal/Samples/games.jsonl Game --sort name"
  ) throws -> [String] {
    try TemporaryDirectory.with { scratch in
      #expect(try BuiltTool.run("daybook report \(words) -o $SCRATCH/film.html", scratch) == [])
      return try ChromiumPage.run(
        scratch.path("film.html"), actions: actions + ["problems"], in: scratch
      ).map { value in
        if case .string(let text) = value { return text }
        return value.text
      }
    }
  }

  private func expect(
    _ actions: [String], of words: String = "Journal/Samples/games.jsonl Game --sort name",
    sees expected: [String]
  ) throws {
    let texts = try seen(actions, of: words)
    #expect(texts == expected)
  }

  private static let why = "evaluate document.querySelector('#why .cause').innerText"
  private static let now = "evaluate document.getElementById('tx').textContent"

  @Test func `a click on a cell shows the transaction that set the value`() throws {
    try expect(
      [
        "open", "click [data-row=\"5\"] [data-column=\"0\"]", Self.why, "key ArrowLeft", Self.why,
        "key Escape", "evaluate document.getElementById('why').hidden",
      ],
      sees: [
        """
        set by transaction 10 2026-01-01 00:05:00 UTC
        before: Asteroids
        """, "set by transaction 6 2026-01-01 00:01:00 UTC", "true", "[]",
      ])
  }

  @Test func `a value that a row had before it entered the list names its transaction`() throws {
    try TemporaryDirectory.with { scratch in
      let text = """
        {"tx":1,"time":"2026-01-01T00:00:00Z","meta":{"author":"Ann","reason":"first"},"changes":[{"op":"insert","entity":"Task","id":1,"set":{"name":"Old","open":false}}]}
        {"tx":2,"time":"2026-01-02T00:00:00Z","meta":{"author":"Bob"},"changes":[{"op":"update","entity":"Task","id":1,"set":{"open":true}}]}
        """
      let path = try scratch.write(Array(text.utf8), to: "tasks.jsonl")
      try expect(
        ["open #tx=2&row=1&column=name", Self.why, "hash #tx=2&row=1&column=open", Self.why],
        of: "\(path) Task --where 'open == true'",
        sees: [
          "set by transaction 1 2026-01-01 00:00:00 UTC\nAnn first",
          "set by transaction 2 2026-01-02 00:00:00 UTC\nBob", "[]",
        ])
    }
  }

  @Test func `an address opens a transaction and a row`() throws {
    try expect(
      [
        "open #tx=6&row=3", Self.now,
        "evaluate document.querySelector('.row.chosen .cell').textContent",
        "key ArrowLeft",
        "evaluate new Promise(r => { const look = () => location.hash === '#tx=5&row=3' "
          + "? r(location.hash) : requestAnimationFrame(look); look(); })",
      ], sees: ["Transaction 6", "3", "#tx=5&row=3", "[]"])
  }

  @Test func `an address with a transaction that did not change the list says so`() throws {
    let note = "evaluate document.getElementById('note').textContent"
    try expect(
      ["open #tx=8", Self.now, note], of: "Journal/Samples/games.jsonl Game --where 'id == 6'",
      sees: ["Transaction 6", "Transaction 8 did not change this list.", "[]"])
  }

  @Test func `keys move through the transactions`() throws {
    try expect(
      [
        "open", "key Home", Self.now, "key ArrowRight", "key ArrowRight", Self.now, "key PageDown",
        Self.now, "key ArrowLeft", Self.now, "key End", Self.now,
      ],
      sees: [
        "Before the first transaction", "Transaction 2", "Transaction 10", "Transaction 9",
        "Transaction 10", "[]",
      ])
  }

  @Test func `the player plays from the start to the end`() throws {
    try expect(
      [
        "open", "evaluate document.getElementById('speed').value = '16'", "key  ",
        "evaluate document.body.classList.contains('playing')",
        "evaluate new Promise(r => { const t = setInterval(() => { if "
          + "(!document.body.classList.contains('playing')) { clearInterval(t); "
          + "r(document.getElementById('tx').textContent); } }, 20); })",
      ], sees: ["16", "true", "Transaction 10", "[]"])
  }

  @Test func `the search finds rows of all moments`() throws {
    let results =
      "evaluate [...document.querySelectorAll('#found li')].map(e => e.innerText).join()"
    try expect(
      [
        "open", "key /", "text GALAGA", results, "key Enter", Self.now, "key Escape", results,
      ], sees: ["5 Galaga at transaction 5", "Transaction 5", "", "[]"])
  }

  @Test func `rows move to their new places by an animation`() throws {
    try expect(
      [
        "open #tx=9", "settle", "key ArrowRight",
        "evaluate document.getAnimations().some(a => a.transitionProperty === 'transform')",
        "settle", "evaluate document.querySelector('.row.moved').style.transform",
        "evaluate new DOMMatrix(getComputedStyle(document.querySelector('.row.moved')).transform).f",
      ], sees: ["true", "translateY(64px)", "64", "[]"])
  }

  @Test func `a page without scripts shows the summary and the first and last picture`() throws {
    let texts = try seen([
      "scripts off", "open",
      "evaluate [...document.querySelectorAll('#still h2')].map(e => e.innerText).join()",
      "evaluate [...document.querySelectorAll('#still tr')].map(e => e.innerText).join(';')",
      "evaluate document.getElementById('player').hidden",
      "evaluate document.querySelectorAll('#summary p').length",
    ])
    #expect(
      texts == [
        "The list before the first transaction 0 rows,The list at the end 6 rows",
        "id\tname;3\tDiscs of Tron;2\tDragon Slayer;6\tMissile Command;4\tMoon Patrol;"
          + "7\tPac-Man;1\tSpace Invaders", "true", "3", "[]",
      ])
  }

  @Test func `a printed page shows the first and last picture`() throws {
    try expect(
      [
        "open", "evaluate document.getElementById('still').offsetHeight", "media print",
        "evaluate document.getElementById('still').offsetHeight > 100",
        "evaluate document.getElementById('stage').offsetHeight",
      ], sees: ["0", "true", "0", "[]"])
  }

  // MARK: Hostile text

  @Test func `a hostile journal runs no script`() throws {
    let nasty = [
      "</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\u{202E}txet",
      "\u{2028}alert(3)//", "'\"><svg onload=alert(4)>", "javascript:alert(5)", "<!--", "]]>",
      "__proto__", "${alert(6)}",
    ]
    func json(_ text: String) -> String { JSONValue.string(text).text }
    try TemporaryDirectory.with { scratch in
      let changes = nasty.enumerated().map { place, text in
        #"{"op":"insert","entity":"<b>E","id":\#(json(text)),"set":{"<i>a":\#(json(text)),"n":\#(place)}}"#
      }
      let lines = nasty.enumerated().map { place, text in
        #"{"tx":\#(place + 1),"time":"2026-01-01T00:00:0\#(place)Z","meta":{"author":\#(json(text)),"#
          + #""reason":\#(json(text)),\#(json(text + "!")):1},"changes":[\#(changes[place])]}"#
      }
      let path = try scratch.write(
        Array(lines.joined(separator: "\n").utf8), to: "<img src=x>.jsonl")
      try `Pages of reports`.expectLaw(
        [path, "<b>E", "--sort", "n", "--section-by", "#<i>a"])
      let page = "'\(path)' '<b>E' --sort n"
      let texts = try seen(
        [
          "open #tx=2&row=<img src=x onerror=alert(7)>",
          "hash #tx=10&row=%3Cimg%20src%3Dx%20onerror%3Dalert(2)%3E", "key ArrowDown",
          "click #entries .entry", "key /", "text <img",
          "evaluate document.querySelectorAll('img, svg[onload], #body script').length",
          "evaluate document.querySelectorAll('script').length",
        ], of: page)
      #expect(texts == ["0", "2", "[]"])
    }
  }

  @Test func `the content security policy refuses other scripts and requests`() throws {
    let texts = try seen([
      "open",
      "evaluate new Promise(r => { let count = 0; "
        + "addEventListener('securitypolicyviolation', () => { if (++count === 2) "
        + "r(String(window.ran)); }); const s = document.createElement('script'); "
        + "s.textContent = 'window.ran = 1'; document.body.append(s); "
        + "const e = document.createElement('img'); e.src = 'http://127.0.0.1:9/'; "
        + "document.body.append(e); })",
    ])
    #expect(texts.first == "undefined")
    #expect(texts.last?.contains("Content Security Policy") == true)
    #expect(texts.last?.contains("request:") == false)
  }
}
