import DaybookCLibrary
import DaybookStore
import TestSupport
import Testing

/// The permissions of an exported text.
@Suite struct `Permissions of an exported text` {
  private func permissions(of path: String) throws -> UInt32 {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return UInt32(status.st_mode & 0o777)
  }

  @Test(arguments: [0o600, 0o640, 0o660, 0o400, 0o666] as [UInt32])
  func `an exported text has only permissions of the journal`(journalMode: UInt32) throws {
    try TemporaryDirectory.with { scratch in
      let sample = try ProjectFiles.bytes("Journal/Samples/Records/companies.daybook")
      let journal = try scratch.write(sample, to: "companies.daybook")
      try #require(chmod(journal, mode_t(journalMode)) == 0)
      let text = scratch.path("companies.jsonl")
      _ = try PrintedTool.lines(["export", journal, text])
      let given = try permissions(of: text)
      #expect(given & ~journalMode == 0, "\(String(given, radix: 8))")
      #expect(given & 0o400 != 0)
      // The export of a text has no more permissions than the text.
      try #require(chmod(text, mode_t(journalMode)) == 0)
      let again = scratch.path("again.jsonl")
      _ = try PrintedTool.lines(["export", text, again])
      #expect(try permissions(of: again) & ~journalMode == 0)
    }
  }
}
