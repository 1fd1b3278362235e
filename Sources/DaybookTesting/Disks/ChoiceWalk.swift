/// An enumeration of all paths through a series of choices.
///
/// Earlier choices may determine the number of later alternatives, so the paths form a tree. They
/// are visited from left to right, each from the root.
struct ChoiceWalk {
  private var path: [(chosen: Int, count: Int)] = []
  private var depth = 0

  /// Returns the next choice on the present path.
  mutating func choose(from count: Int) -> Int {
    precondition(count > 0, "a choice from \(count)")
    if depth == path.count { path.append((0, count)) }
    defer { depth += 1 }
    return path[depth].chosen
  }

  /// Returns to the root and selects the next path.
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
