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

  @Test func `a click on a referenced value shows a transaction before the row entered the list`()
    throws
  {
    try TemporaryDirectory.with { scratch in
      let text = """
        {"daybook":1,"entities":{"Person":{"id":"int","attributes":{"name":"string"}},"Task":{"id":"int","attributes":{"open":"bool","owner":"ref:Person"}}}}
        {"tx":1,"time":"2026-01-01T00:00:00Z","changes":[{"op":"insert","entity":"Person","id":7,"set":{"name":"Ann"}}]}
        {"tx":2,"time":"2026-01-02T00:00:00Z","changes":[{"op":"insert","entity":"Task","id":1,"set":{"open":false,"owner":7}}]}
        {"tx":3,"time":"2026-01-03T00:00:00Z","meta":{"author":"Eve","reason":"married"},"changes":[{"op":"update","entity":"Person","id":7,"set":{"name":"Anna"}}]}
        {"tx":4,"time":"2026-01-04T00:00:00Z","changes":[{"op":"update","entity":"Task","id":1,"set":{"open":true}}]}
        """
      let path = try scratch.write(Array(text.utf8), to: "tasks.jsonl")
      try expect(
        ["open #tx=4&row=1&column=owner.name", Self.why],
        of: "\(path) Task --where 'open == true' --columns open,owner.name",
        sees: ["set by transaction 3 2026-01-03 00:00:00 UTC\nEve married", "[]"])
    }
  }

  // MARK: Tags

  @Test func `tags are in the log, below the slider, in the search and in addresses`() throws {
    try TemporaryDirectory.with { scratch in
      try scratch.write(
        Array(
          """
          daybook import Journal/Samples/games.jsonl $SCRATCH/games.daybook
          daybook tag $SCRATCH/games.daybook opening 3
          daybook tag $SCRATCH/games.daybook '<b>late' 10
          daybook tag $SCRATCH/games.daybook newest
          """.utf8), to: "setup")
      _ = try BuiltTool.run(". $SCRATCH/setup", scratch)
      let marks = "evaluate [...document.querySelectorAll('.mark')].map(e => e.title).join()"
      let tags = "evaluate document.getElementById('tags').innerText.trim()"
      try expect(
        [
          "open #tag=opening", Self.now, tags, marks, "click .mark:last-child", Self.now, tags,
          "open #tag=closing", Self.now, "evaluate document.getElementById('note').textContent",
          "evaluate [...document.querySelectorAll('.entry .tag')].map(e => e.innerText).join()",
          "key /", "text opening",
          "evaluate [...document.querySelectorAll('#found li')].map(e => e.innerText).join()",
          "key Enter", Self.now, "evaluate document.getElementById('summary').innerText",
        ],
        of: "\(scratch.path("games.daybook")) Game --sort name",
        sees: [
          "Transaction 3", "opening", "opening,<b>late, newest", "Transaction 10",
          "<b>late newest", "Transaction 10", "This page has no tag closing.",
          "opening,<b>late,newest", "tag opening transaction 3", "Transaction 3",
          """
          10 transactions changed this list of Game, from 2026-01-01 00:00:00 UTC to 2026-01-01 \
          00:05:00 UTC.

          Rows: 7 inserted, 1 deleted, 1 moved, 1 updated in place.

          The list has 0 rows at the start and 6 at the end.

          Tags: opening (3), <b>late (10), newest (12).
          """, "[]",
        ])
    }
  }

  @Test func `a tag before the first transaction of the page is not shown`() throws {
    try TemporaryDirectory.with { scratch in
      _ = try BuiltTool.run(
        "daybook import Journal/Samples/games.jsonl $SCRATCH/games.daybook; "
          + "for t in 2 4 5 8; do daybook tag $SCRATCH/games.daybook t$t $t; done", scratch)
      try expect(
        ["open", "evaluate [...document.querySelectorAll('.mark')].map(e => e.title).join()"],
        of: "\(scratch.path("games.daybook")) Game --from 5 --to 7", sees: ["t4,t5", "[]"])
    }
  }

  // MARK: Addresses and keys

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

  @Test(arguments: ["screen", "print"])
  func `sections of a page without scripts are above their rows`(media: String) throws {
    let texts = try seen(
      [
        "scripts off", "open", "media \(media)",
        "evaluate [...document.querySelectorAll('#still table:last-of-type tr')].map(e => "
          + "[e.getBoundingClientRect().top, e.innerText.split(/\\s/)[0]])"
          + ".sort((a, b) => a[0] - b[0]).map(e => e[1]).join()",
      ], of: "Journal/Samples/reorder.jsonl Chore --sort room,index --section-by room")
    #expect(texts == ["id,Cellar,7,4,5,Garden,6,1,3", "[]"])
  }

  @Test func `a printed page shows the first and last picture`() throws {
    try expect(
      [
        "open", "evaluate document.getElementById('still').offsetHeight", "media print",
        "evaluate document.getElementById('still').offsetHeight > 100",
        "evaluate document.getElementById('stage').offsetHeight",
      ], sees: ["0", "true", "0", "[]"])
  }

  @Test(arguments: ["light", "dark"])
  func `all text has enough contrast`(scheme: String) throws {
    // The ratio of WCAG 2, for the color of each text and the nearest background.
    let contrast = """
      (() => { const parts = (c) => (c.match(/[\\d.]+/g) ?? []).map(Number); \
      const light = (c) => { const [r, g, b] = parts(c).map((v) => v / 255) \
      .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); \
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; }; const bad = new Set(); \
      for (const e of document.querySelectorAll('body *')) { \
      if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue; \
      if (!e.checkVisibility() || e.closest('svg, script, option')) continue; \
      let b = e; while (parts(getComputedStyle(b).backgroundColor)[3] === 0) b = b.parentElement; \
      const [x, y] = [light(getComputedStyle(e).color), light(getComputedStyle(b).backgroundColor)]; \
      const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); \
      if (ratio < 4.5) bad.add(e.className + ' ' + e.textContent + ' ' + ratio.toFixed(2)); } \
      return [...bad].join('; '); })()
      """.replacing("\n", with: "")
    try expect(
      [
        "scheme \(scheme)", "open #tx=2&row=7&column=room", "key /", "text e", "settle",
        "evaluate \(contrast)", "hash #tx=4", "settle", "evaluate \(contrast)",
      ],
      of: "Journal/Samples/reorder.jsonl Chore --sort room,index --section-by room --total count",
      sees: ["", "", "[]"])
  }

  @Test(arguments: [1280, 400])
  func `the list is readable in a window of any width`(width: Int) throws {
    let texts = try seen(
      [
        "size \(width) 800", "open", "settle",
        "evaluate document.documentElement.scrollWidth <= innerWidth",
        "evaluate document.getElementById('scroller').clientHeight > 200",
        "evaluate [...document.querySelectorAll('.row .cell')].filter((cell) => "
          + "cell.scrollWidth > cell.clientWidth).length",
        "evaluate document.getElementById('moment').scrollWidth "
          + "<= document.getElementById('moment').clientWidth",
      ],
      of: "Journal/Samples/failed-banks.jsonl FailedBankInfo --section-by state --columns "
        + "name,city,details.closeDate,details.zip")
    #expect(texts == ["true", "true", "0", "true", "[]"])
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
        [path, "<b>E", "--sort", "n", "--section-by", "`<i>a`"])
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
