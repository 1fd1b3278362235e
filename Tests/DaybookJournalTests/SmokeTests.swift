import DaybookJournal
import DaybookTesting
import Testing

@Suite struct `A journal on a simulated disk` {
  @Test func `what was appended is there after a power loss`() throws {
    let reference = try ReferenceJournal(closes: false)
    let oracle = Oracle(
      submitted: reference.payloads, acknowledgedCount: reference.payloads.count)
    for seed in 0..<20 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      oracle.check(reference.disk.powerLoss(using: &generator), "seed \(seed)")
    }
  }
}
