/// A binary search for the start of a condition that is true until the end.
///
/// The condition is true at the resulting moment and false at the moment before. If the condition
/// changes only once, this is the moment of the change. If it changes more often, it is one of
/// several such moments.
struct Bisection {
  /// The first moment of the true condition, or nil if it is false at the last moment.
  let first: UInt64?
  /// The number of moments that were checked: one, plus about the base-2 logarithm of the number of
  /// moments.
  let lookCount: Int

  /// Searches a range of moments. The condition counts as false before the earliest moment. The
  /// range is empty if the earliest moment is after the latest.
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
    // The condition is true at `high`, and false at the moment before `low`.
    var (low, high, count) = (earliest, latest, 1)
    while low < high {
      let middle = low + (high - low) / 2
      count += 1
      if try isSo(middle) { high = middle } else { low = middle + 1 }
    }
    (first, lookCount) = (high, count)
  }
}
