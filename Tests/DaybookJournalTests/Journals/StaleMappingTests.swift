import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Follows a journal on an overlay file system, which copies a file when it is first opened for
/// writing. Earlier mappings show the old copy.
@Suite struct `A disk with stale mappings` {
  @Test(arguments: [JournalReading.mapped, .copied])
  func `a follower reads the transactions written after its opening`(reading: JournalReading) throws
  {
    let disk = SimulatedDisk()
    let first = try FileJournal(at: "a", options: .simulated(disk))
    try first.mustAppend([1])
    try first.closeAndWait()
    var overlay = PassingDisk(disk)
    overlay.mapsOldCopies = true
    let follower = try FileFollower(at: "a", on: overlay, reading: reading)
    func payloads() throws -> [[UInt8]] {
      var payloads: [[UInt8]] = []
      while case .transaction(let transaction) = try follower.next() {
        payloads.append(transaction.payload.copy())
      }
      return payloads
    }
    #expect(try payloads() == [[1]])
    let writer = try FileJournal(at: "a", options: .simulated(disk, seed: 2))
    for byte in 2...9 as ClosedRange<UInt8> {
      try writer.mustAppend([byte])
      #expect(try payloads() == [[byte]])
    }
    try writer.closeAndWait()
  }
}
