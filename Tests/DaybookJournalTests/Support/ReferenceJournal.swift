import DaybookJournal
import DaybookSimulation
import TestSupport

/// The journal that the fault matrix is run on: sixty transactions of 1 byte to 3 KiB, in at most
/// 48 KiB of frames, written by the journal itself on a simulated disk.
struct ReferenceJournal {
  static let path = "reference.daybook"
  static let transactionCount = 60

  let disk: SimulatedDisk
  let payloads: [[UInt8]]

  /// Creates the journal. The same seed gives the same bytes on every machine.
  init(seed: UInt64 = 0x5EED, closes: Bool = true) throws {
    disk = SimulatedDisk()
    payloads = ReferenceJournal.payloads(seed: seed)
    let journal = try FileJournal(at: ReferenceJournal.path, options: .simulated(disk, seed: seed))
    for payload in payloads { try journal.mustAppend(payload) }
    if closes { try journal.closeAndWait() }
  }

  /// Sizes are log-uniform: as many between 1 and 2 bytes as between 1 and 2 KiB.
  static func payloads(seed: UInt64, count: Int = transactionCount) -> [[UInt8]] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let bits = UInt64.random(in: 0...11, using: &generator)
      let size = min(3072, (1 << bits) + Int.random(in: 0..<(1 << bits), using: &generator))
      return (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
  }

  /// The current contents of the file.
  var bytes: [UInt8] { disk.contents(of: ReferenceJournal.path) ?? [] }
}

extension JournalOptions {
  /// Returns options for a journal on a simulated disk, with its own clock and without background
  /// work.
  static func simulated(_ disk: SimulatedDisk, seed: UInt64 = 1) -> JournalOptions {
    var options = JournalOptions()
    options.disk = disk
    options.clock = TestClock()
    options.worksInBackground = false
    options.reading = .copied
    let generator = SharedGenerator(seed: seed)
    options.random = { generator.next() }
    return options
  }
}

extension FileJournal {
  /// Appends a payload, and throws if it is not appended.
  @discardableResult
  func mustAppend(_ payload: [UInt8]) throws -> Receipt {
    switch try appendAndWait(payload) {
    case .appended(let receipt): return receipt
    case .conflict(let head): throw Surprise("conflict with \(head.sequence)")
    case .unknown(let unknown): throw Surprise("unknown: \(unknown.cause)")
    }
  }
}
