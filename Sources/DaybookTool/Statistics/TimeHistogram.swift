import DaybookJournal
@_spi(Tools) import DaybookStore

/// The numbers of transactions and changes in at most 12 consecutive spans of time.
struct TimeHistogram {
  /// The maximum number of spans.
  static let spanCountMax = 12

  private let scale: TimeScale
  private let firstIndex: Int64
  /// The start times of the spans.
  let starts: [JournalTime]
  /// The counts of the spans. A transaction before the first span is counted in the first span, and
  /// one after the last span in the last one.
  var spans: [HistoryTotals.SpanTotals]

  /// Creates an empty histogram for the time between two transactions. In a correct journal, the
  /// times of transactions never decrease. The initializer also accepts a forged journal with times
  /// in reverse order.
  init(from first: JournalTime, to last: JournalTime) {
    let (first, last) = (min(first, last), max(first, last))
    let scale = TimeScale(from: first, to: last, spanCountMax: TimeHistogram.spanCountMax)
    self.scale = scale
    firstIndex = scale.index(of: first)
    starts = (firstIndex...scale.index(of: last)).map { scale.start(of: $0) }
    spans = Array(repeating: HistoryTotals.SpanTotals(), count: starts.count)
  }

  /// Returns the name of the span at an index.
  func name(ofSpan index: Int) -> String { scale.name(of: firstIndex + Int64(index)) }

  /// Returns the start time of the span at an index.
  func start(ofSpan index: Int) -> JournalTime { starts[index] }
}
