import DaybookStore

extension Difference {
  /// The change as a difference of two lists of identifiers; see ``identifierDifference(_:)``.
  package var flat: CollectionDifference<RecordIdentifier> { identifierDifference { $0 } }

  /// Returns the change as a difference of two lists of identifiers, sections left aside.
  ///
  /// It is as short as any, so it may move rows whose keys did not change. A row that moves is a removal
  /// and an insertion that are associated with each other.
  ///
  /// - Parameter convert: Returns the identifier in the caller's type.
  /// - Complexity: O(*k* log *n*) and the rows that move
  package func identifierDifference<ID>(
    _ convert: (RecordIdentifier) -> ID
  ) -> CollectionDifference<ID> {
    let edits = rowEdits(before.offset(of:), newOffset: after.offset(of:))
    return edits.difference(oldCount: before.count) { offset in
      convert(before.identifier(atRank: before.visible.lowerBound + offset))
    } newElement: { offset in
      convert(after.identifier(atRank: after.visible.lowerBound + offset))
    }
  }

  /// Returns the change as a difference of two flattened lists: of the sections, each followed by its
  /// rows. A list without a section key has rows only.
  ///
  /// It is as short as any, so it may move rows whose keys did not change. A row or section that moves
  /// is a removal and an insertion that are associated with each other.
  ///
  /// - Parameter convert: Returns the identifier in the caller's type.
  /// - Complexity: O(*k* log² *n*) and the rows that move
  package func elementDifference<ID>(
    _ convert: (RecordIdentifier) -> ID
  ) -> CollectionDifference<ListElement<ID>> {
    var edits = rowEdits(before.elementOffset(of:), newOffset: after.elementOffset(of:))
    addSections(to: &edits)
    return edits.difference(oldCount: before.elementCount) { offset in
      before.element(at: offset, convert)
    } newElement: { offset in
      after.element(at: offset, convert)
    }
  }

  private func rowEdits(
    _ oldOffset: (RowPath) -> Int, newOffset: (RowPath) -> Int
  ) -> FlatEdits {
    var edits = FlatEdits()
    edits.moved = moved.map { (oldOffset($0.old), newOffset($0.new)) }
    // The batch-safe form has some moves as a deletion and an insertion.
    var targets: [RecordIdentifier: RowPath] = [:]
    if !deletedSections.isEmpty || !insertedSections.isEmpty {
      targets = Dictionary(uniqueKeysWithValues: inserted.map { ($0.id, $0.path) })
    }
    var moves: Set<RowPath> = []
    for row in deleted {
      if let target = targets[row.id] {
        edits.moved.append((oldOffset(row.path), newOffset(target)))
        moves.insert(target)
      } else {
        edits.removed.append(oldOffset(row.path))
      }
    }
    for row in inserted where !moves.contains(row.path) {
      edits.inserted.append(newOffset(row.path))
    }
    return edits
  }

  private func addSections(to edits: inout FlatEdits) {
    var targets: [SectionIdentifier: Int] = [:]
    if after.hasSections {
      for section in insertedSections {
        targets[after.identifier(ofSection: section.index)] = section.index
      }
    }
    if before.hasSections {
      for section in deletedSections {
        let old = before.elementOffset(ofSection: section.index)
        // Another request may show the same section at another place.
        if let target = targets.removeValue(forKey: before.identifier(ofSection: section.index)) {
          edits.moved.append((old, after.elementOffset(ofSection: target)))
        } else {
          edits.removed.append(old)
        }
      }
    }
    edits.inserted += targets.values.map { after.elementOffset(ofSection: $0) }
  }
}
