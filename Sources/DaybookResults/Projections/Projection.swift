import DaybookJournal
import DaybookStore

/// What folds changes into rows in order, in sections, and says what each fold did.
///
/// The order of all rows that match is one list in a tree; the sections are another, which knows how
/// many rows each has. Where a row stands is its rank in the first; which section that is in, and how
/// far from its beginning, is what the second finds for a position. So nothing is renumbered when rows
/// come and go, and a window over the order is a range of ranks.
///
/// Invariants:
/// 1. The order has exactly the rows of the entity that match, each once.
/// 2. Rows are in ascending order of their keys, and each entry has the first bytes of its row's key.
/// 3. The sections have the rows in order, none is empty, and each entry has the first bytes of its key.
//
// Not Sendable: whoever folds owns it. Its snapshots are.
package final class Projection {
  package let plan: ResultPlan
  package private(set) var window: ResultWindow
  private(set) var state: FrozenState
  private(set) var order: RankTree
  private(set) var sections: RankTree
  private let space = PageSpace()

  /// What a state comes to.
  ///
  /// - Complexity: O(*n* log *n*)
  package convenience init(
    _ plan: ResultPlan, of state: FrozenState, window: ResultWindow = ResultWindow()
  ) {
    let start = MachineClock().uptimeNanoseconds
    self.init(plan, of: state, entries: ResultLoad(plan, in: state).entries, window: window)
    noteFind(since: start)
  }

  /// What a state comes to; nil if whoever waits for it has given up.
  ///
  /// - Complexity: O(*n* log *n*)
  package convenience init?(
    _ plan: ResultPlan, of state: FrozenState, window: ResultWindow, watchedBy watch: LoadWatch
  ) {
    let start = MachineClock().uptimeNanoseconds
    let load = ResultLoad(plan, in: state, watch: watch)
    watch.ask()
    if watch.isGivenUp { return nil }
    self.init(plan, of: state, entries: load.entries, window: window)
    noteFind(since: start)
    watch.end()
  }

  /// What a state comes to, if that is known already.
  ///
  /// - Parameter entries: What somebody has kept of a projection of this plan over this very state.
  /// - Complexity: O(*n*)
  package init(
    _ plan: ResultPlan, of state: FrozenState, entries: ListEntries,
    window: ResultWindow = ResultWindow()
  ) {
    self.plan = plan
    self.state = state
    self.window = window
    order = RankTree(count: entries.rows.count, in: space) { entries.rows[$0] }
    sections = RankTree(count: entries.sections.count, isWeighted: true, in: space) {
      entries.sections[$0]
    }
  }

  private func noteFind(since start: Int64) {
    state.catalog.fetches.noteFind(
      rowCount: order.count, nanoseconds: MachineClock().uptimeNanoseconds - start)
  }

  /// What it shows now.
  ///
  /// - Complexity: O(1)
  package var snapshot: ResultSnapshot {
    ResultSnapshot(
      plan, of: state, order: order, sections: sections, window: window, pin: space.pin())
  }

  /// Shows another part of the order.
  ///
  /// - Returns: nil if nothing that is shown is another.
  /// - Complexity: O(*k* log *n*) in the rows that come or go
  package func move(to window: ResultWindow) -> EditScript? {
    let before = snapshot
    self.window = window
    let script = DifferenceMaker(before, to: snapshot, placed: PlacedRows(done: [])).script
    return script.isEmpty ? nil : script
  }

  /// Goes on to another state, in which other records than the changed ones are as they were.
  ///
  /// - Parameter changed: The records, of any entity, that may have other values; each once.
  /// - Returns: nil if nothing that is shown is another.
  /// - Complexity: O(*k* log *n*) in the rows that they touch
  package func fold(_ changed: [EntityKey], to state: FrozenState) -> EditScript? {
    fold(ChangedRecords(changed, from: self.state, to: state))
  }

  /// Goes on to the state after a transaction, whether it was heard live or read from the journal.
  ///
  /// - Parameter isBehind: Whether there may have been transactions in between that touched no row here.
  /// - Returns: nil if nothing that is shown is another.
  /// - Complexity: O(*k* log *n*) in the rows that it touches
  package func fold(
    _ transaction: StoreTransaction, to state: FrozenState, isBehind: Bool = false
  ) -> EditScript? {
    var script: EditScript?
    if state.space !== self.state.space {
      // In another space records that did not change may have other slots.
      script = fold(to: state)
    } else if isBehind {
      script = fold(transaction.changedKeys, to: state)
    } else {
      script = fold(ChangedRecords(transaction, from: self.state, to: state))
    }
    script?.causes = [DifferenceCause(transaction)]
    return script
  }

  /// Goes on to any other state of the same store.
  ///
  /// - Returns: nil if nothing that is shown is another.
  /// - Complexity: O(pages of records that the two do not share, and *k* log *n*)
  package func fold(to state: FrozenState) -> EditScript? {
    fold(ChangedRecords(of: plan.entities.sorted(), from: self.state, to: state))
  }

  /// Goes on to the state after some changes, which may be told to any number of projections.
  ///
  /// - Returns: nil if nothing that is shown is another.
  /// - Complexity: O(*k* log *n*) in the rows that they touch; O(changes of the entity) if they touch
  ///   none
  package func fold(_ changes: ChangedRecords) -> EditScript? {
    precondition(changes.before === state, "the changes are none of what is shown")
    // Most changes are none of most lists: that is found out before anything is made ready.
    guard plan.isTouched(by: changes) else {
      state = changes.after
      return nil
    }
    let (edits, arrivals) = edits(of: TouchedRows(changes, plan: plan).rows, in: changes.after)
    guard !edits.isEmpty else {
      state = changes.after
      return nil
    }
    let before = snapshot
    let placed = place(edits, arrivals: arrivals, in: changes.after)
    let script = DifferenceMaker(before, to: snapshot, placed: placed).script
    return script.isEmpty ? nil : script
  }

  // MARK: Editing

  /// Finds places in the order as it is.
  private var search: OrderSearch {
    OrderSearch(plan, in: state, order: order, sections: sections, space: space)
  }

  /// What becomes of touched rows, and the places that some of them will need. Nothing is edited yet.
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

  /// Does the edits, and says where each row then is.
  private func place(
    _ edits: [RowEdit], arrivals: Arrivals, in next: FrozenState
  ) -> PlacedRows {
    var placed = PlacedRows(edits)
    remove(placed.removed.ranks)
    renewSlots(placed)
    // From here on all rows of the trees are in the next state, and have their keys there.
    state = next
    insert(arrivals, placed: &placed)
    placed.settle()
    return placed
  }

  /// Takes out the rows at some ranks, which are in ascending order.
  //
  // From the last, so that those of a section are one behind the other, which is counted once.
  private func remove(_ ranks: [Int]) {
    var order = order
    for rank in ranks.reversed() { order.remove(at: rank, in: space) }
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

  /// Gives rows their places, and says in their edits which these are.
  //
  // In their order, so that each section is looked for once, and each place behind the last.
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

  /// Gives rows their places among those of some ranks.
  private func insert(
    _ rows: ArraySlice<Arrivals.Row>, of arrivals: Arrivals, in range: Range<Int>,
    placed: inout PlacedRows
  ) {
    var (first, end) = (range.lowerBound, range.upperBound)
    var search = search
    for row in rows {
      let rank = search.rank(of: arrivals.key(row), in: first..<end)
      search.order.insert(RankEntry(row.ownPrefix, value: row.slot), at: rank, in: space)
      placed.edits[row.edit].new = rank
      (first, end) = (rank + 1, end + 1)
    }
    order = search.order
  }

  /// Gives rows that stay their slots in the next state, when those that go have gone.
  private func renewSlots(_ placed: PlacedRows) {
    for edit in placed.edits where !edit.isPlaced && edit.newSlot != edit.oldSlot {
      guard let old = edit.old, let slot = edit.newSlot else { continue }
      let rank = placed.removed.fixedCount(before: old)
      var entry = order.entry(at: rank, in: space)
      entry.value = slot
      order.replace(at: rank, with: entry, in: space)
    }
  }

  // MARK: Invariants

  /// Traps unless the invariants hold that are numbered in the type's documentation. It is for tests, after
  /// each step: of the rows that a step touches every build finds out whether they stand where they should.
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
  }
}

extension ResultPlan {
  /// How many rows of a state are in the result.
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
  /// What was dear in asking by the projection's plan, for all who asked by it.
  package var statistics: ResultStatistics { plan.statistics }
}
