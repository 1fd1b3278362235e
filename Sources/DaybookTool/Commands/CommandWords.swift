import DaybookPlatform

/// The arguments of the process, without the name of the tool.
enum CommandWords {
  /// Returns the arguments as strings.
  ///
  /// - Throws: ``ToolError`` with `usage` if an argument is not UTF-8. The tool does not
  ///   replace invalid bytes, because the result could be the name of a different file.
  static func current() throws(ToolError) -> [String] {
    guard CommandLine.argc > 0 else {
      throw unreadable
    }
    let arguments = CommandLine.unsafeArgv
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = arguments[index] else { break }
      guard let word = String(validatingCString: argument) else {
        let bytes = UnsafeRawBufferPointer(start: argument, count: byteCount(of: argument))
        throw ToolError(
          .usage,
          sentence: "argument \(index) must be UTF-8; found \(ShellText.quoted(bytes: bytes)).",
          advice: SystemDisk().exists(argument) ? link(to: bytes) : nil)
      }
      words.append(word)
    }
    return words
  }

  /// The error for a process that cannot read its own command line.
  static let unreadable = ToolError(
    .refused,
    sentence: "the command line cannot be read, because /proc/self/cmdline is not available. "
      + "Nothing was changed. Run the tool where /proc is mounted.")

  private static func byteCount(of argument: UnsafePointer<CChar>) -> Int {
    var count = 0
    while argument[count] != 0 { count += 1 }
    return count
  }

  /// Returns a command that creates a symbolic link to the file, with a name in ASCII.
  private static func link(to bytes: UnsafeRawBufferPointer) -> String {
    let name = bytes.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    let plain = String(decoding: name.map { $0 < 0x80 ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    return "ln -s -- \(ShellText.quoted(bytes: bytes)) \(ShellText.quoted(plain))"
  }
}
