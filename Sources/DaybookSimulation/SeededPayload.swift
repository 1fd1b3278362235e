/// A payload for tests of the journal. It starts with the numbers of its submitter, for example a
/// thread, and of the payload itself. All other bytes follow from a seed.
///
/// If a test finds such a payload in a journal, it can compute the expected bytes and compare them.
/// The test also knows which payloads the same submitter submitted before.
package struct SeededPayload: Hashable, Sendable {
  /// The number of the submitter.
  package var submitter: UInt32
  /// The number of payloads that this submitter submitted before this one.
  package var number: UInt32

  package init(submitter: UInt32, number: UInt32) {
    self.submitter = submitter
    self.number = number
  }

  /// Creates the value from the first 8 bytes of a payload; nil if the payload has fewer bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    let word = bytes[..<8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    self.init(word: word)
  }

  package init(word: UInt64) {
    self.init(submitter: UInt32(word >> 32), number: UInt32(truncatingIfNeeded: word))
  }

  package var word: UInt64 { UInt64(submitter) << 32 | UInt64(number) }

  /// Returns the bytes of the payload: 8 bytes with the two numbers, and up to 2 KiB that follow
  /// from the seed. About one payload in fifty has 32 to 64 KiB instead, so that the payload
  /// extends over several pages of the system.
  package func bytes(seed: UInt64) -> [UInt8] {
    var generator = SplitMix64(seed: seed ^ word &* 0x9E37_79B9_7F4A_7C15)
    let bits = generator.below(50) == 0 ? 15 : generator.below(11)
    let count = (1 << bits) + generator.below(1 << bits)
    let first = UInt8(truncatingIfNeeded: generator.next())
    var bytes = (0..<8 as Range<UInt64>).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    bytes.reserveCapacity(8 + count)
    for index in 0..<count { bytes.append(first &+ UInt8(truncatingIfNeeded: index &* 13)) }
    return bytes
  }
}
