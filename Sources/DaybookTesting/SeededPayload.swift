/// A payload that identifies its submitter and its number, with other bytes that follow from a
/// seed.
///
/// A test that finds such a payload in a journal can therefore determine which payloads were
/// submitted before it, and whether it is complete.
package struct SeededPayload: Hashable, Sendable {
  /// The number of the submitter.
  package var submitter: UInt32
  /// The number of payloads that this submitter submitted earlier.
  package var number: UInt32

  package init(submitter: UInt32, number: UInt32) {
    self.submitter = submitter
    self.number = number
  }

  /// Creates the value from the first 8 bytes of a payload; nil if the payload is shorter.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    let word = bytes[..<8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    self.init(word: word)
  }

  package init(word: UInt64) {
    self.init(submitter: UInt32(word >> 32), number: UInt32(truncatingIfNeeded: word))
  }

  package var word: UInt64 { UInt64(submitter) << 32 | UInt64(number) }

  /// Returns the bytes of the payload: 8 bytes that identify it, and up to 2 KiB that follow from
  /// the seed. One payload in fifty has 32 to 64 KiB instead, so that it is larger than several
  /// pages.
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
