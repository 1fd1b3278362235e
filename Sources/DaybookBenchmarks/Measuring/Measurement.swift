import DaybookPlatform

/// The result of one measurement of Daybook and of its yardstick, with the promised limit and the
/// verdict.
struct Measurement {
  /// The result of comparing a measurement with its promise.
  enum Verdict: String {
    case met, missed
    /// The yardstick varied too much for a verdict.
    case inconclusive
    /// The measurement has no promise, and is shown for comparison.
    case shown
  }

  /// The limit that a measurement must keep.
  enum Promise {
    /// The time is at most this multiple of the yardstick's time.
    case atMost(Double)
    /// The rate is at least this multiple of the yardstick's rate.
    case atLeast(Double)
    /// The rate is at least this number of units in a second on the reference machine. For other
    /// machines, the measured rate is scaled by their speed of sorting: the yardstick is
    /// ``sortingTime()``.
    case perSecond(Double)
    /// The time is at most this number of nanoseconds on the reference machine. For other machines,
    /// the measured time is scaled by their speed of sorting: the yardstick is ``sortingTime()``.
    case within(Double)
    /// The memory or size is at most this number of bytes for each unit, on every machine.
    case bytesAtMost(Double)
    /// The count, for example of threads, is at most this number for each unit, on every machine.
    case countAtMost(Double)
    case none

    /// Returns this promise for a million rows, and `none` for other numbers of rows. Most promises
    /// are made only for a million rows.
    func ofAMillion(_ rowCount: Int) -> Promise { rowCount == 1_000_000 ? self : .none }
  }

  /// The unit of the figures.
  enum Quantity: CaseIterable {
    case nanoseconds, bytes, count
  }

  /// The figures of one repetition: of Daybook (`ours`) and of the yardstick. The figures are
  /// nanoseconds, bytes or counts for each unit.
  struct Sample {
    var ours: Double
    var yardstick: Double
  }

  let work: String
  let yardstick: String
  /// The unit of work of a figure, for example a save or a transaction.
  let unit: String
  let promise: Promise
  let samples: [Sample]
  var quantity = Quantity.nanoseconds

  /// The median of Daybook's figures.
  var ours: Double { median(samples.map(\.ours)) }
  /// The median of the yardstick's figures; 0 if the measurement has no yardstick.
  var theirs: Double { median(samples.map(\.yardstick)) }

  /// The difference between the largest and the smallest figure of the yardstick, divided by their
  /// median.
  var spread: Double {
    let all = samples.map(\.yardstick)
    guard let least = all.min(), let most = all.max(), theirs > 0 else { return 0 }
    return (most - least) / theirs
  }

  /// The figure that the promise limits. For times it is the ratio of Daybook's time to the
  /// yardstick's time, and for rates it is the ratio of the rates. For times and rates, the
  /// property is the best ratio of all repetitions, because other work of the machine only makes
  /// times worse. For bytes and counts, the property is the largest figure, because other work does
  /// not change these figures.
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

  /// The result of ``sortingTime()`` on the reference machine, in nanoseconds.
  static let sortingTimeThere = 74_000_000.0

  /// The largest spread of the yardstick that allows a verdict.
  static let spreadMax = 0.25

  var verdict: Verdict {
    let isMet: Bool
    switch promise {
    case .none: return .shown
    case .atMost(let limit), .within(let limit), .bytesAtMost(let limit), .countAtMost(let limit):
      isMet = ratio <= limit
    case .atLeast(let limit), .perSecond(let limit): isMet = ratio >= limit
    }
    // If the yardstick's figures differ too much, the machine did other work, and the ratio is not
    // reliable.
    if spread > Measurement.spreadMax { return .inconclusive }
    return isMet ? .met : .missed
  }
}

/// Returns the median of some figures.
func median(_ figures: [Double]) -> Double {
  precondition(!figures.isEmpty, "the median of nothing")
  let sorted = figures.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
