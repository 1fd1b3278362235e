@_spi(Tools) import DaybookResults

/// A command that reads a journal, as a tool of the Model Context Protocol.
struct ServedTool {
  let verb: Verb

  /// All commands of `daybook`.
  let verbs: [Verb]

  /// The options that are not served, because they write files or wait for a person.
  private static let omitted: Set<String> = ["-o", "--delay", "--step"]

  private var flags: [Verb.Flag] { verb.flags.filter { !ServedTool.omitted.contains($0.name) } }

  /// Returns the name of an option without its dashes.
  private static func key(_ flag: Verb.Flag) -> String { String(flag.name.drop { $0 == "-" }) }

  /// The maximum number of bytes of a result as JSON.
  static let partByteCount = 64 << 10

  // MARK: Description

  /// The description of the tool, with a JSON schema of its arguments.
  ///
  /// - Parameter journals: The journals that can be read.
  func description(of journals: [String]) -> JSONDocument {
    var properties: [JSONDocument.Member] = []
    for argument in verb.arguments {
      var members = [
        JSONDocument.Member("type", value: .string("string")),
        JSONDocument.Member("description", value: .string(argument.summary)),
      ]
      if argument.name == "JOURNAL" {
        members[1].value = .string("one of the journals of this server")
        members.append(JSONDocument.Member("enum", value: .array(journals.map { .string($0) })))
      }
      properties.append(JSONDocument.Member(argument.name.lowercased(), value: .object(members)))
    }
    for flag in flags {
      let type = flag.value == nil ? "boolean" : flag.value == "N" ? "integer" : "string"
      let form = flag.value.map { $0 == "N" || !flag.choices.isEmpty ? "" : "; the form is \($0)" }
      var members = [
        JSONDocument.Member("type", value: .string(type)),
        JSONDocument.Member("description", value: .string(flag.summary + (form ?? ""))),
      ]
      if !flag.choices.isEmpty {
        members.append(JSONDocument.Member("enum", value: .array(flag.choices.map { .string($0) })))
      }
      properties.append(JSONDocument.Member(ServedTool.key(flag), value: .object(members)))
    }
    properties.append(
      JSONDocument.Member(
        "cursor",
        value: .object([
          JSONDocument.Member("type", value: .string("string")),
          JSONDocument.Member(
            "description", value: .string("where to continue a result that was cut")),
        ])))
    let required = verb.arguments.filter { !$0.isOptional }.map { $0.name.lowercased() }
    let contents = verb.notes.isEmpty ? "\(verb.summary)." : "\(verb.summary).\n\n\(verb.notes)"
    return .object([
      JSONDocument.Member("name", value: .string(verb.name)),
      JSONDocument.Member("description", value: .string(contents)),
      JSONDocument.Member(
        "inputSchema",
        value: .object([
          JSONDocument.Member("type", value: .string("object")),
          JSONDocument.Member("properties", value: .object(properties)),
          JSONDocument.Member("required", value: .array(required.map { .string($0) })),
          JSONDocument.Member("additionalProperties", value: .bool(false)),
        ])),
      JSONDocument.Member(
        "annotations",
        value: .object([JSONDocument.Member("readOnlyHint", value: .bool(true))])),
    ])
  }

  // MARK: Calls

  /// Runs the command, and returns the result of the call.
  func result(of arguments: JSONDocument, journals: [String]) -> JSONDocument {
    do {
      let call = try call(arguments, journals: journals)
      let output = Output(keeping: call.start..<call.start + ServedTool.partByteCount)
      let terminal = Terminal(columnCount: nil, usesColor: false, isPlain: false)
      let invocation = try Invocation(
        verb, words: call.words, among: verbs, on: terminal, to: output)
      do {
        try invocation.checkRequired()
        _ = try invocation.runVerb()
        try output.flush()
      } catch is Output.Closed {
        // The output already contains all bytes of the requested part.
      }
      return result(of: output, start: call.start, problem: invocation.trouble.problem?.text)
    } catch {
      let sentence = (error as? ToolError)?.sentence ?? "\(error)"
      return ServedTool.content([ServedTool.shortened(sentence)], isError: true)
    }
  }

  /// Returns a sentence, or its start if it contains a very long text.
  static func shortened(_ sentence: String) -> String {
    sentence.utf8.count <= 4096 ? sentence : String(sentence.unicodeScalars.prefix(1000)) + "…"
  }

  private func result(of output: Output, start: Int, problem: String?) -> JSONDocument {
    let problem = problem.map { ServedTool.shortened($0) }
    let rest = part("", problem: problem, next: Int.max).text.utf8.count
    let bytes = ServedTool.start(
      of: output.retainedBytes, isCut: output.isCut, jsonByteCount: ServedTool.partByteCount - rest)
    let contents = String(decoding: bytes, as: UTF8.self)
    let isComplete = !output.isCut && bytes.count == output.retainedBytes.count
    return part(contents, problem: problem, next: isComplete ? nil : start + bytes.count)
  }

