/// The boundaries that a context can undo and do again.
struct UndoHistory {
  /// What one boundary did to one record: its row before and after, each nil if there was none.
  struct Step {
    var key: EntityKey
    var old: [UInt8]?
    var new: [UInt8]?
  }

  private(set) var done: [[Step]] = []
  private(set) var undone: [[Step]] = []

  mutating func limit(to count: Int) {
    if done.count > count { done.removeFirst(done.count - count) }
    if count == 0 { undone = [] }
  }

  /// Records a boundary of the context's own. What had been undone cannot be done again after it.
  mutating func record(
    _ changes: [Draft], before: (EntityKey) -> [UInt8]?, limit: Int
  ) {
    precondition(limit > 0, "a boundary is recorded that cannot be undone")
    done.append(changes.map { Step(key: $0.key, old: before($0.key), new: $0.row) })
    undone = []
    self.limit(to: limit)
  }

  /// In which direction a boundary is taken.
  enum Direction {
    case undo, redo
  }

  /// The boundary that is next in a direction.
  func next(_ direction: Direction) -> [Step]? {
    switch direction {
    case .undo: done.last
    case .redo: undone.last
    }
  }

  /// Moves the next boundary from one side to the other, turned round.
  ///
  /// - Parameter steps: The part of it that was carried out. Where that is nothing, the boundary is dropped.
  mutating func move(_ direction: Direction, keeping steps: [Step]) {
    guard next(direction) != nil else { return }
    let inverse = UndoHistory.inverse(steps)
    switch direction {
    case .undo:
      done.removeLast()
      if !inverse.isEmpty { undone.append(inverse) }
    case .redo:
      undone.removeLast()
      if !inverse.isEmpty { done.append(inverse) }
    }
  }

  mutating func removeAll() {
    done = []
    undone = []
  }

  private static func inverse(_ steps: [Step]) -> [Step] {
    steps.reversed().map { Step(key: $0.key, old: $0.new, new: $0.old) }
  }
}
