import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The rows that a projection shows at one moment, in order and in sections. The value is
/// immutable.
///
/// The *order* is the list of all matching rows, including the rows outside the window. A *rank* is
/// the index of a row in the order. A *path* is the position of a row among the rows that the
/// window shows. An index of a section counts only shown sections, unless a comment says otherwise.
package struct ResultSnapshot: Sendable {
  package let plan: ResultPlan
  package let state: FrozenState
  let order: RankTree
  let sections: RankTree
  /// The totals of the rows; nil if the plan reads no values for totals.
  let totals: TotalTree?
  let window: ResultWindow
  /// The pin that keeps the pages of the two trees unchanged.
  let pin: PagePin

  var space: PageSpace { pin.space }

  // MARK: Counting

  var visible: Range<Int> { window.range(of: order.count) }

  /// The number of shown rows.
  package var count: Int { visible.count }

  /// The shown sections, as a range of indexes among all sections of the order. Without a section
  /// key the range has one section, also if that section is empty.
  var visibleSections: Range<Int> {
    guard plan.appendSection != nil else { return 0..<1 }
    let visible = visible
    guard !visible.isEmpty else { return 0..<0 }
    let first = sections.find(visible.lowerBound, in: space).rank
    return first..<sections.find(visible.upperBound - 1, in: space).rank + 1
  }

  /// The number of shown sections.
  package var sectionCount: Int { visibleSections.count }

  /// Returns the shown ranks of a section, by its index among all sections of the order.
  func visibleRanks(ofSection index: Int) -> Range<Int> {
    guard plan.appendSection != nil else { return visible }
    let start = sections.weight(before: index, in: space)
    let count = Int(sections.entry(at: index, in: space).value)
    return (start..<start + count).clamped(to: visible)
  }

  /// Returns the number of shown rows in a section.
  package func count(inSection index: Int) -> Int {
    visibleRanks(ofSection: index + visibleSections.lowerBound).count
  }

  // MARK: Finding

  /// Returns the path of the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  func path(ofRank rank: Int) -> RowPath {
    let visible = visible
    precondition(visible.contains(rank), "rank \(rank) is outside the visible ranks \(visible)")
    guard plan.appendSection != nil else {
      return RowPath(section: 0, row: rank - visible.lowerBound)
    }
    let found = sections.find(rank, in: space)
    let first = sections.find(visible.lowerBound, in: space)
    return RowPath(
      section: found.rank - first.rank,
      row: found.offset - (found.rank == first.rank ? first.offset : 0))
  }

  /// Returns the rank of the row at a path.
  ///
  /// - Complexity: O(log *n*)
  package func rank(at path: RowPath) -> Int {
    let ranks = ranks(ofSection: path.section)
    if path.row < 0 || path.row >= ranks.count {
      Misuse.stop(
        """
        row \(path.row) is out of range: section \(path.section) has a row count of \(ranks.count). Use a \
        row below numberOfObjects of the section.
        """)
    }
    return ranks.lowerBound + path.row
  }

  // MARK: Reading

  /// Returns the location of the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  package func location(atRank rank: Int) -> RowLocation {
    state.reader.row(inSlot: slot(atRank: rank), of: plan.entity).location
  }

  func slot(atRank rank: Int) -> UInt32 { order.entry(at: rank, in: space).value }

  func identifier(in slot: UInt32) -> RecordIdentifier {
    state.reader.identifier(ofSlot: slot, in: plan.entity)
  }

  package func identifier(atRank rank: Int) -> RecordIdentifier {
    identifier(in: slot(atRank: rank))
  }

  /// The identifiers of the shown rows, in order.
  package var identifiers: [RecordIdentifier] {
    identifiers(atRanks: visible)
  }

  /// Returns the key of the section that contains a rank.
  func sectionKey(atRank rank: Int) -> [UInt8] {
    var buffer = RowBuffer()
    plan.appendSection?(location(atRank: rank), state, &buffer)
    return buffer.bytes
  }

  /// Returns the position of the row at a rank in the order of the list.
  func position(atRank rank: Int) -> ListPosition {
    var buffer = RowBuffer()
    plan.appendOwn(location(atRank: rank), in: state, to: &buffer)
    return ListPosition(
      order: plan.orderDescription, section: sectionKey(atRank: rank), key: buffer.bytes)
  }

  /// Returns the name of a section.
  package func name(ofSection index: Int) -> String {
    guard plan.appendSection != nil else { return "" }
    let rank = ranks(ofSection: index).lowerBound
    return plan.nameOfSection(sectionKey(atRank: rank))
  }

  // MARK: Searching

  var search: OrderSearch {
    OrderSearch(plan, in: state, order: order, sections: sections, space: space)
  }
}

