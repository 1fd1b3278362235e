import DaybookStore

/// One call that a delegate of a list receives.
package enum ListCallback: Hashable, Sendable {
  case willChange
  /// The index of the section after.
  case insertSection(Int)
  /// The index of the section before.
  case deleteSection(Int)
  case delete(EditScript.Row)
  case insert(EditScript.Row)
  case move(EditScript.Pair)
  case update(EditScript.Pair)
  case didChange
}

/// In which order sections and rows are told.
public enum CallbackOrder: Hashable, Sendable {
  /// Sections that come, then rows, then sections that go: as has been seen of the class that this
  /// does the work of.
  case observed
  /// All sections before all rows: as that class is documented.
  case documented
}

extension EditScript {
  /// Returns the calls that report the edits, in one fixed order; none if there are no edits.
  ///
  /// 1. Sections are inserted, ascending by their indexes after.
  /// 2. Rows are deleted, descending by their paths before; inserted, ascending by their paths after; moved, and then
  ///    updated, ascending by their paths after.
  /// 3. Sections are deleted, descending by their indexes before.
  ///
  /// - Complexity: O(*k*)
  package func callbacks(_ order: CallbackOrder = .observed) -> [ListCallback] {
    if isEmpty { return [] }
    var rows: [ListCallback] = deleted.map(ListCallback.delete)
    rows += inserted.map(ListCallback.insert)
    rows += moved.map(ListCallback.move)
    rows += updated.map(ListCallback.update)
    let inserts = insertedSections.map(ListCallback.insertSection)
    let deletes = deletedSections.map(ListCallback.deleteSection)
    let calls =
      switch order {
      case .observed: inserts + rows + deletes
      case .documented: inserts + deletes + rows
      }
    return [.willChange] + calls + [.didChange]
  }
}
