/// The search by halves for where something begins that lasts to the end.
///
/// Of moments in order it finds one at which it is so, and before which it was not: the first such, if it is
/// so from there on at every moment. If it comes and goes, that is one of its beginnings.
struct Bisection {
  /// The moment at which it begins; nil if it is not so at the last one.
  let first: UInt64?
  /// At how many moments it was looked: one, and the logarithm to the base 2 of how many there are.
  let lookCount: Int

  /// Before the earliest moment it counts as not so. If the earliest is behind the latest, there is none.
  init(
    from earliest: UInt64, through latest: UInt64, _ isSo: (UInt64) throws -> Bool
  ) rethrows {
    guard earliest <= latest else {
      (first, lookCount) = (nil, 0)
      return
    }
    guard try isSo(latest) else {
      (first, lookCount) = (nil, 1)
      return
    }
    // It is so at `high`, and not so at the moment before `low`.
    var (low, high, count) = (earliest, latest, 1)
    while low < high {
      let middle = low + (high - low) / 2
      count += 1
      if try isSo(middle) { high = middle } else { low = middle + 1 }
    }
    (first, lookCount) = (high, count)
  }
}
