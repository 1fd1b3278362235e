/// A payload that tells who submitted it and as which of theirs, and whose other bytes a seed
/// decides.
///
/// So whoever finds it in a journal knows what was submitted before it, and whether it is whole.
package struct SeededPayload: Hashable, Sendable {
  /// Who submitted it.
  package var submitter: UInt32
  /// How many this submitter had submitted before.
  package var number: UInt32

  package init(submitter: UInt32, number: UInt32) {
    self.submitter = submitter
    self.number = number
  }

  /// The one whose number a payload begins with, or nil if the payload is too short to have one.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    let word = bytes[..<8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    self.init(word: word)
  }

  package init(word: UInt64) {
    self.init(submitter: UInt32(word >> 32), number: UInt32(truncatingIfNeeded: word))
  }

  package var word: UInt64 { UInt64(submitter) << 32 | UInt64(number) }

  /// Its bytes: 8 that say which it is, and up to 3 KiB that follow from the seed; one in fifty is
  /// larger than a page or two.
  package func bytes(seed: UInt64) -> [UInt8] {
    var generator = SplitMix64(seed: seed ^ word &* 0x9E37_79B9_7F4A_7C15)
    let bits = generator.below(50) == 0 ? 15 : generator.below(11)
    let count = (1 << bits) + generator.below(1 << bits)
    let first = UInt8(truncatingIfNeeded: generator.next())
    var bytes = (0..<8 as Range<UInt64>).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    bytes.reserveCapacity(8 + count)
    for place in 0..<count { bytes.append(first &+ UInt8(truncatingIfNeeded: place &* 13)) }
    return bytes
  }
}
