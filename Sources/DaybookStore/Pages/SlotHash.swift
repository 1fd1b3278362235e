/// Hashes for tables in pages: the same on every machine, in every process and in every release.
///
/// They keep no secret. Whoever chooses keys can choose ones that collide, which makes a table slow
/// and never wrong.
package enum SlotHash {
  /// The hash of a whole number.
  ///
  /// Different numbers have different hashes, and each bit of the number changes each bit of the
  /// hash about half of the time.
  @inlinable @inline(__always)
  package static func hash(_ key: UInt64) -> UInt64 {
    // The finalizer of SplitMix64: David Stafford's thirteenth mix of MurmurHash3's.
    var mixed = key
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The hash of a whole number of which others that are near are looked for and added at the same time.
  ///
  /// Eight numbers in a row differ in the lowest three bits of their hashes only, so that a ``SlotTable`` has them in
  /// one bucket.
  @inlinable @inline(__always)
  package static func hash(near key: UInt64) -> UInt64 { hash(key >> 3) & ~7 | key & 7 }

  /// The hash of two words, in this order.
  ///
  /// Pairs that differ in one of the words only have different hashes.
  @inlinable @inline(__always)
  package static func hash(_ first: UInt64, _ second: UInt64) -> UInt64 {
    // The addend keeps a pair of zeros, and a pair whose words are each other's hash, from zero.
    hash(hash(first &+ 0x9E37_79B9_7F4A_7C15) ^ second)
  }
}
