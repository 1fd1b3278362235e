import DaybookJournal

/// How many transactions and changes there were in each of a few spans of time.
struct TimeHistogram {
  struct SpanCounts: Hashable {
    var transactionCount = 0
    var changeCount = 0
  }

  /// Of at most so many spans.
  static let spanCountMax = 12

  private let scale: TimeScale
  private let firstIndex: Int64
  /// The beginnings of the spans.
  private let starts: [JournalTime]
  private(set) var spans: [SpanCounts]

  /// Between two times. Only in a forged journal does the last transaction have the earlier one.
  init(from first: JournalTime, to last: JournalTime) {
    let (first, last) = (min(first, last), max(first, last))
    let scale = TimeScale(from: first, to: last, spanCountMax: TimeHistogram.spanCountMax)
    self.scale = scale
    firstIndex = scale.index(of: first)
    starts = (firstIndex...scale.index(of: last)).map { scale.start(of: $0) }
    spans = Array(repeating: SpanCounts(), count: starts.count)
  }

  /// Counts a transaction; one with a time before the first or after the last counts as the first or last.
  mutating func add(_ time: JournalTime, changeCount: Int) {
    let place = starts.lastIndex { $0 <= time } ?? 0
    spans[place].transactionCount += 1
    spans[place].changeCount += changeCount
  }

  /// What a span is called, by its place.
  func name(ofSpan place: Int) -> String { scale.name(of: firstIndex + Int64(place)) }

  /// When a span begins.
  func start(ofSpan place: Int) -> JournalTime { starts[place] }
}
