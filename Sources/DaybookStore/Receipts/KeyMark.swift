import DaybookJournal

/// What is remembered of an idempotency key: 36 bits of its hash.
///
/// Keys that are equal have one mark; of others, two in 69 billion.
package struct KeyMark: Hashable, Sendable {
  /// From where on a table has it.
  package let home: UInt64
  /// What it is told by from others there.
  package let check: UInt32

  package static let homeBitCount = 21
  package static let checkBitCount = 15

  /// - Parameter seed: Whoever does not know it cannot choose keys of one mark.
  package init(of key: String, seed: UInt64) {
    // Texts are equal by their normal form.
    let hash = XXH64.check(NormalizedText.bytes(of: key).span.bytes, seed: seed)
    self.init(home: hash >> (64 - KeyMark.homeBitCount), check: UInt32(truncatingIfNeeded: hash))
  }

  /// - Returns: nil if it is no mark's.
  package init?(rawValue: UInt64) {
    guard rawValue >> (KeyMark.homeBitCount + KeyMark.checkBitCount) == 0 else { return nil }
    self.init(
      home: rawValue >> KeyMark.checkBitCount, check: UInt32(truncatingIfNeeded: rawValue))
  }

  package init(home: UInt64, check: UInt32) {
    self.home = home
    self.check = check & (1 << KeyMark.checkBitCount - 1)
  }

  package var rawValue: UInt64 { home << KeyMark.checkBitCount | UInt64(check) }
}
