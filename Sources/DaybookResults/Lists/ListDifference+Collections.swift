import DaybookStore

extension ListDifference {
  /// The change as a difference of two lists of identifiers, in list order and without sections.
  ///
  /// If this difference is applied to `before.identifiers`, the result is `after.identifiers`. The
  /// difference is as short as possible, so the rows that it moves may differ from those in
  /// ``moved``. A move consists of a removal and an insertion that are associated with each other.
  /// The difference does not contain rows that kept their positions and have changed content; see
  /// ``changedIdentifiers``.
  ///
  /// ```swift
  /// if let ids = ids.applying(difference.identifierDifference) { show(ids) }
  /// ```
  ///
  /// - Complexity: O(*k* log *n*) for the *k* edits, and O(*m*) for the *m* rows that move
  public var identifierDifference: CollectionDifference<R.ID> {
    let (old, new) = (before.snapshot, after.snapshot)
    return rowEdits(oldOffset: old.offset(of:), newOffset: new.offset(of:)).difference(
      oldCount: old.count, oldElement: before.identifier(atOffset:),
      newElement: after.identifier(atOffset:))
  }

  /// The change as a difference of two flattened lists: the sections in order, each followed by its
  /// rows. A list without a section key consists of rows only.
  ///
  /// If this difference is applied to `before.elements`, the result is `after.elements`. The
  /// difference is as short as possible, so the rows that it moves may differ from those in
  /// ``moved``. A move of a row or a section consists of a removal and an insertion that are
  /// associated with each other. The difference does not contain rows that kept their positions and
  /// have changed content; see ``changedIdentifiers``.
  ///
  /// - Complexity: O(*k* log² *n*) for the *k* edits, and O(*m*) for the *m* rows that move
  public var elementDifference: CollectionDifference<ListElement<R.ID>> {
    let (old, new) = (before.snapshot, after.snapshot)
    var edits = rowEdits(oldOffset: old.elementOffset(of:), newOffset: new.elementOffset(of:))
    addSections(to: &edits)
    return edits.difference(
      oldCount: old.elementCount, oldElement: before.element(atOffset:),
      newElement: after.element(atOffset:))
  }

  /// Returns the edits of rows, with offsets in the two flat lists.
  private func rowEdits(
    oldOffset: (RowPath) -> Int, newOffset: (RowPath) -> Int
  ) -> FlatEdits {
    let moves = script.moved + script.splitMoves
    // A batch-safe difference reports some moves as a deletion and an insertion. Here these rows
    // are moves, so their deletions and insertions are left out.
    let (left, entered) = (
      Set(script.splitMoves.map(\.old.path)), Set(script.splitMoves.map(\.new.path))
    )
    var edits = FlatEdits()
    edits.moved = moves.map { (oldOffset($0.old.path), newOffset($0.new.path)) }
    edits.removed = script.deleted.filter { !left.contains($0.path) }.map { oldOffset($0.path) }
    edits.inserted = script.inserted.filter { !entered.contains($0.path) }
      .map { newOffset($0.path) }
    return edits
  }

  /// Adds the edits of sections, with offsets in the two flattened lists.
  private func addSections(to edits: inout FlatEdits) {
    let (old, new) = (before.snapshot, after.snapshot)
    var targets: [SectionIdentifier: Int] = [:]
    if new.hasSections {
      for section in script.insertedSections {
        targets[new.identifier(ofSection: section)] = section
      }
    }
    if old.hasSections {
      for section in script.deletedSections {
        let offset = old.elementOffset(ofSection: section)
        // After a change of the request, one section may be deleted at its old index and inserted
        // at a new index. The section then moved.
        if let target = targets.removeValue(forKey: old.identifier(ofSection: section)) {
          edits.moved.append((offset, new.elementOffset(ofSection: target)))
        } else {
          edits.removed.append(offset)
        }
      }
    }
    edits.inserted += targets.values.map { new.elementOffset(ofSection: $0) }
  }
}
