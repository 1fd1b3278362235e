/// Every way through a series of choices, one after the other.
///
/// What is chosen first may decide what there is to choose next, so the ways form a tree; they are
/// gone through from the left, each from the beginning.
struct ChoiceWalk {
  private var path: [(chosen: Int, count: Int)] = []
  private var depth = 0

  /// The next choice on this way.
  mutating func choose(from count: Int) -> Int {
    precondition(count > 0, "a choice from \(count)")
    if depth == path.count { path.append((0, count)) }
    defer { depth += 1 }
    return path[depth].chosen
  }

  /// Goes back to the beginning, for the next way.
  ///
  /// - Returns: False if that was the last one.
  mutating func goOn() -> Bool {
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
