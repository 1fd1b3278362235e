import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import StoreTestSupport
import Testing
import TextTestSupport

@Suite struct `Importing a text journal` {
  private let desk = TextDesk()
  private let header =
    #"{"daybook":1,"entities":{"F":{"id":"string","attributes":{"t":"string","n":"int64"}}}}"#

  private func insert(_ id: String, _ set: String = "", _ more: String = "") -> String {
    #"{"op":"insert","entity":"F","id":"\#(id)","set":{\#(set)}\#(more)}"#
  }

  private func update(_ id: String, _ set: String) -> String {
    #"{"op":"update","entity":"F","id":"\#(id)","set":{\#(set)}}"#
  }

  private func delete(_ id: String) -> String {
    #"{"op":"delete","entity":"F","id":"\#(id)"}"#
  }

  @Test func `an exported text is imported and exported unchanged`() throws {
    let text = lines(
      header,
      line(1, insert("a", #""t":"x","n":1"#), insert("b")),
      line(2, update("a", #""t":null"#), delete("b")),
      line(3),
      #"{"tx":4,"time":"2020-01-01T00:00:04.000000001Z","meta":{"author":"me","n":1.50,"deep":{"a":[1,null,"é\n"]}},"changes":[]}"#,
      line(
        5, insert("b", #""n":-9223372036854775808"#),
        insert("c", #""t":"\u0000😀""#, #","created":9"#)),
      line(6, insert("d")))
    #expect(try desk.passage(text) == text)
  }

  @Test func `the report of an import counts transactions, changes, entities and raised times`()
    throws
  {
    let report = try desk.importing(
      lines(
        header, line(1, insert("a"), insert("b"), delete("b")), line(2, insert("c")), line(3),
        #"{"tx":4,"time":"2019-01-01T00:00:00+01:00","changes":[]}"#))
    #expect(report.transactionCount == 4)
    #expect(report.changeCount == 2)
    #expect(report.entityCount == 1)
    #expect(report.raisedTimeCount == 1)
  }

  @Test func `a store opens an imported journal`() throws {
    try desk.importing(
      lines(header, line(1, insert("a", #""t":"x""#)), line(2, update("a", #""n":5"#))))
    let store = try Store(at: "j", entities: [], options: .simulated(desk.disk))
    #expect(store.snapshot.sequence == 2)
    #expect(
      try store.snapshot.objects("F") == [
        DynamicRecord("F", id: "a", values: [.string("x"), .int(5)])
      ])
    #expect(try desk.exported(store) == desk.exported())
    try store.closeAndWait()
  }

  @Test func `a text without lines is imported as an empty journal`() throws {
    #expect(try desk.passage("") == "{\"daybook\":1,\"entities\":{}}\n")
    #expect(try desk.passage(lines(header)) == "{\"daybook\":1,\"entities\":{}}\n")
  }

  @Test func `the last line of a text needs no line feed`() throws {
    #expect(
      try desk.passage(lines(header) + line(1, insert("a"))) == lines(header, line(1, insert("a"))))
  }

  // MARK: Coalescing

  /// Returns the exported changes of one line, for a journal with a record `a` with `t` = "x".
  private func outcome(_ changes: String...) throws -> String {
    let list = changes.joined(separator: ",")
    let text = try desk.passage(lines(header, line(1, insert("a", #""t":"x""#)), line(2, list)))
    return String(text.split(separator: "\n")[2])
  }

  @Test func `an insert followed by updates is imported as one insert`() throws {
    #expect(
      try outcome(insert("b", #""t":"x""#), update("b", #""n":1"#), update("b", #""t":null"#))
        == line(2, insert("b", #""n":1"#)))
  }

  @Test func `an insert followed by a delete is no change and uses no creation number`() throws {
    #expect(try outcome(insert("b"), delete("b")) == line(2))
    #expect(
      try outcome(insert("b"), insert("c"), delete("b")) == line(2, insert("c")))
  }

  @Test func `a record inserted, deleted and inserted keeps its first position`()
    throws
  {
    #expect(
      try outcome(insert("b", "", #","created":7"#), insert("c"), delete("b"), insert("b"))
        == line(2, insert("b"), insert("c")))
  }

  @Test func `several updates are imported as one with the final differences`() throws {
    #expect(
      try outcome(update("a", #""n":1"#), update("a", #""t":"y""#), update("a", #""n":2"#))
        == line(2, update("a", #""t":"y","n":2"#)))
    #expect(try outcome(update("a", #""t":"y""#), update("a", #""t":"x""#)) == line(2))
    #expect(try outcome(update("a", "")) == line(2))
  }

  @Test func `an update followed by a delete is imported as a delete`() throws {
    #expect(try outcome(update("a", #""n":1"#), delete("a")) == line(2, delete("a")))
  }

  @Test func `a delete followed by an insert is an update with the same creation number`() throws {
    #expect(
      try outcome(delete("a"), insert("a", #""n":1"#, #","created":9"#))
        == line(2, update("a", #""t":null,"n":1"#)))
    #expect(try outcome(delete("a"), insert("a", #""t":"x""#)) == line(2))
  }

  @Test func `an update to another normal form of a string is no change`()
    throws
  {
    let text = try desk.passage(
      lines(
        header, line(1, insert("a", #""t":"\u00e9","n":1"#)),
        line(2, update("a", #""t":"e\u0301""#)),
        line(3, update("a", #""t":"e\u0301","n":2"#)), line(4, update("a", #""t":"e\u0301x""#))))
    #expect(
      Array(text.utf8)
        == Array(
          lines(
            header, line(1, insert("a", "\"t\":\"\u{e9}\",\"n\":1")), line(2),
            line(3, update("a", #""n":2"#)), line(4, update("a", "\"t\":\"e\u{301}x\""))
          ).utf8))
  }

  @Test func `identifiers in different normal forms are equal`() throws {
    let text = try desk.passage(
      lines(header, line(1, insert("e\u{301}")), line(2, update("\u{e9}", #""n":2"#))))
    #expect(
      Array(text.utf8)
        == Array(
          lines(header, line(1, insert("\u{e9}")), line(2, update("\u{e9}", #""n":2"#))).utf8))
  }

  @Test func `many repeated changes in one line are merged by record`() throws {
    var changes: [String] = []
    for number in 0..<40 { changes.append(insert("r\(number)")) }
    for number in 0..<40 { changes.append(update("r\(number)", #""n":\#(number)"#)) }
    for number in 0..<40 where number % 3 == 0 { changes.append(delete("r\(number)")) }
    let kept = (0..<40).filter { $0 % 3 != 0 }.map { insert("r\($0)", #""n":\#($0)"#) }
    #expect(
      try outcome(changes.joined(separator: ",")) == line(2, kept.joined(separator: ",")))
  }

  // MARK: Creation numbers

  @Test func `creation numbers are exported only where they are not consecutive`() throws {
    let text = lines(
      header, line(1, insert("a", "", #","created":5"#), insert("b")),
      line(2, insert("c", "", #","created":2"#), insert("d")),
      line(3, delete("c")), line(4, insert("c", "", #","created":2"#)),
      line(5, insert("e", "", #","created":9223372036854775807"#)))
    #expect(try desk.passage(text) == text)
    let received = lines(header, line(1, insert("a", "", #","created":1"#)))
    #expect(try desk.passage(received) == lines(header, line(1, insert("a"))))
  }

  // MARK: Times

  @Test func `times with offsets are converted to UTC with nanoseconds`() throws {
    let text = try desk.passage(
      lines(
        #"{"tx":1,"time":"1677-09-21T00:12:43.145224192Z","changes":[]}"#,
        #"{"tx":2,"time":"2015-10-27T14:10:26.5000+02:00","changes":[]}"#,
        #"{"tx":3,"time":"2262-04-11T23:47:16.854775807Z","changes":[]}"#))
    #expect(
      text
        == lines(
          #"{"daybook":1,"entities":{}}"#,
          #"{"tx":1,"time":"1677-09-21T00:12:43.145224192Z","changes":[]}"#,
          #"{"tx":2,"time":"2015-10-27T12:10:26.5Z","changes":[]}"#,
          #"{"tx":3,"time":"2262-04-11T23:47:16.854775807Z","changes":[]}"#))
  }

  @Test func `a time before its predecessor's is raised and kept in the metadata`() throws {
    let text = try desk.passage(
      lines(
        #"{"tx":1,"time":"2020-01-01T00:00:00Z","changes":[]}"#,
        #"{"tx":2,"time":"2019-12-31T23:00:00+01:00","meta":{"author":"me"},"changes":[]}"#,
        #"{"tx":3,"time":"2020-01-01T00:00:00Z","changes":[]}"#))
    #expect(
      text
        == lines(
          #"{"daybook":1,"entities":{}}"#,
          #"{"tx":1,"time":"2020-01-01T00:00:00Z","changes":[]}"#,
          #"{"tx":2,"time":"2020-01-01T00:00:00Z","meta":{"author":"me","time":"2019-12-31T23:00:00+01:00"},"changes":[]}"#,
          #"{"tx":3,"time":"2020-01-01T00:00:00Z","changes":[]}"#))
  }

  @Test func `all transactions with one idempotency key are imported`() throws {
    let text = lines(
      #"{"daybook":1,"entities":{}}"#,
      #"{"tx":1,"time":"2020-01-01T00:00:00Z","meta":{"idempotencyKey":"k"},"changes":[]}"#,
      #"{"tx":2,"time":"2020-01-01T00:00:00Z","meta":{"idempotencyKey":"k"},"changes":[]}"#)
    #expect(try desk.passage(text) == text)
  }

  // MARK: Bases

  @Test func `a base contains the state as inserts`() throws {
    let text = lines(
      #"{"daybook":1,"base":57,"entities":{"F":{"id":"string","attributes":{"t":"string","n":"int64"}}}}"#,
      line(57, insert("a", #""t":"x""#, #","created":3"#), insert("b", "", #","created":2"#)),
      line(58, update("a", #""n":1"#), delete("b")), line(59, insert("c")))
    #expect(try desk.importing(text).transactionCount == 3)
    #expect(try desk.exported() == text)
    let reader = try JournalReader(at: "j", on: desk.disk)
    #expect(throws: JournalError.self) { try reader.transactions(from: 57) }
    let summary = try FileJournal.verify(at: "j", options: .simulated(desk.disk)) {
      Issue.record("\($0)")
    }
    #expect(summary.problemCount == 0)
    let store = try Store(at: "j", entities: [], options: .simulated(desk.disk))
    #expect(try store.snapshot.objects("F").map(\.id) == ["a", "c"])
    try store.closeAndWait()
  }

  @Test func `a journal can consist of an empty base`() throws {
    let text = lines(#"{"daybook":1,"base":1,"entities":{}}"#, line(1))
    #expect(try desk.passage(text) == text)
  }

  @Test func `a large base is stored in several pieces`() throws {
    let long = String(repeating: "x", count: 400)
    let records = (0..<4000).map { insert("r\($0)", #""t":"\#(long)""#) }
    let text = lines(
      #"{"daybook":1,"base":9,"entities":{"F":{"id":"string","attributes":{"t":"string","n":"int64"}}}}"#,
      line(9, records.joined(separator: ",")),
      line(10, update("r1", #""n":1"#), update("r3999", #""n":1"#)))
    #expect(try desk.importing(text).changeCount == 4002)
    #expect(try JournalReader(at: "j", on: desk.disk).base().count > 1)
    #expect(try desk.exported() == text)
  }

  @Test func `more entities than a journal can have are refused`() throws {
    let inserts = (0...1024).map { #"{"op":"insert","entity":"E\#($0)","id":1}"# }
    let text = lines(line(1, inserts.joined(separator: ",")))
    let start = try #require(text.firstRange(of: #""E1024""#)).lowerBound
    let column = text.unicodeScalars.distance(from: text.startIndex, to: start) + 1
    #expect(
      desk.problem(text)
        == "t:1:\(column): E1024 is entity number 1025; the limit is 1024 entities in a journal.")
    #expect(desk.names.isEmpty)
  }
}
