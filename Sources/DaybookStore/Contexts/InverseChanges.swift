/// The changes that undo past changes of records, and the conflicts with later changes. Undo, redo
/// and revert use this type.
///
/// A *step* is one past change of one record. The inverse gives each attribute that a step has
/// changed its value from before the step, and keeps all other attributes. If an attribute no
/// longer has the value that the step has given it, a later change has replaced the value. Such an
/// attribute is in conflict, and the inverse does not change it.
struct InverseChanges {
  /// The new row of each record; nil if the record is deleted.
  private(set) var rows: [(key: EntityKey, row: [UInt8]?)] = []
  /// The part of the past changes that `rows` undo.
  private(set) var steps: [RowStep] = []
  /// The part of the past changes that is in conflict, with at most one element for each record.
  private(set) var conflicts: [ConflictingChange] = []

  private let view: ContextView
  /// A Boolean value that indicates whether an attribute is accepted if it already has its value
  /// from before the step. Otherwise the attribute is in conflict. A revert accepts such values;
  /// undo and redo do not.
  private let acceptsEarlierValues: Bool
  /// The positions of the records in `rows`. The next property has the positions in `conflicts`.
  private var rowIndexes: [EntityKey: Int] = [:]
  private var conflictIndexes: [EntityKey: Int] = [:]

  /// Creates the inverse of some steps, against the records of a view.
  ///
  /// - Parameters:
  ///   - steps: The steps, the oldest first. The newest is inverted first.
  ///   - view: The view, without pending changes.
  ///   - acceptsEarlierValues: A Boolean value that indicates whether an attribute is accepted if
  ///     it already has its value from before the step.
  init(of steps: [RowStep], in view: ContextView, acceptsEarlierValues: Bool = false) {
    self.view = view
    self.acceptsEarlierValues = acceptsEarlierValues
    for step in steps.reversed() { add(step) }
    self.steps.reverse()
  }

  /// Returns the new row of a record (nil if the record is deleted), or nil if the inverse does not
  /// change the record.
  func row(_ key: EntityKey) -> [UInt8]?? { rowIndexes[key].map { rows[$0].row } }

  /// The records that exist and that the inverse deletes.
  var deletedKeys: [EntityKey] {
    rows.lazy.filter { $0.row == nil && view.location($0.key) != .none }.map(\.key)
  }

  /// The references to deleted records that stay, by these records.
  var unchangedReferrers: [EntityKey: Set<Referrer>] {
    var referrers: [EntityKey: Set<Referrer>] = [:]
    for step in steps where !step.unchangedReferrers.isEmpty && referrers[step.key] == nil {
      referrers[step.key] = step.unchangedReferrers
    }
    return referrers
  }

  /// Removes the changes of some records from the inverse, and adds conflicts for these records.
  mutating func keep(_ conflicts: [(key: EntityKey, kind: ConflictingChange.Kind)]) {
    let keys = Set(conflicts.map(\.key))
    rows.removeAll { keys.contains($0.key) }
    steps.removeAll { keys.contains($0.key) }
    rowIndexes = [:]
    for (index, row) in rows.enumerated() { rowIndexes[row.key] = index }
    for (key, kind) in conflicts { addConflict(key, kind: kind) }
  }

  // MARK: Steps

  /// Adds the inverse of a step, except the part that is in conflict. An attribute that is in
  /// conflict with a later step of the record is also in conflict with this step.
  private mutating func add(_ step: RowStep) {
    var blocked: [String] = []
    if let index = conflictIndexes[step.key] {
      guard case .changed(let attributes) = conflicts[index].kind else { return }
      blocked = attributes
    }
    var step = step
    step.old = newest(step.old, of: step.key.entity)
    step.new = newest(step.new, of: step.key.entity)
    switch (row(step.key) ?? view.row(step.key), step.new) {
    case (nil, nil): invert(step, to: step.old)
    // The inverse would delete the record. A later change has deleted it already, so nothing is in
    // conflict.
    case (nil, _?) where step.old == nil: invert(step, to: nil)
    case (nil, _?): addConflict(step.key, kind: .deleted)
    case (let current?, nil):
      if acceptsEarlierValues, view.areEqual(current, and: step.old, of: step.key.entity) { return }
      addConflict(step.key, kind: .added)
    case (let current?, let new?): add(step, current: current, new: new, blocked: blocked)
    }
  }

  /// Adds the inverse of a step that has left the record in existence, if the record still exists.
  ///
  /// - Parameter blocked: The attributes that are in conflict with a later step.
  private mutating func add(
    _ step: RowStep, current: [UInt8], new: [UInt8], blocked: [String]
  ) {
    let layout = view.catalog.newest(step.key.entity)
    var touched = AttributeSet(all: layout.fields.count)
    if let old = step.old {
      touched = layout.changedAttributes(from: old.span.bytes, to: new.span.bytes)
    }
    var own = AttributeSet(count: layout.fields.count)
    var foreign: [String] = []
    for index in layout.fields.indices where touched.contains(index) {
      let name = layout.entity.attributes[index].name
      if blocked.contains(name) {
        foreign.append(name)
      } else if layout.isEqual(index, in: current.span.bytes, and: new.span.bytes) {
        own.insert(index)
      } else if acceptsEarlierValues, let old = step.old,
        layout.isEqual(index, in: current.span.bytes, and: old.span.bytes)
      {
        continue
      } else {
        foreign.append(name)
      }
    }
    if !foreign.isEmpty { addConflict(step.key, kind: .changed(attributes: foreign)) }
    guard let old = step.old else {
      // The step has inserted the record. The inverse deletes it only if no later change has
      // changed it.
      if foreign.isEmpty { invert(step, to: nil) }
      return
    }
    guard foreign.isEmpty || !own.isEmpty else { return }
    func row(_ other: [UInt8]) -> [UInt8] {
      layout.row(own, of: old.span.bytes, andOthersOf: other.span.bytes, id: step.key.id)
    }
    let part = RowStep(
      key: step.key, old: foreign.isEmpty ? old : row(new), new: new)
    invert(part, to: row(current))
  }

  private mutating func invert(_ step: RowStep, to row: [UInt8]?) {
    steps.append(step)
    if let index = rowIndexes[step.key] {
      rows[index].row = row
    } else {
      rowIndexes[step.key] = rows.count
      rows.append((step.key, row))
    }
  }

  /// Adds a conflict, or adds its attributes to the conflict that the record already has.
  private mutating func addConflict(_ key: EntityKey, kind: ConflictingChange.Kind) {
    let layout = view.catalog.newest(key.entity)
    guard let index = conflictIndexes[key] else {
      conflictIndexes[key] = conflicts.count
      conflicts.append(ConflictingChange(entity: layout.entity.name, id: key.id, kind: kind))
      return
    }
    guard case .changed(let known) = conflicts[index].kind, case .changed(let others) = kind
    else { return }
    let names = Set(known).union(others)
    conflicts[index].kind = .changed(
      attributes: layout.entity.attributes.map(\.name).filter { names.contains($0) })
  }

  /// Returns a row in the newest layout. The journal that the store follows may have introduced a
  /// new layout after the step.
  private func newest(_ row: [UInt8]?, of entity: Int) -> [UInt8]? {
    row.map { view.catalog.types.newest($0.span.bytes, of: entity, in: view.catalog) }
  }
}
