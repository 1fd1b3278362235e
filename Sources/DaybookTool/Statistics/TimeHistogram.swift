import DaybookJournal

/// The numbers of transactions and changes in at most 12 consecutive spans of time.
struct TimeHistogram {
  /// The counts of one span.
  struct SpanCounts: Hashable {
    var transactionCount = 0
    var changeCount = 0
  }

  /// The maximum number of spans.
  static let spanCountMax = 12

  private let scale: TimeScale
  private let firstIndex: Int64
  /// The start times of the spans.
  private let starts: [JournalTime]
  private(set) var spans: [SpanCounts]

  /// Creates an empty histogram for the time between two transactions. In a correct journal, the
  /// times of transactions never decrease. The initializer also accepts a forged journal with times
  /// in reverse order.
  init(from first: JournalTime, to last: JournalTime) {
    let (first, last) = (min(first, last), max(first, last))
    let scale = TimeScale(from: first, to: last, spanCountMax: TimeHistogram.spanCountMax)
    self.scale = scale
    firstIndex = scale.index(of: first)
    starts = (firstIndex...scale.index(of: last)).map { scale.start(of: $0) }
    spans = Array(repeating: SpanCounts(), count: starts.count)
  }

  /// Counts a transaction. A time before the first span is counted in the first span, and a time
  /// after the last span in the last one.
  mutating func add(_ time: JournalTime, changeCount: Int) {
    let place = starts.lastIndex { $0 <= time } ?? 0
    spans[place].transactionCount += 1
    spans[place].changeCount += changeCount
  }

  /// Returns the name of the span at an index.
  func name(ofSpan place: Int) -> String { scale.name(of: firstIndex + Int64(place)) }

  /// Returns the start time of the span at an index.
  func start(ofSpan place: Int) -> JournalTime { starts[place] }
}
