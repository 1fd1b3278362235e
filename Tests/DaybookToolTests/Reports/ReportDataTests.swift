import Daybook
import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// The parts of a page that need no browser.
@Suite struct `The file of a report` {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 64),
      "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"
    ),
  ])
  func `SHA-256 returns the checksums of the standard`(text: String, digest: String) {
    let hex = SHA256.digest(of: Array(text.utf8)).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    #expect(hex.joined() == digest)
  }

  @Test func `the data block contains no character that ends it or a line of a script`() {
    let text = "</script><!-- & \u{2028}\u{2029} \u{2027}\u{202A} é"
    let escaped = String(decoding: ReportText.inScript(Array(text.utf8)), as: UTF8.self)
    #expect(
      escaped
        == #"\u003C/script\u003E\u003C!-- \u0026 \u2028\u2029 "# + "\u{2027}\u{202A} é")
  }

  @Test func `text in the page is escaped`() {
    #expect(
      ReportText.inPage(#"<b a="1" c='2'>&"#) == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;")
  }

  @Test func `a curve keeps a value until the next step`() {
    #expect(ReportCurve.path([0, 2, nil, 1]) == "M0 57H333.3V3M1000 30H1000")
    #expect(ReportCurve.path([4, 4]) == "M0 30H1000V30H1000")
    #expect(ReportCurve.path([nil, nil]) == "")
  }

  @Test func `a long curve keeps its highest and its lowest value`() {
    var values = [Double?](repeating: 5, count: 50_000)
    (values[12_345], values[43_210]) = (9, 1)
    let path = ReportCurve.path(values)
    #expect(path.utf8.count < 30_000)
    #expect(path.contains("V3H"))
    #expect(path.contains("V57H"))
  }

  // MARK: Limits

  @Test(arguments: [
    ListRecording.Limits(stepCountMax: 3), ListRecording.Limits(byteCountMax: 700),
  ])
  func `a page above a limit keeps the newest transactions and says so`(
    limits: ListRecording.Limits
  ) throws {
    let recording = try recording(of: "reorder.jsonl", "Chore", limits: limits)
    let count = recording.summary.stepCount
    #expect(count < 6 && count >= 1)
    #expect(recording.omittedCount == 6 - count)
    #expect(recording.firstSequence.rawValue == UInt64(6 - count))
    let sentences = recording.summary.sentences(of: recording)
    let omitted = recording.omittedCount == 1 ? "transaction is" : "transactions are"
    #expect(
      sentences.last == "\(recording.omittedCount) older \(omitted) left out, because the page "
        + "would be too large. It starts after transaction \(recording.firstSequence).")
  }

  @Test func `a page keeps one transaction even if it exceeds the limit`() throws {
    let recording = try recording(
      of: "reorder.jsonl", "Chore", limits: ListRecording.Limits(byteCountMax: 10))
    #expect(recording.summary.stepCount == 1)
    #expect(recording.omittedCount == 5)
  }

  @Test func `the size limit counts the escapes of the data`() throws {
    try TemporaryDirectory.with { scratch in
      let lines = (1...200).map { sequence in
        let text = String(repeating: "<&", count: 500) + "\(sequence)"
        return #"{"tx":\#(sequence),"time":"2026-01-01T00:00:00Z","changes":[{"op":""#
          + #"\#(sequence == 1 ? "insert" : "update")","entity":"Note","id":1,"#
          + #""set":{"text":"\#(text)"}}]}"#
      }
      let path = try scratch.write(Array(lines.joined(separator: "\n").utf8), to: "notes.jsonl")
      let limit = 200_000
      let recording = try recording(
        at: path, "Note", limits: ListRecording.Limits(byteCountMax: limit))
      var byteCount = 0
      try recording.writeData(
        ReportHeading(entity: "Note", journal: "notes.jsonl", options: []), notes: ReportNotes()
      ) { byteCount += $0.count }
      #expect(byteCount <= limit && byteCount > limit / 4)
      #expect(recording.omittedCount > 100)
    }
  }

  @Test func `the lists without scripts end after a megabyte each`() throws {
    try TemporaryDirectory.with { scratch in
      let rows = (1...30).map { id in
        let text = String(repeating: "a", count: 100_000)
        return #"{"op":"insert","entity":"Note","id":\#(id),"set":{"text":"\#(text)"}}"#
      }
      let path = try scratch.write(
        Array(
          #"{"tx":1,"time":"2026-01-01T00:00:00Z","changes":[\#(rows.joined(separator: ","))]}"#
            .utf8), to: "notes.jsonl")
      let lines = try PrintedTool.lines(["report", path, "Note"])
      #expect(lines.contains("<p>19 more rows are not shown here.</p>"))
      #expect(lines.reduce(0) { $0 + $1.utf8.count } < 4_300_000)
    }
  }

  private func recording(
    of sample: String, _ entity: String, limits: ListRecording.Limits
  ) throws -> ListRecording {
    try recording(at: ProjectFiles.path("Journal/Samples/\(sample)"), entity, limits: limits)
  }

  private func recording(
    at path: String, _ entity: String, limits: ListRecording.Limits
  ) throws -> ListRecording {
    let journal = try OpenJournal(path)
    let request = DynamicRequest(entity: entity)
    let columns = try ListColumns(nil, of: request, in: journal.store.snapshot)
    return try ListRecording.recorded(
      request, columns: columns, in: journal, range: (nil, nil), limits: limits)
  }

  @Test func `five thousand changes of two thousand rows need less than five megabytes`() throws {
    try TemporaryDirectory.with { scratch in
      try scratch.write(Array(ManyChanges.text.utf8), to: "many.jsonl")
      #expect(
        try BuiltTool.run(
          "daybook report $SCRATCH/many.jsonl Item --sort score -o $SCRATCH/film.html", scratch)
          == [])
      let page = try scratch.bytes(of: "film.html")
      #expect(page.count < 5_000_000)
      #expect(try ReportData(page).steps.count == 5_001)
    }
  }

  // MARK: Outputs

  @Test func `a terminal gets a sentence instead of HTML`() throws {
    let error = #expect(throws: ToolError.self) {
      try PrintedTool.lines(
        ["report"] + PrintedTool.sample(["games.jsonl", "Game"]),
        on: Terminal(columnCount: 80, usesColor: false, isPlain: false))
    }
    #expect(
      error?.sentence
        == "report writes HTML, which a terminal cannot show. Name a file with -o.")
    #expect(error?.status == .usage)
    #expect(error?.advice?.hasSuffix("Game -o film.html") == true)
  }
}

/// A journal with two thousand rows of five attributes, and five thousand changes of one value.
enum ManyChanges {
  static var text: String {
    let items = (0..<2_000).map { id in
      #"{"op":"insert","entity":"Item","id":\#(id),"set":{"name":"Item number \#(id)","#
        + #""state":"open","score":\#(id * 7_919 % 10_007),"owner":"Ann","note":"none"}}"#
    }
    let start = #"{"tx":1,"time":"2026-01-01T00:00:00Z","changes":["#
    let changes = (2...5_001).map { sequence in
      let (minute, second) = (sequence / 60 % 60, sequence % 60)
      let time =
        "2026-01-01T0\(sequence / 3_600):\(minute < 10 ? "0" : "")\(minute):"
        + "\(second < 10 ? "0" : "")\(second)Z"
      return #"{"tx":\#(sequence),"time":"\#(time)","meta":{"author":"Ann","reason":"a change"},"#
        + #""changes":[{"op":"update","entity":"Item","id":\#(sequence * 31 % 2_000),"#
        + #""set":{"score":\#(sequence * 104_729 % 10_007)}}]}"#
    }
    return ([start + items.joined(separator: ",") + "]}"] + changes).joined(separator: "\n")
  }
}
