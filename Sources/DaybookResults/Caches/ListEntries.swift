import DaybookStore

/// The rows of a list and its sections, in order and as numbers: what takes long to find and little room to
/// keep.
package struct ListEntries: Hashable, Sendable {
  /// The first bytes of each row's key, and its slot.
  package var rows: [RankEntry]
  /// The first bytes of each section's key, and how many rows it has; none if there is one section.
  package var sections: [RankEntry]

  package init(rows: [RankEntry], sections: [RankEntry]) {
    self.rows = rows
    self.sections = sections
  }

  /// Whether they could be those of a list over a state: each row is there and stands there once, sections
  /// have all rows, and keys are in order as far as they are known. Whether it is the list itself, only
  /// whoever makes it again can say.
  ///
  /// - Complexity: O(*n*)
  package func fit(_ plan: ResultPlan, _ state: FrozenState) -> Bool {
    guard plan.entity < state.state.tables.count else { return rows.isEmpty && sections.isEmpty }
    let table = state.state.tables[plan.entity]
    guard rows.count <= table.count else { return false }
    // All slots are gone through in order, as to look up those of the rows would take longer.
    var isWaiting = [Bool](repeating: false, count: table.slotCount)
    table.forEach(in: state.space) { slot, _, _ in isWaiting[Int(slot)] = true }
    for row in rows {
      let slot = Int(row.value)
      guard slot < isWaiting.count, isWaiting[slot] else { return false }
      isWaiting[slot] = false
    }
    guard plan.appendSection != nil else { return sections.isEmpty && areInOrder(rows.indices) }
    var start = 0
    for (index, section) in sections.enumerated() {
      let end = start + Int(section.value)
      guard section.value > 0, end <= rows.count, areInOrder(start..<end),
        index == 0 || sections[index - 1].key <= section.key
      else { return false }
      start = end
    }
    return start == rows.count
  }

  private func areInOrder(_ range: Range<Int>) -> Bool {
    for rank in range.dropFirst() where rows[rank - 1].key > rows[rank].key { return false }
    return true
  }
}

extension ResultSnapshot {
  /// All rows of the order and their sections, whatever part of them is shown.
  ///
  /// - Complexity: O(*n*)
  package var entries: ListEntries {
    func entries(of tree: RankTree) -> [RankEntry] {
      var entries: [RankEntry] = []
      entries.reserveCapacity(tree.count)
      tree.forEach(0..<tree.count, in: space) { entries.append($0) }
      return entries
    }
    return ListEntries(rows: entries(of: order), sections: entries(of: sections))
  }

  /// Whether rows have the slots that they have in another state, in which they are the same: then what is
  /// kept of it is understood where that state is.
  package func hasSlots(of other: FrozenState) -> Bool {
    plan.entities.allSatisfy { entity in
      guard entity < state.state.tables.count, entity < other.state.tables.count else {
        return entity >= state.state.tables.count && entity >= other.state.tables.count
      }
      return state.state.tables[entity].isSame(as: other.state.tables[entity])
    }
  }
}
