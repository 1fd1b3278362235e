import DaybookResults
import DaybookStore
import Testing

extension DifferenceLaw {
  // Rule 31.
  /// Every collection difference leads from the list before to the list after, is minimal, and
  /// associates the removal and the insertion of each moved element.
  func holdCollections(of difference: ListDifference<DynamicRecord>, what: String) {
    for (form, difference) in [("", difference), ("batch-safe, ", difference.batchSafe)] {
      hold(
        difference.identifierDifference, from: difference.before.identifiers,
        to: difference.after.identifiers,
        what: "identifiers, \(form)\(what)")
      hold(
        difference.elementDifference, from: difference.before.snapshot.flattened,
        to: difference.after.snapshot.flattened, what: "elements, \(form)\(what)")
    }
  }

  private func hold<Element: Hashable>(
    _ difference: CollectionDifference<Element>, from old: [Element], to new: [Element],
    what: String
  ) {
    #expect(Set(new).count == new.count, "unique, \(what)")
    #expect(old.applying(difference) == new, "applied, \(what)")
    #expect(difference.count == new.difference(from: old).count, "as short as any, \(what)")
    #expect(difference == difference.inferringMoves(), "moves associated, \(what)")
  }
}

extension ResultSnapshot {
  /// The flattened list, from its sections and their rows.
  fileprivate var flattened: [ListElement<RecordIdentifier>] {
    guard hasSections else { return identifiers.map { .row($0) } }
    return (0..<sectionCount).flatMap { section in
      [.section(identifier(ofSection: section))]
        + identifiers(inSection: section).map { ListElement.row($0) }
    }
  }
}
