import DaybookJournal
import DaybookResults
import DaybookStore

/// The rows of an entity that match a filter, after any transaction of a journal.
struct MatchingRows {
  let journal: OpenJournal
  private let plan: ResultPlan
  /// Goes from one state to the next that is looked at. Searching by halves, these come to no more than
  /// one way through the whole journal.
  private let walk: HistoryWalk

  /// - Throws: ``ToolError`` for what is wrong with the request.
  init(_ request: ResultRequest, in journal: OpenJournal) throws(ToolError) {
    self.journal = journal
    do throws(RequestError) {
      // States of one journal have one catalog, and so one plan is right for all.
      plan = try request.plan(journal.store.snapshot.frozen.catalog)
    } catch { throw ToolError(error) }
    do throws(StoreError) {
      walk = try journal.store.walk(from: journal.store.snapshot.sequence)
    } catch { throw journal.error(error) }
  }

  /// The first transaction after which there can be rows, which the base has taken the place of if there is
  /// one; and the last.
  var earliest: UInt64 { max(journal.store.base.rawValue, 1) }
  var latest: UInt64 { journal.store.snapshot.sequence.rawValue }

  /// What ends going through rows.
  private struct Found: Error {}

  /// Whether there is one.
  func areThere(after sequence: UInt64) throws(ToolError) -> Bool {
    let state = try state(after: sequence)
    guard plan.entity < state.state.tables.count else { return false }
    do throws(Found) {
      try state.state.tables[plan.entity].forEach(in: state.space) {
        (_, location, _) throws(Found) in
        if plan.matches?(location, state) ?? true { throw Found() }
      }
      return false
    } catch { return true }
  }

  /// What they are called, in the order in which they were made.
  func identifiers(after sequence: UInt64) throws(ToolError) -> [RecordIdentifier] {
    Projection(plan, of: try state(after: sequence)).snapshot.identifiers
  }

  /// The entities whose records the filter reads through references, by their places in the catalog.
  var foreignEntities: Set<Int> { plan.foreignEntities }

  private func state(after sequence: UInt64) throws(ToolError) -> FrozenState {
    do throws(StoreError) {
      return try walk.go(to: SequenceNumber(sequence))
    } catch { throw journal.error(error) }
  }
}
