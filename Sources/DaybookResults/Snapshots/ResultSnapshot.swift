import DaybookJournal
import DaybookPlatform
import DaybookStore

/// What a projection shows at one moment: rows in order, in sections. It stays as it is, for as long as
/// somebody has it.
///
/// *Ranks* count all rows of the order; *paths* and section indexes count what the window shows.
package struct ResultSnapshot: Sendable {
  package let plan: ResultPlan
  package let state: FrozenState
  let order: RankTree
  let sections: RankTree
  let window: ResultWindow
  private let pin: PagePin

  init(
    _ plan: ResultPlan, of state: FrozenState, order: RankTree, sections: RankTree,
    window: ResultWindow, pin: PagePin
  ) {
    self.plan = plan
    self.state = state
    self.order = order
    self.sections = sections
    self.window = window
    self.pin = pin
  }

  var space: PageSpace { pin.space }

  // MARK: Counting

  /// The ranks that are shown.
  var visible: Range<Int> { window.range(of: order.count) }

  /// How many rows are shown.
  package var count: Int { visible.count }

  /// The sections that are shown, by their places among all of the order. Without a section key there
  /// is one, also when it is empty.
  var visibleSections: Range<Int> {
    guard plan.appendSection != nil else { return 0..<1 }
    let visible = visible
    guard !visible.isEmpty else { return 0..<0 }
    let first = sections.find(visible.lowerBound, in: space).rank
    return first..<sections.find(visible.upperBound - 1, in: space).rank + 1
  }

  /// How many sections are shown.
  package var sectionCount: Int { visibleSections.count }

  /// The ranks of a section, by its place among all of the order, as far as they are shown.
  func visibleRanks(ofSection index: Int) -> Range<Int> {
    guard plan.appendSection != nil else { return visible }
    let start = sections.weight(before: index, in: space)
    let count = Int(sections.entry(at: index, in: space).value)
    return (start..<start + count).clamped(to: visible)
  }

  /// How many rows are shown in a section.
  package func count(inSection index: Int) -> Int {
    visibleRanks(ofSection: index + visibleSections.lowerBound).count
  }

  // MARK: Finding

  /// Where a rank is shown.
  ///
  /// - Complexity: O(log *n*)
  func path(ofRank rank: Int) -> RowPath {
    let visible = visible
    precondition(visible.contains(rank), "rank \(rank) is not among \(visible)")
    guard plan.appendSection != nil else {
      return RowPath(section: 0, row: rank - visible.lowerBound)
    }
    let found = sections.find(rank, in: space)
    let first = sections.find(visible.lowerBound, in: space)
    return RowPath(
      section: found.rank - first.rank,
      row: found.offset - (found.rank == first.rank ? first.offset : 0))
  }

  /// The rank that is shown at a path.
  ///
  /// - Complexity: O(log *n*)
  package func rank(at path: RowPath) -> Int {
    let ranks = ranks(ofSection: path.section)
    if path.row < 0 || path.row >= ranks.count {
      Misuse.stop(
        """
        row \(path.row) was used of section \(path.section), whose row count is \(ranks.count). Use a path \
        below numberOfObjects of the section.
        """)
    }
    return ranks.lowerBound + path.row
  }

  // MARK: Reading

  /// Where the row at a rank stands.
  ///
  /// - Complexity: O(log *n*)
  package func location(atRank rank: Int) -> RowLocation {
    state.reader.row(inSlot: slot(atRank: rank), of: plan.entity).location
  }

  /// The slot of the record at a rank.
  func slot(atRank rank: Int) -> UInt32 { order.entry(at: rank, in: space).value }

  /// The identifier of the record in a slot.
  func identifier(in slot: UInt32) -> RecordIdentifier {
    state.reader.identifier(ofSlot: slot, in: plan.entity)
  }

  /// The identifier of the record at a rank.
  package func identifier(atRank rank: Int) -> RecordIdentifier {
    identifier(in: slot(atRank: rank))
  }

  /// The identifiers that are shown, in order.
  package var identifiers: [RecordIdentifier] {
    identifiers(atRanks: visible)
  }

  /// The key of the section of a rank.
  func sectionKey(atRank rank: Int) -> [UInt8] {
    var buffer = RowBuffer()
    plan.appendSection?(location(atRank: rank), state, &buffer)
    return buffer.bytes
  }

  /// What a section is called, by its place among those that are shown.
  package func name(ofSection index: Int) -> String {
    guard plan.appendSection != nil else { return "" }
    let rank = ranks(ofSection: index).lowerBound
    return plan.nameOfSection(sectionKey(atRank: rank))
  }

  // MARK: Searching

  /// For finding places in it.
  var search: OrderSearch {
    OrderSearch(plan, in: state, order: order, sections: sections, space: space)
  }
}

