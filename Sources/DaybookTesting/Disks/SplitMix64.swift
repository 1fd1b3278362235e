/// Random numbers that a seed decides, so that a run that failed can be run again.
///
/// ```swift
/// var generator = SplitMix64(seed: 7)
/// let image = disk.powerLoss(using: &generator)
/// ```
///
/// The same seed gives the same numbers on every machine and in every release. It is quick and has
/// good statistics, and it keeps no secret: never use it for keys.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// A generator whose numbers follow from the seed. Every seed is as good as any other.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    // Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014; Vigna's
    // constants.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, not including, the bound.
  ///
  /// The standard library's `random(in:using:)` does not promise to draw the same numbers in its
  /// next release. The remainder's bias is below one in 2⁴⁰ for the bounds used here.
  mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "a number below \(bound)")
    return Int(next() % UInt64(bound))
  }
}
