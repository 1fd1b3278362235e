/// The edits that change one list of unique elements into a second list, by offsets in the two
/// lists.
///
/// Elements that both lists contain and that are not in ``moved`` have the same relative order in
/// both lists. Such elements are called *fixed*.
struct FlatEdits {
  /// The offsets of the elements that only the old list contains.
  var removed: [Int] = []
  /// The offsets of the elements that only the new list contains.
  var inserted: [Int] = []
  /// The offsets of elements that both lists contain, possibly in a different relative order.
  var moved: [(old: Int, new: Int)] = []

  /// Returns a shortest difference of the two lists. The difference contains a move as a removal
  /// and an insertion that are associated with each other.
  ///
  /// - Parameters:
  ///   - oldCount: The number of elements of the old list.
  ///   - oldElement: Returns the element at an offset of the old list.
  ///   - newElement: Returns the element at an offset of the new list.
  /// - Complexity: O(*k* log *k*) for the *k* edits, O(*m*) for the *m* elements that move, and one
  ///   call of a closure for each change
  func difference<Element>(
    oldCount: Int, oldElement: (Int) -> Element, newElement: (Int) -> Element
  ) -> CollectionDifference<Element> {
    var changes: [CollectionDifference<Element>.Change] = []
    for offset in removed {
      changes.append(.remove(offset: offset, element: oldElement(offset), associatedWith: nil))
    }
    for offset in inserted {
      changes.append(.insert(offset: offset, element: newElement(offset), associatedWith: nil))
    }
    for run in movingRuns(oldCount: oldCount) {
      for step in 0..<run.count {
        let (old, new) = (run.old + step, run.new + step)
        let element = oldElement(old)
        changes.append(.remove(offset: old, element: element, associatedWith: new))
        changes.append(.insert(offset: new, element: element, associatedWith: old))
      }
    }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("\(changes.count) changes do not form a valid difference")
    }
    return difference
  }

  /// A run of elements that are adjacent and in the same order in both lists. A run moves as a
  /// whole or stays as a whole.
  private struct Run {
    var old: Int
    var new: Int
    var count: Int
  }

  /// Returns the runs of common elements that are outside of the longest common subsequence. These
  /// runs move.
  private func movingRuns(oldCount: Int) -> [Run] {
    if moved.isEmpty { return [] }
    let runs = runs(oldCount: oldCount)
    let staying = Set(
      StayingRows.heaviestAscending(runs.map(\.old), weights: runs.map(\.count)))
    return runs.indices.filter { !staying.contains($0) }.map { runs[$0] }
  }

  /// Returns the runs of all common elements, in the order of the new list.
  private func runs(oldCount: Int) -> [Run] {
    let old = EditedRanks(removed + moved.map(\.old))
    let new = EditedRanks(inserted + moved.map(\.new))
    // The fixed elements are numbered from 0 to `total`. A run of fixed elements ends where one of
    // the lists has an element that is not fixed.
    let total = oldCount - removed.count - moved.count
    var breaks: Set<Int> = [0, total]
    for offset in old.ranks { breaks.insert(old.fixedCount(before: offset)) }
    for offset in new.ranks { breaks.insert(new.fixedCount(before: offset)) }
    let bounds = breaks.sorted()
    let fixed = zip(bounds, bounds.dropFirst()).map { start, end in
      Run(old: old.rank(ofFixed: start), new: new.rank(ofFixed: start), count: end - start)
    }
    return (fixed + moved.map { Run(old: $0.old, new: $0.new, count: 1) })
      .sorted { $0.new < $1.new }
  }
}
