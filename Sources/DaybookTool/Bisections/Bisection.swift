/// A binary search for the start of a condition that is true at the last moment.
///
/// The condition is true at the resulting moment, and false at the moment before it. If the
/// condition changes only once, the result is the moment of this change. If it changes several
/// times, the result is one of these moments.
struct Bisection {
  /// The first moment of the true condition; nil if the condition is false at the last moment.
  let first: UInt64?
  /// The number of moments that were checked. The number is about 1 plus the binary logarithm of
  /// the number of moments.
  let checkCount: Int

  /// Searches a range of moments. Before the earliest moment, the condition counts as false. If the
  /// earliest moment is after the latest, the range is empty.
  init(
    from earliest: UInt64, through latest: UInt64, _ isSo: (UInt64) throws -> Bool
  ) rethrows {
    guard earliest <= latest else {
      (first, checkCount) = (nil, 0)
      return
    }
    guard try isSo(latest) else {
      (first, checkCount) = (nil, 1)
      return
    }
    // The condition is true at `high`, and false at the moment before `low`.
    var (low, high, count) = (earliest, latest, 1)
    while low < high {
      let middle = low + (high - low) / 2
      count += 1
      if try isSo(middle) { high = middle } else { low = middle + 1 }
    }
    (first, checkCount) = (high, count)
  }
}
