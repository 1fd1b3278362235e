@_spi(Tools) import DaybookStore

/// A server of the Model Context Protocol, which responds to requests about journals. Each request
/// and each response is one line of JSON, in the form of JSON-RPC 2.0. A line can also contain
/// several requests as an array. The server never writes a journal.
struct ContextServer {
  /// The journals that a client can read.
  let journals: [String]
  let tools: [ServedTool]

  /// The maximum number of requests in a line.
  static let requestCountMax = 100
  /// The maximum number of bytes of all results of a line with several requests. A single result
  /// has its own limit, ``ServedTool/partByteCount``.
  static let resultByteCountMax = 1 << 20

  /// The versions of the protocol that the server supports, the newest first.
  private static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]

  /// An error of a request, with its code in JSON-RPC.
  private struct RequestError: Error {
    var code: Int64
    var sentence: String
  }

  /// Returns the response to a line; nil for a notification, which has no response.
  func answer(to line: RequestLines.Line) -> String? {
    guard case .bytes(let bytes) = line else {
      return answer(
        RequestError(
          code: -32600, sentence: "a request has at most \(RequestLines.lengthMax) bytes."),
        to: .null
      ).text
    }
    let value: JSONDocument
    do throws(JSONTokenReader.ReadingError) { value = try JSONDocument(bytes) } catch {
      return answer(ContextServer.requestError(error), to: .null).text
    }
    guard case .array(let requests) = value, !requests.isEmpty else {
      return answer(to: value)?.text
    }
    guard requests.count <= ContextServer.requestCountMax else {
      let sentence =
        "a line has at most \(ContextServer.requestCountMax) requests; found \(requests.count)."
      return answer(RequestError(code: -32600, sentence: sentence), to: .null).text
    }
    return answers(to: requests)
  }

  /// Returns the responses to the requests of one line; nil if all of them are notifications.
  ///
  /// As soon as a result does not fit into the limit, its request and the later ones get an error.
  /// The later requests are not performed.
  private func answers(to requests: [JSONDocument]) -> String? {
    var answers: [String] = []
    var room = ContextServer.resultByteCountMax
    var isFull = false
    for request in requests {
      guard var reply = answer(to: request, isFull: isFull)?.text else { continue }
      if reply.utf8.count > room, !isFull {
        isFull = true
        guard let refusal = answer(to: request, isFull: true)?.text else { continue }
        reply = refusal
      }
      room -= reply.utf8.count
      answers.append(reply)
    }
    return answers.isEmpty ? nil : "[\(answers.joined(separator: ","))]"
  }

  private static func requestError(_ error: JSONTokenReader.ReadingError) -> RequestError {
    switch error {
    case .tooDeep(let sentence): RequestError(code: -32600, sentence: sentence)
    case .notOneValue: RequestError(code: -32700, sentence: "the line is not one JSON value.")
    }
  }

  /// Returns the response to a request; nil for a notification.
  ///
  /// - Parameter isFull: A Boolean value that indicates whether the line of responses has no room
  ///   for more results. The response is an error then.
  private func answer(to request: JSONDocument, isFull: Bool = false) -> JSONDocument? {
    let id = request["id"]
    let isIdentified = id.map(ContextServer.isIdentifier) ?? true
    guard case .string(let method)? = request["method"], isIdentified,
      request["jsonrpc"] == .string("2.0")
    else {
      return answer(
        RequestError(
          code: -32600,
          sentence: "a request needs \"jsonrpc\": \"2.0\", a \"method\", and an \"id\" that is a "
            + "string or a number."), to: isIdentified ? id ?? .null : .null)
    }
    guard let id else { return nil }
    if isFull {
      let sentence =
        "the results of one line have at most \(ContextServer.resultByteCountMax) bytes; send this "
        + "request in a line of its own."
      return answer(RequestError(code: -32000, sentence: sentence), to: id)
    }
    do throws(RequestError) {
      return response(
        to: id, key: "result", value: try result(of: method, request["params"] ?? .object([])))
    } catch { return answer(error, to: id) }
  }

  private static func isIdentifier(_ value: JSONDocument) -> Bool {
    switch value {
    case .string, .integer, .double: true
    default: false
    }
  }

  private func result(
    of method: String, _ parameters: JSONDocument
  ) throws(RequestError) -> JSONDocument {
    guard case .object = parameters else {
      throw RequestError(code: -32602, sentence: "\"params\" must be an object.")
    }
    switch method {
    case "initialize": return greeting(parameters)
    case "ping": return .object([])
    case "tools/list":
      let descriptions = tools.map { $0.description(of: journals) }
      return .object([JSONDocument.Member("tools", value: .array(descriptions))])
    case "tools/call":
      guard case .string(let name)? = parameters["name"] else {
        throw RequestError(code: -32602, sentence: "tools/call needs the \"name\" of a tool.")
      }
      guard let tool = tools.first(where: { $0.verb.name == name }) else {
        let names = Invocation.list(tools.map(\.verb.name))
        throw RequestError(code: -32602, sentence: "no tool '\(name)'; the tools are \(names).")
      }
      return tool.result(of: parameters["arguments"] ?? .object([]), journals: journals)
    default: throw RequestError(code: -32601, sentence: "no method '\(method)'.")
    }
  }

  /// Returns the response to `initialize`. If the server does not support the client's version, the
  /// response contains the server's newest version.
  private func greeting(_ parameters: JSONDocument) -> JSONDocument {
    var version = ContextServer.versions[0]
    if case .string(let requested)? = parameters["protocolVersion"],
      ContextServer.versions.contains(requested)
    {
      version = requested
    }
    return .object([
      JSONDocument.Member("protocolVersion", value: .string(version)),
      JSONDocument.Member(
        "capabilities",
        value: .object([JSONDocument.Member("tools", value: .object([]))])),
      JSONDocument.Member(
        "serverInfo",
        value: .object([
          JSONDocument.Member("name", value: .string("daybook")),
          JSONDocument.Member("version", value: .string(Version.number)),
        ])),
      JSONDocument.Member(
        "instructions",
        value: .string(
          "Reads event-sourced journals. Call schema first: it names the entities and attributes. "
            + "Every list can be read as of any moment. The tool tags prints named moments.")),
    ])
  }

  private func answer(_ error: RequestError, to id: JSONDocument) -> JSONDocument {
    response(
      to: id, key: "error",
      value: .object([
        JSONDocument.Member("code", value: .integer(error.code)),
        JSONDocument.Member("message", value: .string(ServedTool.shortened(error.sentence))),
      ]))
  }

  private func response(
    to id: JSONDocument, key: String, value: JSONDocument
  ) -> JSONDocument {
    .object([
      JSONDocument.Member("jsonrpc", value: .string("2.0")),
      JSONDocument.Member("id", value: id),
      JSONDocument.Member(key, value: value),
    ])
  }
}
