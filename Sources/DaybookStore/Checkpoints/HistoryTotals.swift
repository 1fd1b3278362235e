import DaybookJournal

/// The numbers and sizes of the changes of a journal, from its start to a transaction.
///
/// A checkpoint contains the totals up to its transaction. So `daybook stats` reads only the
/// transactions after the checkpoint.
@_spi(Tools) public struct HistoryTotals: Hashable, Sendable {
  /// The numbers of changes of one entity.
  public struct EntityTotals: Hashable, Sendable {
    /// The number of records in the base.
    public var baseCount = 0
    /// The number of inserts after the base.
    public var insertCount = 0
    /// The number of updates.
    public var updateCount = 0
    /// The number of deletes.
    public var deleteCount = 0

    /// Creates totals of no changes.
    public init() {}

    init(baseCount: Int, insertCount: Int, updateCount: Int, deleteCount: Int) {
      self.baseCount = baseCount
      self.insertCount = insertCount
      self.updateCount = updateCount
      self.deleteCount = deleteCount
    }
  }

  /// The size of a transaction.
  public struct TransactionSize: Hashable, Sendable {
    /// The number of the transaction.
    public var sequence: SequenceNumber
    /// The time of the transaction.
    public var time: JournalTime
    /// The number of its changes.
    public var changeCount: Int
    /// The number of bytes of its payload.
    public var byteCount: Int
  }

  /// The sums over all transactions up to one of them.
  struct Mark: Hashable, Sendable {
    var sequence: UInt64
    var time: JournalTime
    var changeCount: Int
    var deleteCount: Int
    var byteCount: Int

    static let zero = Mark(
      sequence: 0, time: .distantPast, changeCount: 0, deleteCount: 0, byteCount: 0)
  }

  /// The maximum number of transactions in ``largest``.
  static let largestCountMax = 5
  /// The smallest number of payload bytes between two marks.
  static let markByteCount = 64 << 10

  /// The totals of each entity, by its index. An entity whose index is not in the array has no
  /// changes.
  public internal(set) var entities: [EntityTotals] = []
  /// The size of the base, as one transaction; nil if the journal contains the complete history.
  public internal(set) var base: TransactionSize?
  /// The first transaction after the base; nil without transactions.
  public internal(set) var first: TransactionSize?
  /// The transactions with the largest payloads, the largest first. Of two transactions of one
  /// size, the earlier one is first.
  public internal(set) var largest: [TransactionSize] = []
  /// The number of transactions after the base.
  public internal(set) var transactionCount = 0
  /// A Boolean value that indicates whether no transaction has an earlier time than the one before
  /// it. Only a forged journal can have such a transaction.
  var hasOrderedTimes = true
  /// The sums up to the last transaction that was counted.
  var end = Mark.zero
  /// The sums at some transactions, at least ``markByteCount`` apart.
  var marks: [Mark] = []

  /// The number of changes after the base.
  public var changeCount: Int { end.changeCount }
  /// The number of payload bytes after the base.
  public var byteCount: Int { end.byteCount }
  /// The last transaction that was counted.
  var sequence: UInt64 { end.sequence }

  init() {}
}

// MARK: Counting

extension HistoryTotals {
  /// Counts the transactions of a state that were not counted yet. If nothing was counted, also
  /// counts the base.
  ///
  /// - Parameters:
  ///   - state: The state, after the last transaction that was counted.
  ///   - base: The last transaction that compaction dropped; 0 if the history is complete.
  /// - Throws: `HistoryDefect` if a transaction cannot be read. The totals are then incomplete.
  /// - Complexity: O(*n*) in the number of changes that are counted
  mutating func advance(
    to state: FrozenState, base: SequenceNumber
  ) throws(HistoryDefect) {
    if end == .zero, base > .zero {
      try add(base, of: state)
      end.sequence = base.rawValue
    }
    try PayloadWalk(state).forEach(from: end.sequence + 1, through: state.sequence.rawValue) {
      add($0)
      return true
    }
  }

  /// Counts the base of a state.
  private mutating func add(
    _ number: SequenceNumber, of state: FrozenState
  ) throws(HistoryDefect) {
    let walk = PayloadWalk(state)
    for location in state.memory.locator.bases {
      let counted = try walk.counted(at: location, as: 0)
      if base == nil {
        base = TransactionSize(
          sequence: number, time: counted.time, changeCount: 0, byteCount: 0)
      }
      base?.changeCount += counted.changeCount
      base?.byteCount += counted.byteCount
      counted.forEachEntity { index, counts in
        change(entity: index) { $0.baseCount += counts.insertCount }
      }
    }
  }

