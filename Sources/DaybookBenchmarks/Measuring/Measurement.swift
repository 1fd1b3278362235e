import DaybookPlatform

/// One promise, what was measured for it, and whether it was met.
struct Measurement {
  enum Verdict: String {
    case met, missed
    /// The yardstick itself was too unsteady to measure by.
    case inconclusive
    /// Shown for comparison; nothing was promised.
    case shown
  }

  /// What is better, and how far it must go.
  enum Promise {
    /// Time, at most so many times the yardstick's.
    case atMost(Double)
    /// Rate, at least so many times the yardstick's.
    case atLeast(Double)
    /// So many units each second on the machine that the promises were written on, and as many more
    /// or fewer as this one sorts faster or slower: the yardstick is ``sortingTime()``.
    case perSecond(Double)
    /// At most so many nanoseconds on that machine, and as many more or fewer here: the yardstick is
    /// ``sortingTime()``.
    case within(Double)
    /// At most so many bytes for each unit, on any machine.
    case bytesAtMost(Double)
    /// At most so many things for each unit, on any machine.
    case countAtMost(Double)
    case none

    /// It, where there are a million rows, for which it was made; of fewer nothing is promised.
    func ofAMillion(_ rowCount: Int) -> Promise { rowCount == 1_000_000 ? self : .none }
  }

  /// What a figure is.
  enum Quantity {
    case nanoseconds, bytes, count
  }

  /// One repetition: ours and the yardstick's, in nanoseconds or bytes for each unit.
  struct Sample {
    var ours: Double
    var yardstick: Double
  }

  let work: String
  let yardstick: String
  /// What a figure is the time of: a save, a transaction.
  let unit: String
  let promise: Promise
  let samples: [Sample]
  var quantity = Quantity.nanoseconds

  /// The median of ours, for each unit.
  var ours: Double { median(samples.map(\.ours)) }
  /// The median of the yardstick, for each unit.
  var theirs: Double { median(samples.map(\.yardstick)) }

  /// How far the yardstick's repetitions lie apart, in parts of their median.
  var spread: Double {
    let all = samples.map(\.yardstick)
    guard let least = all.min(), let most = all.max(), theirs > 0 else { return 0 }
    return (most - least) / theirs
  }

  /// Ours by the yardstick: of times, or of rates where the promise is one of rates. The best of
  /// all repetitions, each of which is a median itself, as the machine's noise only ever makes
  /// things worse. Of bytes, on which it has no influence, the most.
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

  /// Whether there is anything to measure it by.
  var hasYardstick: Bool { theirs > 0 }

  var isRate: Bool {
    switch promise {
    case .atLeast, .perSecond: true
    case .atMost, .within, .bytesAtMost, .countAtMost, .none: false
    }
  }

  /// What sorting takes on the machine that the promises were written on, in nanoseconds.
  static let sortingTimeThere = 74_000_000.0

  /// Above this the yardstick says too little.
  static let spreadMax = 0.25

  var verdict: Verdict {
    let isKept: Bool
    switch promise {
    case .none: return .shown
    case .atMost(let limit), .within(let limit), .bytesAtMost(let limit), .countAtMost(let limit):
      isKept = ratio <= limit
    case .atLeast(let limit), .perSecond(let limit): isKept = ratio >= limit
    }
    // Whatever it says then, it may say by accident.
    if spread > Measurement.spreadMax { return .inconclusive }
    return isKept ? .met : .missed
  }
}

/// The middle of some figures.
func median(_ figures: [Double]) -> Double {
  precondition(!figures.isEmpty, "the median of nothing")
  let sorted = figures.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
