import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// An empty file that was a journal, as files beside it show.
@Suite struct `An emptied journal` {
  private static let suffixes = [
    "-end", "-torn-3", "-cache-banks", "-checkpoint-a", "-checkpoint-b",
  ]

  @Test(arguments: suffixes, [0, 4096])
  func `an emptied journal with a derived file is not replaced`(
    suffix: String, byteCount: Int
  ) throws {
    let disk = SimulatedDisk()
    let bytes = [UInt8](repeating: 0, count: byteCount)
    disk.setContents(bytes, at: "a")
    disk.setContents([1, 2, 3], at: "a\(suffix)")
    let what = byteCount == 0 ? "is empty" : "contains only zeros (4096 bytes)"
    let expected = """
      a: the file \(what), but files beside it show that it was a journal. Nothing was changed. \
      Restore it from a backup, or move the files beside it away to start again.
      """
    #expect(sentence { _ = try FileJournal(at: "a", options: .simulated(disk)) } == expected)
    #expect(sentence { _ = try JournalReader(at: "a", options: .simulated(disk)) } == expected)
    #expect(disk.contents(of: "a") == bytes)
    #expect(disk.contents(of: "a\(suffix)") == [1, 2, 3])
  }

  @Test(arguments: ["-checkpoint-c", "-checkpoint", "-notes", "2-end"])
  func `an unrelated file with the journal's name as prefix does not prevent creation`(
    suffix: String
  ) throws {
    let disk = SimulatedDisk()
    disk.setContents([], at: "a")
    disk.setContents([1, 2, 3], at: "a\(suffix)")
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    #expect(journal.report.outcome == .creationInterrupted)
    #expect(disk.contents(of: "a\(suffix)") == [1, 2, 3])
  }
}
