import Daybook
import DaybookJournal
@_spi(Tools) import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// `verify --deep` with checkpoints that programs leave beside a journal.
@Suite("Checkpoints that are verified") struct VerifiedCheckpointBytesTests {
  struct Town: Record {
    var id = ""
    var name = ""
    var twin: Reference<Town>?
    static let schema = RecordSchema<Town>("Town").attribute("name", at: \.name)
      .reference("twin", at: \.twin, whenTargetDeleted: .nullify).unique(\.name)
  }

  /// Leaves two checkpoints beside a journal.
  private func leave(_ path: String) throws {
    var options = JournalOptions()
    options.checkpointRule.closingByteCountMin = 1
    options.checkpointRule.closingDivisor = .max
    for session in 0..<2 {
      let store = try Store(at: path, records: Town.self, options: options)
      let context = store.makeContext()
      for number in 0..<30 {
        let id = "\(session) \(number)"
        try context.insert(Town(id: id, name: "town \(id)", twin: Reference("0 \(number)")))
      }
      try context.delete(Town.self, id: "\(session) 7")
      try context.saveAndWait()
      try store.closeAndWait()
    }
  }

  private func verified(_ path: String) throws -> (lines: [String], status: DaybookTool.ExitStatus)
  {
    try PrintedTool.printed(["verify", path, "--deep"])
  }

  @Test func `verify accepts checkpoints with the state of the journal`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("towns.daybook")
      try leave(path)
      let (lines, status) = try verified(path)
      #expect(status == .done)
      #expect(lines.last?.hasSuffix("0 caches, 2 checkpoints") == true, "\(lines)")
    }
  }

  @Test func `verify notes damaged checkpoints and those of another journal`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("towns.daybook")
      try leave(path)
      var bytes = try scratch.bytes(of: "towns.daybook-checkpoint-b")
      bytes[5000] ^= 1
      _ = try scratch.write(bytes, to: "towns.daybook-checkpoint-b")
      try leave(scratch.path("other.daybook"))
      _ = try scratch.write(
        try scratch.bytes(of: "other.daybook-checkpoint-a"), to: "towns.daybook-checkpoint-a")
      let (lines, status) = try verified(path)
      #expect(status == .done)
      #expect(
        lines.dropLast() == [
          "note: \(path)-checkpoint-a: it belongs to a different journal, or to this one before it dropped history; "
            + "the journal opens without it.",
          "note: \(path)-checkpoint-b: it is damaged or has a different format; the journal opens without it.",
        ])
      #expect(lines.last?.hasSuffix("0 checkpoints") == true)
    }
  }

  @Test func `verify notes a checkpoint of a missing transaction`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("towns.daybook")
      try leave(path)
      // Replace the journal with a backup from before its last transaction.
      let store = try Store(at: path, records: Town.self)
      try store.backup(to: scratch.path("backup"))
      let context = store.makeContext()
      try context.insert(Town(id: "late", name: "late"))
      try context.saveAndWait()
      store.writeCheckpoint()
      try store.closeAndWait()
      _ = try scratch.write(try scratch.bytes(of: "backup"), to: "towns.daybook")
      let (lines, status) = try verified(path)
      #expect(status == .done)
      #expect(
        lines.dropLast() == [
          "note: \(path)-checkpoint-a: it belongs to a transaction that is not in the journal; the journal opens "
            + "without it."
        ])
    }
  }

  @Test func `verify reports a forged checkpoint`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("towns.daybook")
      try leave(path)
      var bytes = try scratch.bytes(of: "towns.daybook-checkpoint-b")
      func number(_ offset: Int) -> UInt64 {
        bytes.span.bytes.number(at: offset, as: UInt64.self) ?? 0
      }
      func put(_ number: UInt64, at offset: Int) {
        withUnsafeBytes(of: number.littleEndian) {
          bytes.replaceSubrange(offset..<offset + 8, with: $0)
        }
      }
      // Change the next creation number, and correct the checksums.
      let salt = number(32)
      put(number(136) + 1, at: 136)
      let roots = 128..<128 + Int(number(80))
      put(XXH64.checksum(bytes.span.bytes.extracting(roots), seed: salt), at: 88)
      put(XXH64.checksum(bytes.span.bytes.extracting(0..<120), seed: salt), at: 120)
      _ = try scratch.write(bytes, to: "towns.daybook-checkpoint-b")
      let (lines, status) = try verified(path)
      #expect(status == .problem)
      #expect(
        lines.contains(
          "\(path)-checkpoint-b: its numbers or times differ from those of the journal."),
        "\(lines)")
    }
  }
}
