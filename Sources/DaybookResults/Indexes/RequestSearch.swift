import DaybookJournal
import DaybookStore

/// Finds the rows of a request in a state, through an index if that reads fewer rows than a scan.
package struct RequestSearch<R: FetchableRecord> {
  private let request: FetchRequest<R>
  private let plan: ResultPlan
  private let state: FrozenState
  private let access: RowAccess

  /// - Throws: ``RequestError``
  package init(_ request: FetchRequest<R>, in state: FrozenState) throws(RequestError) {
    self.request = request
    self.state = state
    plan = try request.plan(state.catalog)
    access = RowAccess.best(for: request, entity: plan.entity, in: state)
  }

  /// Creates a search that uses a given access to the rows of the request.
  init(
    _ request: FetchRequest<R>, in state: FrozenState, by access: RowAccess
  ) throws(RequestError) {
    self.request = request
    self.state = state
    self.access = access
    plan = try request.plan(state.catalog)
  }

  /// The description of the access.
  package var description: FetchPlan { FetchPlan(access, for: request) }

  /// The rows that the request shows, in order.
  ///
  /// - Complexity: O(log *n* + *k*) with an index in the order of the request that implies its
  ///   filter; otherwise O(*m* log *m*) in the rows that the access leads to
  package var snapshot: ResultSnapshot {
    let start = MachineClock().uptimeNanoseconds
    var window = request.window
    let entries: ListEntries
    var readCount = access.readCount
    if let (index, match, ranks) = access.ordered {
      entries = ordered(index, match: match, ranks: ranks, readCount: &readCount)
      window = ResultWindow()
    } else {
      readCount += access.rowCount
      let limit = window.limit.flatMap { window.offset.addingReportingOverflow($0) }
      let source = RowSource(
        slots: access.slots, limit: limit.flatMap { $0.overflow ? nil : $0.partialValue })
      entries = ResultLoad(plan, in: state, from: source).entries
    }
    state.catalog.fetches.recordFind(
      readCount: readCount, rowCount: entries.rows.count,
      nanoseconds: MachineClock().uptimeNanoseconds - start)
    return Projection(plan, of: state, entries: entries, window: window).snapshot
  }

  /// Returns the rows that the window shows, from an index in the order of the request.
  private func ordered(
    _ index: ResultSnapshot, match: IndexMatch, ranks: Range<Int>, readCount: inout Int
  ) -> ListEntries {
    var skipCount = request.window.offset
    var rest = request.window.limit ?? Int.max
    var rows: [RankEntry] = []
    var buffer = RowBuffer()
    func take(_ slot: UInt32) -> Bool {
      let location = state.reader.row(inSlot: slot, of: plan.entity).location
      guard plan.includes(location, in: state) else { return true }
      if skipCount > 0 {
        skipCount -= 1
        return true
      }
      rest -= 1
      buffer.removeAll()
      plan.appendOwn(location, in: state, to: &buffer)
      rows.append(RankEntry(buffer.bytes.span.bytes.orderWord, value: slot))
      return rest > 0
    }
    var reader = IndexReader(index)
    if rest > 0 {
      if match.order == .opposite {
        reader.forEachReversed(ranks, take)
      } else {
        _ = reader.forEach(ranks, take)
      }
    }
    readCount += reader.readCount
    return ListEntries(rows: RankEntries(rows), sections: RankEntries([]))
  }

  /// The number of rows that match the filter, without the window.
  package var matchCount: Int {
    guard let slots = access.slots else { return plan.count(in: state) }
    return slots.count { slot in
      plan.includes(state.reader.row(inSlot: slot, of: plan.entity).location, in: state)
    }
  }
}
