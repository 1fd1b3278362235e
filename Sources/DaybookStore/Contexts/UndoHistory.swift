/// The effect of past changes on one record: its row before and after the changes. A row is nil if
/// the record did not exist then.
struct RowStep {
  var key: EntityKey
  var old: [UInt8]?
  var new: [UInt8]?
  /// The references to the record that were there before the record was. The inverse of the step
  /// deletes the record, and leaves these references as they are.
  var unchangedReferrers: Set<Referrer> = []

  /// Creates a step from the records of a view.
  ///
  /// - Parameter view: The view before the step.
  init(_ key: EntityKey, from old: [UInt8]?, to new: [UInt8]?, in view: ContextView) {
    self.init(key: key, old: old, new: new)
    if old == nil, new != nil, view.catalog.hasDeleteRules(key.entity) {
      unchangedReferrers = Set(view.reader.referrers(to: key))
    }
  }

  init(key: EntityKey, old: [UInt8]?, new: [UInt8]?) {
    self.key = key
    self.old = old
    self.new = new
  }
}

/// The boundaries that a context can undo and redo. `done` contains the boundaries to undo, and
/// `undone` those to redo; the last element of each array is the next one.
struct UndoHistory {
  /// The boundaries that are undone together: one boundary, or all boundaries of a group.
  struct Entry {
    /// The name of the group; nil for a boundary outside any group.
    var name: String?
    /// The effect on each record. A record has several steps, in order, if a merge has changed it
    /// between two boundaries of the group.
    var steps: [RowStep]
  }

  /// The direction of a step in the history.
  enum Direction {
    case undo, redo
  }

  /// A group that is open.
  private struct Group {
    var name: String
    /// The number of calls of `endGroup()` after which the group is closed.
    var depth = 1
    /// The position of each record's last step in the entry of the group, which is the last element
    /// of `done`. Nil if the group has no entry yet.
    var lastSteps: [EntityKey: Int]?
  }

  private(set) var done: [Entry] = []
  private(set) var undone: [Entry] = []
  /// The open group; nil if no group is open.
  private var group: Group?

  /// The name of the open group; nil if no group is open.
  var openName: String? { group?.name }

  // MARK: Recording

  mutating func limit(to count: Int) {
    if done.count > count { done.removeFirst(done.count - count) }
    if done.isEmpty { group?.lastSteps = nil }
    if count == 0 { undone = [] }
  }

  /// Records a boundary of changes that this context has made. After that, nothing can be redone.
  ///
  /// - Parameter view: The view before the boundary.
  mutating func record(_ changes: [Draft], in view: ContextView, limit: Int) {
    precondition(limit > 0, "a boundary was recorded while undo is off")
    undone = []
    let steps = changes.map { RowStep($0.key, from: view.row($0.key), to: $0.row, in: view) }
    if group?.lastSteps == nil {
      done.append(Entry(name: group?.name, steps: []))
      self.limit(to: limit)
    }
    guard group != nil else {
      done[done.count - 1].steps = steps
      return
    }
    for step in steps { add(step, in: view) }
    if done.last?.steps.isEmpty == true {
      done.removeLast()
      group?.lastSteps = nil
    }
  }

  /// Adds a step of a further boundary to the entry of the open group.
  ///
  /// The method combines the step with the record's last step, if the record has not changed
  /// between the two. A gesture that changes one record many times therefore needs only one step.
  private mutating func add(_ step: RowStep, in view: ContextView) {
    let last = done.count - 1
    var indexes = group?.lastSteps.take() ?? [:]
    defer { group?.lastSteps = indexes }
    guard let index = indexes[step.key],
      view.areEqual(done[last].steps[index].new, and: step.old, of: step.key.entity)
    else {
      indexes[step.key] = done[last].steps.count
      done[last].steps.append(step)
      return
    }
    done[last].steps[index].new = step.new
    let combined = done[last].steps[index]
    guard view.areEqual(combined.old, and: combined.new, of: step.key.entity) else { return }
    done[last].steps.remove(at: index)
    indexes = [:]
    for (index, step) in done[last].steps.enumerated() { indexes[step.key] = index }
  }

  // MARK: Groups

  /// Opens a group. If a group is open already, the new one becomes a part of it.
  mutating func beginGroup(_ name: String) {
    if group == nil { group = Group(name: name) } else { group?.depth += 1 }
  }

  /// Ends the innermost open group.
  ///
  /// - Returns: True if a group was open.
  mutating func endGroup() -> Bool {
    guard let depth = group?.depth else { return false }
    if depth == 1 { group = nil } else { group?.depth = depth - 1 }
    return true
  }

  /// Ends all open groups.
  mutating func endAllGroups() { group = nil }

  // MARK: Moving

  /// Returns the next entry to undo or to redo; nil if there is nothing to undo or redo.
  func next(_ direction: Direction) -> Entry? {
    switch direction {
    case .undo: done.last
    case .redo: undone.last
    }
  }

  /// Inverts the next entry, and moves it from `done` to `undone` or the reverse.
  ///
  /// - Parameters:
  ///   - steps: The part of the entry that was applied. If it is empty, the entry is removed.
  ///   - view: The view before that.
  mutating func move(_ direction: Direction, keeping steps: [RowStep], in view: ContextView) {
    guard var entry = next(direction) else { return }
    entry.steps = steps.reversed().map { RowStep($0.key, from: $0.new, to: $0.old, in: view) }
    switch direction {
    case .undo:
      done.removeLast()
      if !steps.isEmpty { undone.append(entry) }
    case .redo:
      undone.removeLast()
      if !steps.isEmpty { done.append(entry) }
    }
  }

  mutating func removeAll() {
    done = []
    undone = []
    group = nil
  }
}
