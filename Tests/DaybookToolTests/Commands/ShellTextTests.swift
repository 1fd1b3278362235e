import TestSupport
import Testing

@testable import DaybookTool

/// Words of commands that can be pasted into a shell.
@Suite struct `A command to paste` {
  static let words = [
    "", "show", "a b", "it's", "'", "''", "$HOME", "`id`", "$(id)", "\\", "\\n", "a\nb", "\t", "\r",
    "\u{1B}[2J", "\u{202E}", "\u{9B}", "é", "日本語", "👩‍👩‍👧", "~", "~/x", "=ls", "a=b", "*", "?", "[a]",
    "{a,b}", "!!", "#", "a#b", ";", "&", "|", "<", ">", "(", ")", "\"", "-", "--", "--a=b c", "%s",
    "it's\na \\ \u{7F}", "\u{1}1", "x\u{301}", "'\u{301};id",
  ]

  static let shells = ["bash --norc", "zsh -f"].filter { shell in
    BuiltTool.has(String(shell.prefix { $0 != " " }))
  }

  @Test(arguments: shells)
  func `a shell parses a quoted command into its words`(shell: String) throws {
    try TemporaryDirectory.with { scratch in
      let command = ShellText.command(`A command to paste`.words).dropFirst("daybook ".count)
      try scratch.write(Array("printf '%s\\0' \(command)".utf8), to: "pasted")
      _ = try BuiltTool.run("\(shell) $SCRATCH/pasted > $SCRATCH/words", scratch)
      let bytes = try scratch.bytes(of: "words")
      let read = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
      #expect(read.map { Array($0.utf8) } == `A command to paste`.words.map { Array($0.utf8) })
    }
  }

  @Test(arguments: words) func `a quoted command contains no control characters`(word: String) {
    let command = ShellText.command([word])
    #expect(DisplayWidth.shown(command) == command)
  }

  @Test func `bytes that are not valid text are quoted as numbers`() {
    #expect(ShellText.quoted(bytes: [0x61, 0xFF, 0x27, 0x5C, 0x0A]) == #"$'a\xFF\'\\\x0A'"#)
  }
}
