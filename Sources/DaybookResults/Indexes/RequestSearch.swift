import DaybookJournal
import DaybookStore

/// Finds the rows of a request in a state, by the access with the lowest estimated cost. A request
/// with totals is always scanned.
package struct RequestSearch<R: FetchableRecord> {
  private let request: ListRequest<R>
  private let plan: ResultPlan
  private let state: FrozenState
  private let access: RowAccess

  /// - Throws: ``RequestError``
  package init(_ request: ListRequest<R>, in state: FrozenState) throws(RequestError) {
    self.request = request
    self.state = state
    let maker = try request.planMaker(state.catalog)
    plan = maker.plan
    access =
      plan.totals == nil
      ? RowAccess.best(for: request, meeting: maker.conditions, entity: plan.entity, in: state)
      : RowAccess(kind: .scan, rowCount: state.rowCount(of: plan.entity), readCount: 0)
  }

  /// Creates a search that uses a given access to the rows of the request.
  init(
    _ request: ListRequest<R>, in state: FrozenState, by access: RowAccess
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
  /// - Complexity: O(log *n* + *k*) for *k* rows up to the end of the window, if an index is in
  ///   order and implies the filter. Otherwise O(*m* log *m*) for the *m* rows that the access
  ///   leads to.
  package var snapshot: ResultSnapshot {
    guard let snapshot = snapshot(watchedBy: nil) else {
      preconditionFailure("a search without an observer was canceled")
    }
    return snapshot
  }

  /// Returns the rows that the request shows, in order; nil if the observer cancels the search.
  package func snapshot(watchedBy watch: LoadWatch?) -> ResultSnapshot? {
    // Totals are of all rows that match, also of those that the window does not show.
    if plan.totals != nil {
      guard let watch else { return Projection(plan, of: state, window: request.window).snapshot }
      return Projection(plan, of: state, window: request.window, watchedBy: watch)?.snapshot
    }
    let start = MachineClock().uptimeNanoseconds
    var window = request.window
    let entries: ListEntries
    var readCount = access.readCount
    if access.isInOrder {
      watch?.start(rowCount: access.rowCount)
      let (found, count) = foundInOrder(watchedBy: watch)
      entries = found
      readCount += count
      window = ResultWindow()
    } else {
      readCount += access.rowCount
      let limit = window.limit.flatMap { window.offset.addingReportingOverflow($0) }
      let source = RowSource(
        slots: access.slots, limit: limit.flatMap { $0.overflow ? nil : $0.partialValue })
      entries = ResultLoad(plan, in: state, from: source, watch: watch).entries
    }
    watch?.updateCancellation()
    if let watch, watch.isCancelled { return nil }
    let projection = Projection(plan, of: state, entries: entries, window: window)
    state.catalog.fetches.recordFind(
      readCount: readCount, rowCount: entries.rows.count,
      nanoseconds: MachineClock().uptimeNanoseconds - start)
    watch?.end()
    return projection.snapshot
  }

  /// Returns the rows that the window shows, and the number of rows that were read for them. The
  /// access must be in the order of the request.
  ///
  /// - Parameter watch: An observer that can cancel the search. The rows are then incomplete.
  private func foundInOrder(watchedBy watch: LoadWatch?) -> (ListEntries, readCount: Int) {
    var skipCount = request.window.offset
    var rest = request.window.limit ?? Int.max
    var rows: [RankEntry] = []
    var buffer = RowBuffer()
    let readCount = access.forEachInOrder { slot in
      if rest == 0 { return false }
      if let watch {
        watch.addExaminedRows(1)
        if watch.isCancelled { return false }
      }
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
    return (ListEntries(rows: RankEntries(rows), sections: RankEntries([])), readCount)
  }

  /// The number of rows that match the filter and follow the start position of the request. The
  /// window is ignored.
  package var matchCount: Int {
    guard let slots = access.slots else { return plan.count(in: state) }
    return slots.count { slot in
      plan.includes(state.reader.row(inSlot: slot, of: plan.entity).location, in: state)
    }
  }
}
