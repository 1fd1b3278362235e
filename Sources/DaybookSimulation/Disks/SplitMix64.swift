/// A generator of random numbers that follow from a seed. A test that prints its seed can be
/// repeated with the same numbers.
///
/// ```swift
/// var generator = SplitMix64(seed: 7)
/// let image = disk.powerLoss(using: &generator)
/// ```
///
/// Equal seeds give equal numbers on every machine and in every release. The generator is fast and
/// has good statistical quality. Its numbers are predictable, so never use it for cryptographic
/// keys.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Creates a generator from a seed. Every seed is equally suitable.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    // Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014; Vigna's
    // constants.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, but not including, a bound.
  ///
  /// The method does not use `random(in:using:)`, because a later release of the standard library
  /// may return different numbers. The remainder makes small numbers more frequent, by less than
  /// one part in 2⁴⁰ for the bounds that tests use.
  package mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "a number below \(bound)")
    return Int(next() % UInt64(bound))
  }
}
