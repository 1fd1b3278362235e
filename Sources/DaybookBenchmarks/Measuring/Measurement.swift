import DaybookPlatform

/// The result of one measurement, with the promise about it and the verdict.
struct Measurement {
  enum Verdict: String {
    case met, missed
    /// The yardstick varied too much for a verdict.
    case inconclusive
    /// The figure is shown for comparison, without a promise.
    case shown
  }

  /// The limit that a measurement must keep.
  enum Promise {
    /// A time of at most this multiple of the yardstick's.
    case atMost(Double)
    /// A rate of at least this multiple of the yardstick's.
    case atLeast(Double)
    /// At least this number of units a second on the reference machine, where the promises were
    /// written. On other machines the number is scaled by the speed of sorting: the yardstick is
    /// ``sortingTime()``.
    case perSecond(Double)
    /// At most this number of nanoseconds on the reference machine. On other machines the number is
    /// scaled in the same way: the yardstick is ``sortingTime()``.
    case within(Double)
    /// At most this number of bytes for each unit, on any machine.
    case bytesAtMost(Double)
    /// At most this number of objects for each unit, on any machine.
    case countAtMost(Double)
    case none

    /// Returns the promise for a million rows, for which it was made. For other numbers of rows,
    /// nothing is promised.
    func ofAMillion(_ rowCount: Int) -> Promise { rowCount == 1_000_000 ? self : .none }
  }

  /// The unit of the figures.
  enum Quantity: CaseIterable {
    case nanoseconds, bytes, count
  }

  /// The figures of one repetition, ours and the yardstick's, in nanoseconds or bytes for each
  /// unit.
  struct Sample {
    var ours: Double
    var yardstick: Double
  }

  let work: String
  let yardstick: String
  /// The unit of work that a figure is for, such as a save or a transaction.
  let unit: String
  let promise: Promise
  let samples: [Sample]
  var quantity = Quantity.nanoseconds

  /// The median of ours, for each unit.
  var ours: Double { median(samples.map(\.ours)) }
  /// The median of the yardstick, for each unit.
  var theirs: Double { median(samples.map(\.yardstick)) }

  /// The difference between the largest and the smallest repetition of the yardstick, divided by
  /// their median.
  var spread: Double {
    let all = samples.map(\.yardstick)
    guard let least = all.min(), let most = all.max(), theirs > 0 else { return 0 }
    return (most - least) / theirs
  }

  /// The ratio of our figure to the yardstick's: of times, or of rates if the promise is about a
  /// rate. It is the best ratio of all repetitions, because noise of the machine only makes figures
  /// worse. Each repetition is a median itself. Noise does not affect bytes, so for them it is the
  /// largest figure.
  var ratio: Double {
    let ratios = samples.map { sample in
      switch promise {
      case .atLeast: sample.yardstick / sample.ours
      case .perSecond:
        1e9 / sample.ours * (sample.yardstick / Measurement.sortingTimeThere)
      case .within: sample.ours * (Measurement.sortingTimeThere / sample.yardstick)
      case .bytesAtMost, .countAtMost: sample.ours
      case .atMost, .none: sample.ours / sample.yardstick
      }
    }
    return switch promise {
    case .atLeast, .perSecond, .bytesAtMost, .countAtMost: ratios.max() ?? 0
    case .atMost, .within, .none: ratios.min() ?? 0
    }
  }

  /// A Boolean value that indicates whether the measurement has a yardstick.
  var hasYardstick: Bool { theirs > 0 }

  var isRate: Bool {
    switch promise {
    case .atLeast, .perSecond: true
    case .atMost, .within, .bytesAtMost, .countAtMost, .none: false
    }
  }

  /// The sorting time of the reference machine, in nanoseconds.
  static let sortingTimeThere = 74_000_000.0

  /// The largest spread of the yardstick that allows a verdict.
  static let spreadMax = 0.25

  var verdict: Verdict {
    let isKept: Bool
    switch promise {
    case .none: return .shown
    case .atMost(let limit), .within(let limit), .bytesAtMost(let limit), .countAtMost(let limit):
      isKept = ratio <= limit
    case .atLeast(let limit), .perSecond(let limit): isKept = ratio >= limit
    }
    // With a larger spread, the verdict could be an accident.
    if spread > Measurement.spreadMax { return .inconclusive }
    return isKept ? .met : .missed
  }
}

/// Returns the median of some figures.
func median(_ figures: [Double]) -> Double {
  precondition(!figures.isEmpty, "the median of nothing")
  let sorted = figures.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
