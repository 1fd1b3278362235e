import DaybookStore

extension Difference {
  /// The same as a difference of two lists of identifiers, sections left aside: as short as there can be,
  /// also where that means that rows move that nothing was done to.
  ///
  /// A row that moves is a removal and an insertion that belong together.
  ///
  /// - Complexity: O(*k* log *n*) and the rows that move
  package var flat: CollectionDifference<RecordIdentifier> {
    var removals: [(offset: Int, id: RecordIdentifier)] = deleted.map {
      (before.offset(of: $0.path), $0.id)
    }
    var insertions: [(offset: Int, id: RecordIdentifier)] = inserted.map {
      (after.offset(of: $0.path), $0.id)
    }
    var targets: [Int: Int] = [:]
    var sources: [Int: Int] = [:]
    for run in movingRuns {
      for step in 0..<run.count {
        let id = before.identifier(atRank: before.visible.lowerBound + run.old + step)
        removals.append((run.old + step, id))
        insertions.append((run.new + step, id))
        targets[run.old + step] = run.new + step
        sources[run.new + step] = run.old + step
      }
    }
    let changes: [CollectionDifference<RecordIdentifier>.Change] =
      removals.map {
        .remove(offset: $0.offset, element: $0.id, associatedWith: targets[$0.offset])
      }
      + insertions.map {
        .insert(offset: $0.offset, element: $0.id, associatedWith: sources[$0.offset])
      }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("\(changes.count) changes contradict each other")
    }
    return difference
  }

  /// Rows that stand behind each other before and after.
  private struct Run {
    var old: Int
    var new: Int
    var count: Int
  }

  /// The runs that do not stay: those that are left of all rows that are there before and after, when
  /// as many rows as can be in the same order have been taken.
  private var movingRuns: [Run] {
    if moved.isEmpty { return [] }
    let pairs = moved.map { (old: before.offset(of: $0.old), new: after.offset(of: $0.new)) }
    let runs = runs(pairs)
    let staying = Set(
      StayingRows.heaviestAscending(runs.map(\.old), weights: runs.map(\.count)))
    return runs.indices.filter { !staying.contains($0) }.map { runs[$0] }
  }

  /// All rows that are there before and after, in runs, in the order after.
  private func runs(_ pairs: [(old: Int, new: Int)]) -> [Run] {
    let old = EditedRanks(
      deleted.map { before.offset(of: $0.path) } + pairs.map(\.old))
    let new = EditedRanks(
      inserted.map { after.offset(of: $0.path) } + pairs.map(\.new))
    // The rows that stayed, counted among themselves, break where something went or came.
    let total = before.count - deleted.count - pairs.count
    var breaks: Set<Int> = [0, total]
    for row in deleted { breaks.insert(old.fixedCount(before: before.offset(of: row.path))) }
    for row in inserted { breaks.insert(new.fixedCount(before: after.offset(of: row.path))) }
    for pair in pairs {
      breaks.insert(old.fixedCount(before: pair.old))
      breaks.insert(new.fixedCount(before: pair.new))
    }
    let places = breaks.sorted()
    let stayed = zip(places, places.dropFirst()).map { start, end in
      Run(old: old.rank(ofFixed: start), new: new.rank(ofFixed: start), count: end - start)
    }
    return (stayed + pairs.map { Run(old: $0.old, new: $0.new, count: 1) })
      .sorted { $0.new < $1.new }
  }
}

extension ResultSnapshot {
  /// How many rows are shown before a path.
  fileprivate func offset(of path: RowPath) -> Int { rank(at: path) - visible.lowerBound }
}
