import TestSupport
import Testing

@testable import DaybookTool

/// The documentation page "Reports".
@Suite struct `The page on reports` {
  @Test func `the commands of the page on reports write pages`() throws {
    let lines = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Reports.md")
    let commands = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    #expect(commands.count == 2)
    try TemporaryDirectory.with { scratch in
      for command in commands {
        let moved = command.replacing(" -o ", with: " -o $SCRATCH/")
        #expect(try BuiltTool.run(moved, scratch) == [])
        let name = try #require(command.split(separator: " ").last)
        #expect(try scratch.bytes(of: String(name)).starts(with: Array("<!doctype html>".utf8)))
      }
    }
  }
}
