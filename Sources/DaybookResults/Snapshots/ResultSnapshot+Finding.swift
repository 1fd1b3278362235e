import DaybookJournal
import DaybookPlatform
import DaybookStore

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
}