  /// Returns a result that contains a part of the output.
  private func part(_ contents: String, problem: String?, next: Int?) -> JSONDocument {
    let more = next.map {
      "The result is longer. Call \(verb.name) with the same arguments and "
        + "\"cursor\": \"\($0)\" to continue."
    }
    return ServedTool.content(
      [contents, more, problem].compactMap { $0 }, isError: false, cursor: next.map { "\($0)" })
  }

  /// Returns the longest start of a text whose JSON has at most a number of bytes. If the text is
  /// cut, the start ends with a complete line, or at least with a complete character.
  private static func start(
    of bytes: [UInt8], isCut: Bool, jsonByteCount: Int
  ) -> ArraySlice<UInt8> {
    var (end, lineEnd, count) = (0, 0, 0)
    var head = bytes[...]
    if isCut {
      // The last character may be incomplete.
      while let last = head.last, last & 0xC0 == 0x80 { head.removeLast() }
      if let last = head.last, last >= 0x80 { head.removeLast() }
    }
    for scalar in String(decoding: head, as: UTF8.self).unicodeScalars {
      let isPlain =
        scalar.isASCII && scalar.value >= 0x20 && scalar != "\"" && scalar != "\\"
        && scalar.value != 0x7F
      count += isPlain ? 1 : JSONDocument.string(String(scalar)).text.utf8.count - 2
      if count > jsonByteCount { return bytes[..<(lineEnd > 0 ? lineEnd : end)] }
      end += UTF8.width(scalar)
      if scalar == "\n" { lineEnd = end }
    }
    return isCut ? bytes[..<(lineEnd > 0 ? lineEnd : end)] : bytes[...]
  }

  private static func content(
    _ strings: [String], isError: Bool, cursor: String? = nil
  ) -> JSONDocument {
    let items = strings.map { string -> JSONDocument in
      .object([
        JSONDocument.Member("type", value: .string("text")),
        JSONDocument.Member("text", value: .string(string)),
      ])
    }
    var members = [
      JSONDocument.Member("content", value: .array(items)),
      JSONDocument.Member("isError", value: .bool(isError)),
    ]
    if let cursor {
      let meta = JSONDocument.object([JSONDocument.Member("nextCursor", value: .string(cursor))])
      members.append(JSONDocument.Member("_meta", value: meta))
    }
    return .object(members)
  }

  /// Returns the command line for the arguments of a call, and the offset of the part in the
  /// result.
  private func call(
    _ arguments: JSONDocument, journals: [String]
  ) throws(ToolError) -> (words: [String], start: Int) {
    guard case .object(let members) = arguments else {
      throw ToolError(.usage, sentence: "\"arguments\" must be an object.")
    }
    let names = verb.arguments.map { $0.name.lowercased() }
    let known = names + flags.map(ServedTool.key) + ["cursor"]
    if let unknown = members.map(\.key).filter({ !known.contains($0) }).min() {
      let nearest = NearestName.nearest(to: unknown, among: known)
      throw ToolError(
        .usage,
        sentence: "\(verb.name) has no argument \"\(unknown)\""
          + (nearest.map { "; did you mean \"\($0)\"?" } ?? "."))
    }
    var words: [String] = []
    for flag in flags {
      let key = ServedTool.key(flag)
      guard let value = arguments[key] else { continue }
      if flag.value == nil {
        guard case .bool(let isOn) = value else {
          throw ToolError(.usage, sentence: "\"\(key)\" must be true or false.")
        }
        if isOn { words.append(flag.name) }
      } else {
        words.append("\(flag.name)=\(try ServedTool.word(value, of: key))")
      }
    }
    words.append("--")
    guard arguments["journal"] != nil else {
      throw ToolError(
        .usage,
        sentence: "\(verb.name) needs \"journal\": \(Invocation.list(journals)).")
    }
    for name in names {
      guard let value = arguments[name] else { break }
      let argument = try ServedTool.word(value, of: name)
      guard name != "journal" || journals.contains(argument) else {
        throw ToolError(
          .usage,
          sentence: "\"journal\" must be \(Invocation.list(journals)); found '\(argument)'.")
      }
      words.append(argument)
    }
    return (words, try start(arguments["cursor"]))
  }

  private func start(_ cursor: JSONDocument?) throws(ToolError) -> Int {
    guard let cursor else { return 0 }
    let argument = try ServedTool.word(cursor, of: "cursor")
    guard let start = Int(argument), start >= 0, start <= Int.max / 2 else {
      throw ToolError(
        .usage, sentence: "\"cursor\" must be one of an earlier result; found '\(argument)'.")
    }
    return start
  }

  private static func word(_ value: JSONDocument, of key: String) throws(ToolError) -> String {
    switch value {
    case .string(let string): return string
    case .integer(let number): return "\(number)"
    case .double(let number): return "\(number)"
    default: throw ToolError(.usage, sentence: "\"\(key)\" must be a string or a number.")
    }
  }
}
