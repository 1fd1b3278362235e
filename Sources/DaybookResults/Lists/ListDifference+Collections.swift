import DaybookStore

extension ListDifference {
  /// The change as a difference of two lists of identifiers, in list order and without sections.
  ///
  /// Applying it to `before.identifiers` gives `after.identifiers`. It is as short as possible, so
  /// it may move rows that ``moved`` does not contain. A row that moves is a removal and an
  /// insertion that are associated with each other. Rows with changed content that did not move are
  /// in ``changedIdentifiers``.
  ///
  /// ```swift
  /// if let ids = ids.applying(difference.identifierDifference) { show(ids) }
  /// ```
  ///
  /// - Complexity: O(*k* log *n*) and the rows that move
  public var identifierDifference: CollectionDifference<R.ID> {
    let (old, new) = (before.snapshot, after.snapshot)
    return rowEdits(oldOffset: old.offset(of:), newOffset: new.offset(of:)).difference(
      oldCount: old.count, oldElement: before.identifier(atOffset:),
      newElement: after.identifier(atOffset:))
  }

  /// The change as a difference of two flattened lists: the sections in order, each followed by its
  /// rows. A list without a section key consists of rows only.
  ///
  /// Applying it to `before.elements` gives `after.elements`. It is as short as possible, so it may
  /// move rows that ``moved`` does not contain. A row or section that moves is a removal and an
  /// insertion that are associated with each other. Rows with changed content that did not move are
  /// in ``changedIdentifiers``.
  ///
  /// - Complexity: O(*k* log² *n*) and the rows that move
  public var elementDifference: CollectionDifference<ListElement<R.ID>> {
    let (old, new) = (before.snapshot, after.snapshot)
    var edits = rowEdits(oldOffset: old.elementOffset(of:), newOffset: new.elementOffset(of:))
    addSections(to: &edits)
    return edits.difference(
      oldCount: old.elementCount, oldElement: before.element(atOffset:),
      newElement: after.element(atOffset:))
  }

  private func rowEdits(
    oldOffset: (RowPath) -> Int, newOffset: (RowPath) -> Int
  ) -> FlatEdits {
    let moves = script.moved + script.splitMoves
    // The batch-safe form reports some moves as a deletion and an insertion. Here they are moves
    // again.
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
        // After a change of the request, the same section may be at another index: it moved.
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
