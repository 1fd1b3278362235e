import DaybookStore

extension Difference {
  /// What happened between any two moments over one entity of one store, in whichever direction.
  ///
  /// What two moments of one projection share is not looked at. Moments of two projections may be of
  /// two requests: whoever goes over to another request makes a projection of it, and then the
  /// difference from the snapshot of the old one to that of the new one. All rows that are shown are
  /// looked at, any of them may move, and values are what the new request reads.
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
      self = RefetchMaker(before, after, touched).difference
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
    self = DifferenceMaker(before, after, PlacedRows(done: edits)).difference
  }

  /// What takes it back: from the moment after to the moment before.
  ///
  /// - Complexity: O(*k* log *k*)
  package var inverse: Difference {
    var inverse = Difference(after, before)
    inverse.deletedSections = insertedSections.reversed()
    inverse.insertedSections = deletedSections.reversed()
    inverse.deleted = inserted.reversed()
    inverse.inserted = deleted.reversed()
    inverse.moved = moved.map(\.inverse).sorted { $0.new < $1.new }
    inverse.splitMoves = splitMoves.map(\.inverse)
    inverse.updated = updated.map(\.inverse).sorted { $0.new < $1.new }
    return inverse
  }

  /// This one and the one that follows it, as one.
  ///
  /// - Complexity: As for a difference between the moment before this and the one after that.
  package func followed(by next: Difference) -> Difference {
    precondition(
      after.isSameMoment(as: next.before),
      "the second difference does not begin where the first ends")
    var both = Difference(from: before, to: next.after)
    both.causes = causes + next.causes
    return both
  }
}

extension Difference.Pair {
  fileprivate var inverse: Difference.Pair {
    Difference.Pair(old: new, new: old, id: id, isContentChanged: isContentChanged)
  }
}

extension ResultSnapshot {
  /// Whether two show the same part of the same order. Between them there may have been changes that do
  /// not concern the rows of the order.
  fileprivate func isSameMoment(as other: ResultSnapshot) -> Bool {
    plan === other.plan && order == other.order && sections == other.sections
      && window == other.window
  }
}
