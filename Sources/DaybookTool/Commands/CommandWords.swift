import DaybookPlatform

/// What was typed behind the tool's name.
enum CommandWords {
  /// - Throws: ``ToolError`` with `misunderstood`, if a word is no UTF-8. Repaired, it could be the name of
  ///   another file.
  static func current() throws(ToolError) -> [String] {
    guard CommandLine.argc > 0 else {
      throw ToolError(
        .refused,
        sentence:
          "what was typed cannot be read: it stands in /proc/self/cmdline, and that is not there.")
    }
    let arguments = CommandLine.unsafeArgv
    var words: [String] = []
    for place in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = arguments[place] else { break }
      guard let word = String(validatingCString: argument) else {
        let bytes = UnsafeRawBufferPointer(start: argument, count: byteCount(of: argument))
        throw ToolError(
          .misunderstood,
          sentence: "argument \(place) is \(ShellText.quoted(bytes: bytes)), and is to be UTF-8.",
          advice: SystemDisk().exists(argument) ? link(to: bytes) : nil)
      }
      words.append(word)
    }
    return words
  }

  private static func byteCount(of argument: UnsafePointer<CChar>) -> Int {
    var count = 0
    while argument[count] != 0 { count += 1 }
    return count
  }

  /// A command that gives a file another name beside its own.
  private static func link(to bytes: UnsafeRawBufferPointer) -> String {
    let name = bytes.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    let plain = String(decoding: name.map { $0 < 0x80 ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    return "ln -s -- \(ShellText.quoted(bytes: bytes)) \(ShellText.quoted(plain))"
  }
}
