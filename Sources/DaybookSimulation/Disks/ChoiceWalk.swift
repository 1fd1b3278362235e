/// An enumeration of all possible results of a series of choices.
/// ``SimulatedDisk/everyPowerLoss(assuming:limit:body:)`` uses it to create every disk that a power
/// loss can leave.
///
/// The results of earlier choices may determine the number of later alternatives, so the series
/// form a tree. The walk visits each path from the root to a leaf, from left to right. For example,
/// with a choice from 2 and then a choice from 3, it visits 0 0, 0 1, 0 2, 1 0, 1 1 and 1 2.
struct ChoiceWalk {
  /// The choices of the present path, from the root on: the chosen alternative, and the number of
  /// alternatives.
  private var path: [(chosen: Int, count: Int)] = []
  /// The number of choices that were already made on the present path.
  private var depth = 0

  /// Returns the next choice on the present path.
  mutating func choose(from count: Int) -> Int {
    precondition(count > 0, "a choice from \(count)")
    if depth == path.count { path.append((0, count)) }
    defer { depth += 1 }
    return path[depth].chosen
  }

  /// Ends the present path, and selects the next one.
  ///
  /// - Returns: False if the present path was the last one.
  mutating func advance() -> Bool {
    path.removeLast(path.count - depth)
    depth = 0
    while let last = path.last {
      if last.chosen + 1 < last.count {
        path[path.count - 1].chosen += 1
        return true
      }
      path.removeLast()
    }
    return false
  }
}