  /// Calls a closure that changes the totals of an entity.
  private mutating func change(entity index: Int, by body: (inout EntityTotals) -> Void) {
    while entities.count <= index { entities.append(EntityTotals()) }
    body(&entities[index])
  }

  private mutating func add(_ counted: CountedPayload) {
    counted.forEachEntity { index, counts in
      change(entity: index) {
        $0.insertCount += counts.insertCount
        $0.updateCount += counts.updateCount
        $0.deleteCount += counts.deleteCount
      }
    }
    let size = TransactionSize(
      sequence: SequenceNumber(counted.sequence), time: counted.time,
      changeCount: counted.changeCount, byteCount: counted.byteCount)
    if first == nil { first = size }
    transactionCount += 1
    if counted.time < end.time { hasOrderedTimes = false }
    end.add(counted)
    if end.byteCount - (marks.last?.byteCount ?? 0) >= HistoryTotals.markByteCount {
      marks.append(end)
    }
    let index = largest.firstIndex { $0.byteCount < size.byteCount } ?? largest.count
    guard index < HistoryTotals.largestCountMax else { return }
    largest.insert(size, at: index)
    if largest.count > HistoryTotals.largestCountMax { largest.removeLast() }
  }

  /// The numbers of transactions and changes in a span of time.
  @_spi(Tools) public struct SpanTotals: Hashable, Sendable {
    /// The number of transactions.
    public var transactionCount = 0
    /// The number of their changes.
    public var changeCount = 0

    /// Creates totals of an empty span.
    public init() {}
  }

  /// Returns the numbers of transactions and changes in adjacent spans of time. The first span also
  /// counts earlier transactions, and the last one later ones.
  ///
  /// - Parameters:
  ///   - starts: The start times of the spans, in ascending order.
  ///   - state: The state that the totals were counted for.
  /// - Throws: `HistoryDefect` if a transaction cannot be read
  /// - Complexity: For each span, O(log *n*) in the number of marks, and a walk over the payloads
  ///   between two marks. If times are out of order, O(*n*) in the number of changes.
  func spans(
    startingAt starts: [JournalTime], in state: FrozenState
  ) throws(HistoryDefect) -> [SpanTotals] {
    var spans = Array(repeating: SpanTotals(), count: starts.count)
    guard hasOrderedTimes else {
      let first = end.sequence - UInt64(transactionCount) + 1
      try PayloadWalk(state).forEach(from: first, through: end.sequence) { counted in
        let index = starts.lastIndex { $0 <= counted.time } ?? 0
        spans[index].transactionCount += 1
        spans[index].changeCount += counted.changeCount
        return true
      }
      return spans
    }
    var before = Mark.zero
    before.sequence = end.sequence - UInt64(transactionCount)
    for index in starts.indices {
      let next =
        index + 1 < starts.count ? try sums(before: starts[index + 1], in: state) : end
      spans[index].transactionCount = Int(next.sequence - before.sequence)
      spans[index].changeCount = next.changeCount - before.changeCount
      before = next
    }
    return spans
  }

  /// Returns the sums over the transactions before a time.
  private func sums(
    before time: JournalTime, in state: FrozenState
  ) throws(HistoryDefect) -> Mark {
    let low = count { $0.time < time }
    var sums = low > 0 ? marks[low - 1] : .zero
    if low == 0 { sums.sequence = end.sequence - UInt64(transactionCount) }
    try PayloadWalk(state).forEach(from: sums.sequence + 1, through: end.sequence) { counted in
      guard counted.time < time else { return false }
      sums.add(counted)
      return true
    }
    return sums
  }

  /// Returns the last transaction, at or before a given one, that can contain a deletion; 0 if none
  /// can. A transaction that was not counted can contain one.
  ///
  /// - Complexity: O(log *n*) in the number of marks, and O(*k*) in the number of marks without
  ///   deletions between the two transactions
  func lastPossibleDeletion(through sequence: UInt64) -> UInt64 {
    guard sequence <= end.sequence else { return sequence }
    // The part between two marks contains the second mark, but not the first one.
    var index = count { $0.sequence < sequence }
    var last = index < marks.count ? marks[index] : end
    while true {
      let before = index > 0 ? marks[index - 1] : .zero
      if last.deleteCount > before.deleteCount { return min(sequence, last.sequence) }
      guard index > 0 else { return 0 }
      index -= 1
      last = before
    }
  }

  /// Returns the number of marks for which a closure returns true. They must precede all others.
  private func count(where isBefore: (Mark) -> Bool) -> Int {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(marks[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension HistoryTotals.Mark {
  fileprivate mutating func add(_ counted: CountedPayload) {
    sequence = counted.sequence
    time = counted.time
    changeCount += counted.changeCount
    deleteCount += counted.deleteCount
    byteCount += counted.byteCount
  }
}
