import DaybookJournal
import DaybookStore

/// The object that keeps the list of one request current. A projection maintains the rows in order
/// and in sections, and returns the edits that each change of the store causes. Controllers,
/// streams and replays create a projection for their list.
///
/// The first tree, `order`, contains an entry for each matching row, also for rows outside the
/// window. The position of a row is its rank in this tree. The second tree, `sections`, contains
/// the number of rows of each section. A search in the second tree finds the section that contains
/// a rank, and the offset of the rank in the section. The trees count their entries, so no row is
/// renumbered when other rows are inserted or removed. A window is a range of ranks.
///
/// Invariants:
///
/// 1. The first tree contains exactly the matching rows of the entity, each once.
/// 2. Rows are in ascending order of their keys. Each entry contains the first eight bytes of its
///    row's own key.
/// 3. The sections of the second tree divide the rows in order, and no section is empty. Each entry
///    contains the first eight bytes of its section's key.
/// 4. The totals are those of the rows, in their order.
//
// The class is not Sendable, because only its owner uses it. Its snapshots are Sendable.
package final class Projection {
  package let plan: ResultPlan
  package private(set) var window: ResultWindow
  private(set) var state: FrozenState
  private(set) var order: RankTree
  private(set) var sections: RankTree
  /// The totals of the rows; nil if the plan reads no values for totals.
  private var totals: TotalTree?
  private let space: PageSpace

  /// Creates the projection of a state.
  ///
  /// - Complexity: O(*n* log *n*)
  package convenience init(
    _ plan: ResultPlan, of state: FrozenState, window: ResultWindow = ResultWindow()
  ) {
    let start = MachineClock().uptimeNanoseconds
    self.init(plan, of: state, entries: ResultLoad(plan, in: state).entries, window: window)
    recordFind(since: start)
  }

  /// Creates the projection of a state; nil if the watch reports that the load was cancelled.
  ///
  /// - Complexity: O(*n* log *n*)
  package convenience init?(
    _ plan: ResultPlan, of state: FrozenState, window: ResultWindow, watchedBy watch: LoadWatch
  ) {
    let start = MachineClock().uptimeNanoseconds
    let load = ResultLoad(plan, in: state, watch: watch)
    watch.updateCancellation()
    if watch.isCancelled { return nil }
    self.init(plan, of: state, entries: load.entries, window: window)
    recordFind(since: start)
    watch.end()
  }

  /// Creates the projection of a state from known entries.
  ///
  /// - Parameter entries: The entries of a projection of this plan over exactly this state, as a
  ///   cache stores them.
  /// - Complexity: O(*n*)
  package init(
    _ plan: ResultPlan, of state: FrozenState, entries: ListEntries,
    window: ResultWindow = ResultWindow()
  ) {
    let space = PageSpace()
    self.plan = plan
    self.state = state
    self.window = window
    self.space = space
    order = RankTree(count: entries.rows.count, in: space) { entries.rows[$0] }
    sections = RankTree(count: entries.sections.count, isWeighted: true, in: space) {
      entries.sections[$0]
    }
    if let plan = plan.totals, !plan.columns.isEmpty {
      totals = TotalTree(
        plan, slots: entries.rows.map(\.value), of: self.plan.entity, state: state, in: space)
    }
  }

  /// Creates a copy of a projection, which changes independently. The pages that neither changes
  /// are shared.
  ///
  /// - Precondition: The projection is not itself a copy.
  /// - Complexity: O(1)
  init(copying other: Projection) {
    plan = other.plan
    state = other.state
    window = other.window
    order = other.order
    sections = other.sections
    totals = other.totals
    space = PageSpace(over: other.space.pin())
  }

  private func recordFind(since start: Int64) {
    state.catalog.fetches.recordFind(
      readCount: state.rowCount(of: plan.entity), rowCount: order.count,
      nanoseconds: MachineClock().uptimeNanoseconds - start)
  }

  /// The rows that the projection shows in its current state.
  ///
  /// - Complexity: O(1)
  package var snapshot: ResultSnapshot {
    ResultSnapshot(
      plan: plan, state: state, order: order, sections: sections, totals: totals, window: window,
      pin: space.pin())
  }

  /// Shows a different part of the order.
  ///
  /// - Returns: The edits; nil if the shown rows and their values are the same.
  /// - Complexity: O(*k* log *n*) in the rows that appear or disappear
  package func move(to window: ResultWindow) -> EditScript? {
    let before = snapshot
    self.window = window
    let script = DifferenceMaker(before, to: snapshot, placed: PlacedRows(done: [])).script
    return script.isEmpty ? nil : script
  }

  /// Advances to a second state. All records except the given ones must have the same values there.
  ///
  /// - Parameter changed: The records, of any entity, that may have different values. Each record
  ///   occurs once.
  /// - Returns: The edits; nil if the shown rows and their values are the same.
  /// - Complexity: O(*k* log *n*) in the touched rows
  package func fold(_ changed: [EntityKey], to state: FrozenState) -> EditScript? {
    fold(ChangedRecords(changed, from: self.state, to: state))
  }

  /// Advances to the state after a transaction that was received live or read from the journal.
  ///
  /// - Parameter mayHaveSkipped: A Boolean value that indicates whether the caller may have skipped
  ///   earlier transactions that touch no row of this projection. The slots in the transaction may
  ///   then be wrong for the projection's state, so the records are searched for.
  /// - Returns: The edits; nil if the shown rows and their values are the same.
  /// - Complexity: O(*k* log *n*) in the touched rows
  package func fold(
    _ transaction: StoreTransaction, to state: FrozenState, mayHaveSkipped: Bool = false
  ) -> EditScript? {
    var script: EditScript?
    if state.space !== self.state.space {
      // In a different page space, records that did not change may have different slots.
      script = fold(to: state)
    } else if mayHaveSkipped {
      script = fold(transaction.changedKeys, to: state)
    } else {
      script = fold(ChangedRecords(transaction, from: self.state, to: state))
    }
    script?.causes = [DifferenceCause(transaction)]
    return script
  }

  /// Advances to any other state of the same store, later or earlier.
  ///
  /// - Returns: The edits; nil if the shown rows and their values are the same.
  /// - Complexity: O(pages of records that the two states do not share, and *k* log *n*)
  package func fold(to state: FrozenState) -> EditScript? {
    fold(ChangedRecords(of: plan.entities.sorted(), from: self.state, to: state))
  }

  /// Advances to the state after some changes. A caller with several projections can create the
  /// changes once and pass them to all projections.
  ///
  /// - Returns: The edits; nil if the shown rows and their values are the same.
  /// - Complexity: O(*k* log *n*) in the touched rows; O(changes of the entity) if the changes
  ///   touch no rows
  package func fold(_ changes: ChangedRecords) -> EditScript? {
    guard let (edits, arrivals) = prepare(changes) else { return nil }
    let before = snapshot
    let placed = apply(edits, arrivals: arrivals, in: changes.after)
    let script = DifferenceMaker(before, to: snapshot, placed: placed).script
    return script.isEmpty ? nil : script
  }

  /// Advances to any other state of the same store, later or earlier, and reports no edits.
  ///
  /// - Complexity: O(pages of records that the two states do not share, and *k* log *n*)
  func advance(to state: FrozenState) {
    let changes = ChangedRecords(of: plan.entities.sorted(), from: self.state, to: state)
    // Without a snapshot of the state before, pages are edited in place.
    if let (edits, arrivals) = prepare(changes) {
      _ = apply(edits, arrivals: arrivals, in: changes.after)
    }
  }

  // MARK: Editing

  /// Returns the edits that changes cause, and the rows that must be inserted. Without any edit, it
  /// advances to the state after the changes, and returns nil.
  private func prepare(
    _ changes: ChangedRecords
  ) -> (edits: [RowEdit], arrivals: Arrivals)? {
    precondition(
      changes.before === state, "the changes do not start at the state of the projection")
    // Most changes do not affect most lists, so this check precedes all other work.
    if plan.isTouched(by: changes) {
      let edits = edits(of: TouchedRows(changes, plan: plan).rows, in: changes.after)
      if !edits.edits.isEmpty { return edits }
    }
    state = changes.after
    return nil
  }

  /// A search in the current trees and the current state.
  private var search: OrderSearch {
    OrderSearch(plan, in: state, order: order, sections: sections, space: space)
  }

  /// Returns the edits of the touched rows, and the rows that must be inserted. The method does not
  /// change the trees.
  private func edits(
    of touched: [TouchedRow], in next: FrozenState
  ) -> (edits: [RowEdit], arrivals: Arrivals) {
    var edits: [RowEdit] = []
    edits.reserveCapacity(touched.count)
    var arrivals = Arrivals()
    var keys = RowKeys()
    let search = search
    var known = KnownSections(plan, rowCount: touched.count)
    for row in touched {
      guard let edit = search.edit(row, next: next, keys: &keys, sections: &known) else { continue }
      if edit.isPlaced, let slot = edit.newSlot {
        arrivals.add(keys.new, slot: slot, edit: edits.count)
      }
      edits.append(edit)
    }
    return (edits, arrivals)
  }

  /// Applies the edits to the trees, and returns the edits with the new rank of each row.
  private func apply(
    _ edits: [RowEdit], arrivals: Arrivals, in next: FrozenState
  ) -> PlacedRows {
    var placed = PlacedRows(edits)
    remove(placed.removed.ranks)
    renewSlots(placed)
    // All rows that are still in the trees exist in the next state, and have the same keys there.
    // The searches below compute keys in the next state.
    state = next
    renewTotals(placed)
    insert(arrivals, placed: &placed)
    totals?.refresh(in: space)
    placed.computeNewRanks()
    return placed
  }

  /// Removes the rows at some ranks, which are in ascending order.
  //
  // The rows are removed from the last to the first, so that the remaining ranks stay valid. The
  // ranks of one section are consecutive, so the section's count is changed only once.
  private func remove(_ ranks: [Int]) {
    var order = order
    for rank in ranks.reversed() {
      order.remove(at: rank, in: space)
      totals?.remove(at: rank, in: space)
    }
    self.order = order
    guard plan.appendSection != nil else { return }
    var rest = ranks[...]
    while let last = rest.last {
      let (section, offset) = sections.find(last, in: space)
      let count = rest.reversed().prefix { $0 >= last - offset }.count
      rest.removeLast(count)
      var entry = sections.entry(at: section, in: space)
      if entry.value == count {
        sections.remove(at: section, in: space)
      } else {
        entry.value -= UInt32(count)
        sections.replace(at: section, with: entry, in: space)
      }
    }
  }

  /// Inserts rows, and records their ranks in their edits.
  //
  // The rows are inserted in the order of their keys. So each section is searched for only once,
  // and each search for a rank starts after the previous row.
  private func insert(_ arrivals: Arrivals, placed: inout PlacedRows) {
    let rows = arrivals.sorted
    guard plan.appendSection != nil else {
      insert(rows[...], of: arrivals, in: 0..<order.count, placed: &placed)
      return
    }
    var rest = rows[...]
    while let first = rest.first {
      let key = arrivals.key(first)
      let run = rest.prefix { arrivals.key($0).isSameSection(as: key) }
      rest = rest[run.endIndex...]
      let search = search
      let (section, isFound) = search.section(key.section)
      if isFound {
        insert(run, of: arrivals, in: search.range(ofSection: section), placed: &placed)
        var counted = sections.entry(at: section, in: space)
        counted.value += UInt32(run.count)
        sections.replace(at: section, with: counted, in: space)
      } else {
        let rank = sections.weight(before: section, in: space)
        sections.insert(
          RankEntry(first.sectionPrefix, value: UInt32(run.count)), at: section, in: space)
        insert(run, of: arrivals, in: rank..<rank, placed: &placed)
      }
    }
  }

  /// Inserts rows among the rows at a range of ranks.
  private func insert(
    _ rows: ArraySlice<Arrivals.Row>, of arrivals: Arrivals, in range: Range<Int>,
    placed: inout PlacedRows
  ) {
    var (first, end) = (range.lowerBound, range.upperBound)
    var search = search
    for row in rows {
      let rank = search.rank(of: arrivals.key(row), in: first..<end)
      search.order.insert(RankEntry(row.ownPrefix, value: row.slot), at: rank, in: space)
      if totals != nil { totals?.insert(cells(ofSlot: row.slot), at: rank, in: space) }
      placed.edits[row.edit].new = rank
      (first, end) = (rank + 1, end + 1)
    }
    order = search.order
  }

  /// Updates the slots of rows that keep their positions. The caller calls the method after the
  /// removals and before the insertions, because the ranks are those between the two steps.
  private func renewSlots(_ placed: PlacedRows) {
    for edit in placed.edits where !edit.isPlaced && edit.newSlot != edit.oldSlot {
      guard let old = edit.old, let slot = edit.newSlot else { continue }
      let rank = placed.removed.fixedCount(before: old)
      var entry = order.entry(at: rank, in: space)
      entry.value = slot
      order.replace(at: rank, with: entry, in: space)
    }
  }

  /// Updates the totals of rows that keep their positions, at the time of ``renewSlots(_:)``.
  private func renewTotals(_ placed: PlacedRows) {
    guard totals != nil else { return }
    for edit in placed.edits where !edit.isPlaced {
      guard let old = edit.old, let slot = edit.newSlot else { continue }
      totals?.replace(
        at: placed.removed.fixedCount(before: old), with: cells(ofSlot: slot), in: space)
    }
  }

  /// Returns the values that the totals read of the record in a slot.
  private func cells(ofSlot slot: UInt32) -> [TotalCell] {
    let row = state.reader.row(inSlot: slot, of: plan.entity).location
    return plan.totals?.cells(of: row, in: state) ?? []
  }

  // MARK: Invariants

  /// Traps unless the numbered invariants of the type's documentation hold. Tests call the method
  /// after each change. In every build, a change also verifies the positions of the rows that it
  /// touches.
  ///
  /// - Complexity: O(*n* log *n*)
  package func checkInvariants() {
    order.checkInvariants(in: space)
    sections.checkInvariants(in: space)
    let load = ResultLoad(plan, in: state).entries
    var rank = 0
    precondition(
      order.count == load.rows.count, "invariant 1: \(order.count) rows of \(load.rows.count)")
    order.forEach(0..<order.count, in: space) { entry in
      precondition(entry == load.rows[rank], "invariant 2: \(entry) is at rank \(rank)")
      rank += 1
    }
    var section = 0
    precondition(sections.count == load.sections.count, "invariant 3: \(sections.count) sections")
    sections.forEach(0..<sections.count, in: space) { entry in
      precondition(entry == load.sections[section], "invariant 3: \(entry) is section \(section)")
      section += 1
    }
    totals?.checkInvariants(cells: load.rows.map { cells(ofSlot: $0.value) }, in: space)
  }
}

extension ResultPlan {
  /// Returns the number of rows of a state that match the plan's filter.
  ///
  /// - Complexity: O(slots)
  package func count(in state: FrozenState) -> Int {
    var count = 0
    RowScan(state).forEachPiece(in: entity) { rows in
      for index in rows.indices where includes(rows[index].location, in: state) { count += 1 }
    }
    return count
  }
}

extension Projection {
  /// The counts of expensive evaluations by all projections that use the plan.
  package var statistics: ResultStatistics { plan.statistics }
}