extension ResultSnapshot {
  /// The number of rows and sections, as in `3 rows in 2 sections`; `3 rows` without a section key.
  package var countsText: String {
    let rows = count == 1 ? "1 row" : "\(count) rows"
    guard hasSections else { return rows }
    return rows + (sectionCount == 1 ? " in 1 section" : " in \(sectionCount) sections")
  }
}

extension ResultSnapshot {
  /// Returns the totals of the rows at a range of ranks, in the order of the request; none if the
  /// request has none.
  ///
  /// - Complexity: O(log *n*)
  package func totals(ofRanks ranks: Range<Int>) -> [TotalValue] {
    plan.totals?.values(of: totals?.totals(of: ranks, in: space) ?? [], rowCount: ranks.count) ?? []
  }

  /// The totals of all rows, also of those that the window does not show.
  package var allTotals: [TotalValue] { totals(ofRanks: 0..<order.count) }
}

extension ResultSnapshot {
  /// Returns the path of a record; nil if it is not shown.
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

  package var visibleRanks: Range<Int> { visible }

  /// Returns the shown ranks of a section.
  ///
  /// - Complexity: O(log *n*)
  package func ranks(ofSection index: Int) -> Range<Int> {
    let sections = visibleSections
    if index < 0 || index >= sections.count {
      Misuse.stop(
        """
        section \(index) is out of range: the list has a section count of \(sections.count). Use one of \
        the indices of its sections.
        """)
    }
    return visibleRanks(ofSection: sections.lowerBound + index)
  }

  /// Returns the identifiers of the records at a range of ranks, in order.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func identifiers(atRanks ranks: Range<Int>) -> [RecordIdentifier] {
    state.identifiers(ofSlots: order.values(ranks, in: space), in: plan.entity)
  }

  /// Returns the identifiers of the records at a range of ranks, as values of the records' own
  /// type, in order.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func identifiers<ID: RecordIdentifierConvertible>(
    atRanks ranks: Range<Int>, as type: ID.Type
  ) -> [ID] {
    state.identifiers(ofSlots: order.values(ranks, in: space), in: plan.entity, as: type)
  }

  /// Returns the identifiers of the records in some slots of this state, in the order of the slots.
  func identifiers<ID: RecordIdentifierConvertible>(
    ofSlots slots: [UInt32], as type: ID.Type
  ) -> [ID] {
    // A state before the first record of the entity has no table for the entity.
    slots.isEmpty ? [] : state.identifiers(ofSlots: slots, in: plan.entity, as: type)
  }
}

extension ResultSnapshot {
  /// Returns the records at a range of ranks, in order. The store must have been opened with the
  /// type of the records.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func records<R: FetchableRecord>(_ type: R.Type, atRanks ranks: Range<Int>) -> [R] {
    R._records(in: FetchedRows(in: state, of: plan.entity, at: order.values(ranks, in: space)))
  }
}

extension ResultSnapshot {
  /// Returns the values in some columns of the shown rows, in order.
  ///
  /// - Complexity: O(*n* · columns)
  package func values(in columns: [ValueColumn]) -> [[AttributeValue]] {
    values(in: columns, atRanks: visible)
  }

  /// Returns the values in some columns of the rows at a range of ranks, in order.
  ///
  /// - Complexity: O(log *n* + ranks · columns)
  package func values(in columns: [ValueColumn], atRanks ranks: Range<Int>) -> [[AttributeValue]] {
    order.values(ranks, in: space).map { values(ofSlot: $0, in: columns) }
  }

  /// Returns the distinct combinations of values in some columns, limited to a window of
  /// combinations.
  ///
  /// The combinations have the order of the first row with each combination. The method ignores the
  /// snapshot's own window.
  ///
  /// - Complexity: O(*n* · columns), up to the row that completes the window
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
