@_spi(Tools) import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// A client sends lines of any size and form. Each limit of the server has an error of JSON-RPC.
@Suite struct `The server of the Model Context Protocol` {
  private static let page = "Sources/Daybook/Daybook.docc/CommandLine.md"

  /// Returns the answer of a server that has one tool.
  private func answer(to line: String, journals: [String] = ["a.daybook"]) -> String? {
    ContextServer(journals: journals, tools: [ServedTool(verb: ShowVerb.verb, verbs: [])])
      .answer(to: .bytes(Array(line.utf8)))
  }

  private func request(_ method: String, id: Int, parameters: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
  }

  private func nested(_ count: Int, _ start: String = "[", _ end: String = "]") -> String {
    String(repeating: start, count: count) + String(repeating: end, count: count)
  }

  private func error(_ code: Int, _ sentence: String, id: String = "null") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"\#(sentence)"}}"#
  }

  @Test func `a line is answered up to the limit of nesting and refused above it`() {
    let deep = error(-32600, "objects and arrays are nested too deeply; the limit is 64 levels.")
    for (start, end) in [("[", "]"), (#"{"a":"#, "}")] {
      let inner = start == "[" ? "[]" : "{}"
      func line(_ depth: Int) -> String {
        // The request and its parameters are two levels, and the innermost value is one.
        let value = nested(depth - 3, start, end)
        let index = value.index(value.startIndex, offsetBy: start.count * (depth - 3))
        return request(
          "ping", id: 1, parameters: #"{"a":\#(value[..<index])\#(inner)\#(value[index...])}"#)
      }
      #expect(answer(to: line(64)) == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
      #expect(answer(to: line(65)) == deep)
    }
    #expect(answer(to: nested(1 << 19)) == deep)
    #expect(answer(to: String(repeating: "[", count: 1 << 20)) == deep)
    #expect(answer(to: nested(64) + "]") == error(-32700, "the line is not one JSON value."))
  }

  @Test func `a line is answered up to the limit of requests and refused above it`() {
    func line(_ count: Int) -> String {
      "[" + (0..<count).map { request("ping", id: $0) }.joined(separator: ",") + "]"
    }
    let answers = (0..<100).map { #"{"jsonrpc":"2.0","id":\#($0),"result":{}}"# }
    #expect(answer(to: line(100)) == "[" + answers.joined(separator: ",") + "]")
    #expect(answer(to: line(101)) == error(-32600, "a line has at most 100 requests; found 101."))
    let numbers = "[1" + String(repeating: ",1", count: 500_000) + "]"
    #expect(answer(to: numbers) == error(-32600, "a line has at most 100 requests; found 500001."))
  }

  @Test func `requests whose results do not fit into one line get an error`() throws {
    let journals = (0..<10_000).map { "journal-\($0).daybook" }
    let result = try #require(answer(to: request("tools/list", id: 10), journals: journals))
    let fittingCount = ContextServer.resultByteCountMax / result.utf8.count
    #expect((2..<20).contains(fittingCount))
    let requests =
      (10..<30).map { request("tools/list", id: $0) } + [
        #"{"jsonrpc":"2.0","method":"notifications/x"}"#, request("ping", id: 30), "3",
      ]
    let line = try #require(
      answer(to: "[" + requests.joined(separator: ",") + "]", journals: journals))
    let sentence =
      "the results of one line have at most 1048576 bytes; send this request in a line of its own."
    let fitting = (10..<10 + fittingCount).map {
      result.replacing(#""id":10,"#, with: #""id":\#($0),"#)
    }
    let refused = (10 + fittingCount...30).map { error(-32000, sentence, id: "\($0)") }
    let invalid = try #require(answer(to: "3"))
    #expect(line == "[" + (fitting + refused + [invalid]).joined(separator: ",") + "]")
  }

  @Test(arguments: [
    ("null", JSONDocument.null), ("true", .bool(true)), ("false", .bool(false)),
    ("12", .integer(12)), ("-0", .integer(0)), ("1.0", .integer(1)), ("1e3", .integer(1_000)),
    ("1.5", .double(1.5)), ("9223372036854775807", .integer(.max)),
    ("9223372036854775808", .double(0x1p63)), ("18446744073709551616", .double(0x1p64)),
    (#""a\u00e9\n""#, .string("aé\n")), ("[]", .array([])), (" [1, [\"x\"]] ", nil),
    (
      #"{"b":1,"a":{"b":[]},"b":2}"#,
      .object([
        JSONDocument.Member("b", value: .integer(1)),
        JSONDocument.Member(
          "a", value: .object([JSONDocument.Member("b", value: .array([]))])),
        JSONDocument.Member("b", value: .integer(2)),
      ])
    ),
  ])
  func `a value of a request is read from its text`(_ text: String, _ expected: JSONDocument?)
    throws
  {
    let value = try JSONDocument(Array(text.utf8))
    #expect(value == expected ?? .array([.integer(1), .array([.string("x")])]))
    if case .object = value { #expect(value["b"] == .integer(1)) }
  }

  @Test(arguments: ["", " ", "[1", "1 2", "{\"a\"}", "1e400", "nul", "\"a", "[1,]", "\u{FEFF}1"])
  func `a line that is not one JSON value is an error`(_ text: String) {
    #expect(answer(to: text) == error(-32700, "the line is not one JSON value."))
  }

  @Test func `the page on the command line and the help contain the limits`() throws {
    let lines = try ProjectFiles.lines(`The server of the Model Context Protocol`.page)
    #expect(RequestLines.lengthMax == 1 << 20)
    #expect(lines.contains("| bytes | 1 MiB |"))
    #expect(
      lines.contains("| objects and arrays inside each other | \(JSONReader.depthMax) levels |"))
    #expect(lines.contains("| requests, in an array | \(ContextServer.requestCountMax) |"))
    #expect(
      lines.contains(
        "| results of these requests together | \(ContextServer.resultByteCountMax >> 20) MiB; each "
          + "request whose result does not fit gets an error |"))
    let notes = ServeVerb.verb.notes.split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      notes.contains(
        "A line of requests has at most 1 MiB, \(JSONReader.depthMax) levels of nesting, and "
          + "\(ContextServer.requestCountMax) requests in an array; their results have at most 1 MiB "
          + "together."))
  }
}
