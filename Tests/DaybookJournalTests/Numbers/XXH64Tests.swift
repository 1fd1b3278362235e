import DaybookJournal
import DaybookSimulation
import Testing

@Suite struct `The checksum of frames and pages` {
  @Test func `the checksum has the published values of XXH64`() {
    #expect(check("") == 0xEF46_DB37_51D8_E999)
    #expect(check("a") == 0xD24E_C4F1_A98C_6E5B)
    #expect(check("abc") == 0x44BC_2CF5_AD77_0999)
    #expect(check("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
  }

  @Test func `the checksum agrees with a literal implementation of its specification`() {
    var generator = SplitMix64(seed: 64)
    let seeds: [UInt64] = [0, 1, .max, 1 << 63, 0x9E37_79B1_85EB_CA87] + [generator.next()]
    let bytes = (0..<100).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    for seed in seeds {
      for length in 0...100 {
        let some = Array(bytes[..<length])
        #expect(
          XXH64.checksum(some.span.bytes, seed: seed) == LiteralXXH64.checksum(some, seed: seed),
          "\(length) bytes, seed \(seed)")
      }
    }
  }

  @Test func `the checksum does not depend on the alignment of the bytes`() {
    let bytes = (0..<90).map { UInt8($0) }
    for start in 0..<8 {
      let moved = [UInt8](repeating: 0xEE, count: start) + bytes
      let found = XXH64.checksum(moved.span.bytes.extracting(start..<moved.count), seed: 7)
      #expect(found == XXH64.checksum(bytes.span.bytes, seed: 7))
    }
  }

  @Test func `the checksum depends on every bit`() {
    let bytes = (0..<75).map { UInt8($0) }
    let whole = XXH64.checksum(bytes.span.bytes, seed: 3)
    for bit in 0..<bytes.count * 8 {
      let other = bytes.flipped(at: bit / 8, xor: 1 << (bit % 8))
      #expect(XXH64.checksum(other.span.bytes, seed: 3) != whole, "bit \(bit)")
    }
  }

  private func check(_ text: String) -> UInt64 {
    XXH64.checksum(Array(text.utf8).span.bytes, seed: 0)
  }
}

/// XXH64 step by step as in its specification, without regard to speed.
private enum LiteralXXH64 {
  private static let prime: [UInt64] = [
    0, 11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 1_609_587_929_392_839_161,
    9_650_029_242_287_828_579, 2_870_177_450_012_600_261,
  ]

  static func checksum(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    var rest = bytes[...]
    var accumulator: UInt64
    if bytes.count < 32 {
      accumulator = seed &+ prime[5]
    } else {
      var lanes = [seed &+ prime[1] &+ prime[2], seed &+ prime[2], seed, seed &- prime[1]]
      while rest.count >= 32 {
        for lane in 0..<4 { lanes[lane] = round(lanes[lane], take(8, &rest)) }
      }
      accumulator = zip(lanes, [1, 7, 12, 18]).reduce(0) { $0 &+ rotate($1.0, $1.1) }
      for lane in lanes {
        accumulator = (accumulator ^ round(0, lane)) &* prime[1] &+ prime[4]
      }
    }
    accumulator &+= UInt64(bytes.count)
    while rest.count >= 8 {
      accumulator = rotate(accumulator ^ round(0, take(8, &rest)), 27) &* prime[1] &+ prime[4]
    }
    if rest.count >= 4 {
      accumulator = rotate(accumulator ^ take(4, &rest) &* prime[1], 23) &* prime[2] &+ prime[3]
    }
    while !rest.isEmpty {
      accumulator = rotate(accumulator ^ take(1, &rest) &* prime[5], 11) &* prime[1]
    }
    for (shift, factor) in [(33, prime[2]), (29, prime[3]), (32, 1)] {
      accumulator = (accumulator ^ accumulator >> UInt64(shift)) &* factor
    }
    return accumulator
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime[2], 31) &* prime[1]
  }

  private static func rotate(_ value: UInt64, _ bits: Int) -> UInt64 {
    (0..<bits).reduce(value) { value, _ in value << 1 | value >> 63 }
  }

  /// Returns the number in the next bytes.
  private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> UInt64 {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
