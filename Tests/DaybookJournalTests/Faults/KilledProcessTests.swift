import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Row 9: a real process is killed while it appends and acknowledges.
///
/// For every durability, the acknowledged transactions are in the journal, and the submitted ones
/// are in order: the end of a process loses no written bytes.
@Suite struct `A process killed while it appends` {
  @Test func `the transactions that a killed process acknowledged are in the journal`() throws {
    try FaultRow.run(9, "SIGKILL while appending") { count in
      for seed in 0..<UInt64(FaultRow.count(200, full: 10_000)) {
        count += 1
        try TemporaryDirectory.with { try killAndLook(in: $0, seed: seed) }
      }
    }
  }

  /// A transaction that was acknowledged to one run of the process.
  private struct Acknowledgement {
    var life: Int
    var payload: SeededPayload
  }

  private func killAndLook(in directory: TemporaryDirectory, seed: UInt64) throws {
    let path = directory.path("a")
    var generator = SplitMix64(seed: seed)
    let submitterCount = UInt32(1 + generator.next() % 3)
    let lives = seed % 4 == 0 ? 2 : 1
    // Each run of the process has its own seed, and so its own payloads.
    var acknowledged: [UInt64: Acknowledgement] = [:]
    var countBefore: UInt64 = 0
    var lifeOf: [Int] = []
    for life in 0..<lives {
      let durability = ["full", "batched", "none"][Int(generator.next() % 3)]
      let child = try TestProcess(
        "append", path, durability, "\(seed &* 2 &+ UInt64(life))", "\(submitterCount)", "100000")
      for _ in 0..<(generator.next() % 60) {
        guard let bytes = child.bytes(16) else {
          Issue.record("seed \(seed): the child ended by itself, status \(child.wait())")
          return
        }
        note(bytes, life, &acknowledged)
      }
      child.end()
      while let bytes = child.bytes(16) { note(bytes, life, &acknowledged) }
      let count = try check(path, seed, life, acknowledged, countBefore, &lifeOf)
      countBefore = count
    }
  }

  private func note(
    _ bytes: [UInt8], _ life: Int, _ acknowledged: inout [UInt64: Acknowledgement]
  ) {
    let view = ByteView(bytes)
    acknowledged[view.load(0, as: UInt64.self)] = Acknowledgement(
      life: life, payload: SeededPayload(word: view.load(8, as: UInt64.self)))
  }

  /// Opens the journal, compares it with the acknowledged transactions, appends, and opens it
  /// again.
  private func check(
    _ path: String, _ seed: UInt64, _ life: Int,
    _ acknowledged: [UInt64: Acknowledgement], _ countBefore: UInt64,
    _ lifeOf: inout [Int]
  ) throws -> UInt64 {
    // The process may have been killed before it created the journal, but not after an
    // acknowledgement.
    var options = JournalOptions()
    options.createsIfMissing = acknowledged.isEmpty
    let journal = try FileJournal(at: path, options: options)
    var submitted: [UInt32: UInt32] = [:]
    var reader = try journal.transactions(from: 1)
    var sequence: UInt64 = 0
    while let transaction = try reader.next() {
      sequence += 1
      #expect(transaction.sequence.rawValue == sequence, "seed \(seed)")
      if sequence > countBefore { lifeOf.append(life) }
      let bytes = transaction.payload.copy()
      // This payload was appended between two runs.
      if bytes == [0xDA] { continue }
      let payload = SeededPayload(bytes)
      let seedOfLife = seed &* 2 &+ UInt64(lifeOf[Int(sequence) - 1])
      #expect(payload?.bytes(seed: seedOfLife) == bytes, "seed \(seed), \(sequence)")
      if let payload, sequence > countBefore {
        #expect(payload.number == submitted[payload.submitter, default: 0], "seed \(seed)")
        submitted[payload.submitter] = payload.number + 1
      }
      if let received = acknowledged[sequence] {
        #expect(received.payload == payload, "seed \(seed)")
      }
    }
    #expect((acknowledged.keys.max() ?? 0) <= sequence, "seed \(seed)")
    if case .damaged = journal.report.outcome { Issue.record("seed \(seed): \(journal.report)") }
    try journal.mustAppend([0xDA])
    try journal.closeAndWait()
    let again = try FileJournal(at: path)
    #expect(again.head.sequence.rawValue == sequence + 1, "seed \(seed)")
    #expect(again.report.isUneventful, "seed \(seed): \(again.report)")
    try again.closeAndWait()
    lifeOf.append(life)
    return sequence + 1
  }
}