extension ResultSnapshot {
  /// The number of rows and sections, as in `3 rows in 2 sections`; without a section key `3 rows`.
  package var countsText: String {
    let rows = count == 1 ? "1 row" : "\(count) rows"
    guard hasSections else { return rows }
    return rows + (sectionCount == 1 ? " in 1 section" : " in \(sectionCount) sections")
  }
}

extension ResultSnapshot {
  /// Where a record is shown; nil if it is not.
  ///
  /// - Complexity: O(log *n*)
  package func path(of id: RecordIdentifier) -> RowPath? {
    guard let slot = state.reader.slot(of: IdentifierBytes(id), in: plan.entity) else { return nil }
    let location = state.reader.row(inSlot: slot, of: plan.entity).location
    guard plan.includes(location, in: state) else { return nil }
    var key = RowKey()
    key.set(to: location, of: plan, in: state)
    let rank = search.rank(of: key, slot: slot)
    return visible.contains(rank) ? path(ofRank: rank) : nil
  }

  /// The ranks that are shown.
  package var visibleRanks: Range<Int> { visible }

  /// The ranks of a section, by its place among those that are shown.
  ///
  /// - Complexity: O(log *n*)
  package func ranks(ofSection index: Int) -> Range<Int> {
    let sections = visibleSections
    if index < 0 || index >= sections.count {
      Misuse.stop(
        """
        section \(index) was used of a list whose section count is \(sections.count). Use one of the \
        indices of its sections.
        """)
    }
    return visibleRanks(ofSection: sections.lowerBound + index)
  }

  /// The identifiers of the records at some ranks, in order.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func identifiers(atRanks ranks: Range<Int>) -> [RecordIdentifier] {
    state.identifiers(ofSlots: order.values(ranks, in: space), in: plan.entity)
  }

  /// The same as values of the type that the records have for them.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func identifiers<ID: RecordIdentifierConvertible>(
    atRanks ranks: Range<Int>, as type: ID.Type
  ) -> [ID] {
    state.identifiers(ofSlots: order.values(ranks, in: space), in: plan.entity, as: type)
  }

  /// The identifiers of the records in some slots of this state, in the order of the slots.
  func identifiers<ID: RecordIdentifierConvertible>(
    ofSlots slots: [UInt32], as type: ID.Type
  ) -> [ID] {
    // A state before the first record of the entity has no table of it.
    slots.isEmpty ? [] : state.identifiers(ofSlots: slots, in: plan.entity, as: type)
  }
}

extension ResultSnapshot {
  /// The records at some ranks, in order; their type is known to the store.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func records<R: FetchableRecord>(_ type: R.Type, atRanks ranks: Range<Int>) -> [R] {
    R._records(in: FetchedRows(in: state, of: plan.entity, at: order.values(ranks, in: space)))
  }
}

extension ResultSnapshot {
  /// The values in some columns of the rows that are shown, in order.
  ///
  /// - Complexity: O(*n* · columns)
  package func values(in columns: [ValueColumn]) -> [[AttributeValue]] {
    values(in: columns, atRanks: visible)
  }

  /// The values in some columns of the rows at some ranks, in order.
  ///
  /// - Complexity: O(log *n* + ranks · columns)
  package func values(in columns: [ValueColumn], atRanks ranks: Range<Int>) -> [[AttributeValue]] {
    order.values(ranks, in: space).map { values(ofSlot: $0, in: columns) }
  }

  /// The values in some columns, each combination once, where it stands first; and of those the ones
  /// that a window shows. What the snapshot's own window shows does not matter.
  ///
  /// - Complexity: O(*n* · columns), up to the last row that is shown
  package func distinctValues(
    in columns: [ValueColumn], window: ResultWindow
  ) -> [[AttributeValue]] {
    var seen: Set<[AttributeValue]> = []
    var shown: [[AttributeValue]] = []
    if window.limit == 0 { return shown }
    for slot in order.values(0..<order.count, in: space) {
      let values = values(ofSlot: slot, in: columns)
      guard seen.insert(values).inserted, seen.count > window.offset else { continue }
      shown.append(values)
      if shown.count == window.limit { break }
    }
    return shown
  }

  private func values(ofSlot slot: UInt32, in columns: [ValueColumn]) -> [AttributeValue] {
    let location = state.reader.row(inSlot: slot, of: plan.entity).location
    return columns.map { $0.value(of: location, in: state) }
  }
}
