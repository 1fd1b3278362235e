import DaybookStore

extension EditScript {
  /// Creates the edits between any two moments over one entity of one store, in whichever direction.
  ///
  /// Pages that two moments of one projection share are not read. Moments of two projections may be of two requests, as
  /// when a controller changes its request. Then all rows that are shown are read, any of them may move, and values are
  /// those that the new request reads.
  ///
  /// - Complexity: O(pages of records that were changed, and *k* log *n* for the *k* rows touched);
  ///   between two plans also O(records, and *n* log *n* for the *n* rows that are shown)
  package init(from before: ResultSnapshot, to after: ResultSnapshot) {
    precondition(
      before.plan.entity == after.plan.entity,
      "moments of entities \(before.plan.entity) and \(after.plan.entity)")
    precondition(before.state.isOfSameStore(as: after.state), "moments of two stores")
    let records = ChangedRecords(
      of: after.plan.entities.sorted(), from: before.state, to: after.state)
    let touched = TouchedRows(records, plan: after.plan).rows
    guard before.plan === after.plan else {
      self = RefetchMaker(before, to: after, touched: touched).script
      return
    }
    let (old, new) = (before.search, after.search)
    var keys = RowKeys()
    var edits: [RowEdit] = []
    var (oldSections, newSections) = (
      KnownSections(after.plan, rowCount: touched.count),
      KnownSections(after.plan, rowCount: touched.count)
    )
    for row in touched {
      guard var edit = old.edit(row, next: after.state, keys: &keys, sections: &oldSections) else {
        continue
      }
      if let slot = edit.newSlot {
        let key = edit.isPlaced ? keys.new : keys.old
        edit.new = new.rank(of: key, slot: slot, in: newSections.ranks(of: key, by: new))
      }
      edits.append(edit)
    }
    self = DifferenceMaker(before, to: after, placed: PlacedRows(done: edits)).script
  }
}
