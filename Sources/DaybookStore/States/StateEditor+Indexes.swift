import DaybookJournal

/// The index words of a row before and after a change; see ``RowIndex``. One value is used for many
/// changes, to reuse its memory. Both arrays may contain duplicates, in any order.
struct IndexWords {
  var old: [UInt64] = []
  var new: [UInt64] = []

  mutating func removeAll() {
    old.removeAll(keepingCapacity: true)
    new.removeAll(keepingCapacity: true)
  }

  /// Calls a closure with each word that only one of the arrays contains. The arrays are sorted
  /// first.
  mutating func forEachDifference(_ body: (_ word: UInt64, _ isAdded: Bool) -> Void) {
    if old.count > 1 { old.sort() }
    if new.count > 1 { new.sort() }
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < old.count || newIndex < new.count {
      let word = min(
        oldIndex < old.count ? old[oldIndex] : .max, newIndex < new.count ? new[newIndex] : .max)
      let (oldStart, newStart) = (oldIndex, newIndex)
      while oldIndex < old.count, old[oldIndex] == word { oldIndex += 1 }
      while newIndex < new.count, new[newIndex] == word { newIndex += 1 }
      let isOld = oldIndex > oldStart
      if isOld != (newIndex > newStart) { body(word, !isOld) }
    }
  }
}

/// Keeps the indexes consistent with the rows.
extension StateEditor {
  /// Updates the indexes for a record whose row has changed.
  ///
  /// - Complexity: O(k log *n*) for k references and unique lists that differ between the two rows;
  ///   O(1) for an entity that has no references and no unique lists
  @inline(__always)
  mutating func reindex(_ change: RowChange, words: inout IndexWords) {
    if reader.catalog.isIndexed(change.entity), !reader.state.defersIndexes {
      reindexRow(change, words: &words)
    }
  }

  private mutating func reindexRow(_ change: RowChange, words: inout IndexWords) {
    let memory = reader.memory
    let oldPlan = reader.catalog.indexPlan(ofRowAt: change.old, in: memory)
    let newPlan = reader.catalog.indexPlan(ofRowAt: change.new, in: memory)
    words.removeAll()
    oldPlan?.appendReferenceWords(ofRowAt: change.old, in: memory, to: &words.old)
    newPlan?.appendReferenceWords(ofRowAt: change.new, in: memory, to: &words.new)
    reader.state.references.replace(
      &words, entity: change.entity, slot: change.slot, in: reader.space)
    words.removeAll()
    oldPlan?.appendUniqueWords(ofRowAt: change.old, in: memory, to: &words.old)
    newPlan?.appendUniqueWords(ofRowAt: change.new, in: memory, to: &words.new)
    reader.state.unique.replace(&words, entity: change.entity, slot: change.slot, in: reader.space)
  }

  // MARK: Building at once

  /// Defers the indexes until ``buildIndexes()``. A caller that applies many transactions without
  /// reading in between then indexes only the rows that remain at the end.
  package mutating func deferIndexes() {
    precondition(
      state.recordCount == 0, "the indexes already contain \(state.recordCount) records")
    reader.state.defersIndexes = true
  }

  /// Builds the deferred indexes, and the deferred hash tables of identifiers.
  ///
  /// - Complexity: O(*n* log *n*) for *n* references and unique values. The index of references is
  ///   built first, and then the index of unique values. Each temporarily needs 16 bytes for each
  ///   pair, and up to twice this size while the pairs are collected.
  mutating func buildIndexes() {
    precondition(state.defersIndexes, "the indexes are already built")
    reader.state.buildDeferredTables(in: reader.space)
    reader.state.defersIndexes = false
    let references = indexPairs { plan, location, words in
      plan.appendReferenceWords(ofRowAt: location, in: memory, to: &words)
    }
    reader.state.references.apply(removing: [], adding: references, in: reader.space)
    let unique = indexPairs { plan, location, words in
      plan.appendUniqueWords(ofRowAt: location, in: memory, to: &words)
    }
    reader.state.unique.apply(removing: [], adding: unique, in: reader.space)
  }

  private func indexPairs(
    _ append: (IndexPlan, RowLocation, inout [UInt64]) -> Void
  ) -> [TreePair] {
    var pairs: [TreePair] = []
    var words = IndexWords()
    for entity in state.tables.indices where reader.catalog.isIndexed(entity) {
      state.tables[entity].forEach(in: reader.space) { slot, location, _ in
        guard let plan = reader.catalog.indexPlan(ofRowAt: location, in: memory) else { return }
        words.removeAll()
        append(plan, location, &words.new)
        words.forEachDifference { word, _ in
          pairs.append(RowIndex.pair(of: word, entity: entity, slot: slot))
        }
      }
    }
    return pairs
  }

  // MARK: Layouts

  /// Updates the words of an entity's unique lists after a layout was added to the catalog.
  ///
  /// - Parameter before: The catalog before the layout was added.
  mutating func reindexUnique(_ entity: Int, before: Catalog) {
    let (catalog, memory) = (reader.catalog, reader.memory)
    // Without unique lists before and after, no word can change.
    if before.newest(entity).entity.unique.isEmpty, catalog.newest(entity).entity.unique.isEmpty {
      return
    }
    let isSame = before.history[entity].allSatisfy { layout in
      before.indexPlan(layout.number)?.unique == catalog.indexPlan(layout.number)?.unique
    }
    if isSame { return }
    var removed: [TreePair] = []
    var added: [TreePair] = []
    var words = IndexWords()
    state.tables[entity].forEach(in: reader.space) { slot, location, _ in
      words.removeAll()
      before.indexPlan(ofRowAt: location, in: memory)?
        .appendUniqueWords(ofRowAt: location, in: memory, to: &words.old)
      catalog.indexPlan(ofRowAt: location, in: memory)?
        .appendUniqueWords(ofRowAt: location, in: memory, to: &words.new)
      words.forEachDifference { word, isAdded in
        let pair = RowIndex.pair(of: word, entity: entity, slot: slot)
        if isAdded { added.append(pair) } else { removed.append(pair) }
      }
    }
    reader.state.unique.apply(removing: removed, adding: added, in: reader.space)
  }
}

extension Catalog {
  /// Returns the index plan for the row at a location; nil if the location is none.
  //
  // The function returns only the plan. A closure that passed the row together with the plan would
  // copy the catalog.
  @inline(__always)
  func indexPlan(ofRowAt location: RowLocation, in memory: RowMemory) -> IndexPlan? {
    guard location != .none else { return nil }
    return memory.withBytes(at: location) { Layout.number(of: $0) }.flatMap { indexPlan($0) }
  }
}
