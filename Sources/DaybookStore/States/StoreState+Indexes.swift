import DaybookJournal

/// Keeping the indexes as the rows are.
extension StoreState {
  /// The words of a row before and after a change, kept between changes so that their memory is used
  /// again.
  struct IndexWords {
    var old: [UInt64] = []
    var new: [UInt64] = []

    mutating func removeAll() {
      old.removeAll(keepingCapacity: true)
      new.removeAll(keepingCapacity: true)
    }
  }

  /// Takes note of a record whose row has become another one; none for either says that there was
  /// or is no record.
  ///
  /// - Complexity: O(k log *n*) for the k references and unique lists in which the rows differ; O(1)
  ///   for an entity without either.
  @inline(__always)
  mutating func reindex(
    _ entity: Int, _ slot: UInt32, from old: RowLocation, to new: RowLocation,
    _ words: inout IndexWords, _ memory: RowMemory, _ catalog: Catalog, _ space: PageSpace
  ) {
    if catalog.isIndexed(entity), !defersIndexes {
      reindexRow(entity, slot, from: old, to: new, &words, memory, catalog, space)
    }
  }

  private mutating func reindexRow(
    _ entity: Int, _ slot: UInt32, from old: RowLocation, to new: RowLocation,
    _ words: inout IndexWords, _ memory: RowMemory, _ catalog: Catalog, _ space: PageSpace
  ) {
    let oldPlan = catalog.indexPlan(ofRowAt: old, memory)
    let newPlan = catalog.indexPlan(ofRowAt: new, memory)
    words.removeAll()
    oldPlan?.appendReferenceWords(ofRowAt: old, memory, to: &words.old)
    newPlan?.appendReferenceWords(ofRowAt: new, memory, to: &words.new)
    references.replace(&words.old, by: &words.new, entity: entity, slot: slot, in: space)
    words.removeAll()
    oldPlan?.appendUniqueWords(ofRowAt: old, memory, to: &words.old)
    newPlan?.appendUniqueWords(ofRowAt: new, memory, to: &words.new)
    unique.replace(&words.old, by: &words.new, entity: entity, slot: slot, in: space)
  }

  // MARK: Building at once

  /// Leaves the indexes alone until ``buildIndexes(in:_:_:)``: when many transactions are folded one
  /// after the other and nobody asks meanwhile, only the rows that are left in the end count.
  package mutating func deferIndexes() {
    precondition(recordCount == 0, "\(recordCount) records are in the indexes already")
    defersIndexes = true
  }

  /// Builds the indexes that were left alone.
  ///
  /// - Complexity: O(*n* log *n*) for *n* references and unique values. Meanwhile 16 bytes of memory
  ///   are taken for each of the one or of the other, and up to twice as many while they are found.
  package mutating func buildIndexes(in memory: RowMemory, _ catalog: Catalog, _ space: PageSpace) {
    precondition(defersIndexes, "indexes that are kept up were to be built")
    defersIndexes = false
    references.apply(
      removing: [],
      adding: indexPairs(memory, catalog, space) { plan, location, words in
        plan.appendReferenceWords(ofRowAt: location, memory, to: &words)
      }, in: space)
    unique.apply(
      removing: [],
      adding: indexPairs(memory, catalog, space) { plan, location, words in
        plan.appendUniqueWords(ofRowAt: location, memory, to: &words)
      }, in: space)
  }

  private func indexPairs(
    _ memory: RowMemory, _ catalog: Catalog, _ space: PageSpace,
    _ append: (IndexPlan, RowLocation, inout [UInt64]) -> Void
  ) -> [TreePair] {
    var pairs: [TreePair] = []
    var words = IndexWords()
    for entity in tables.indices where catalog.isIndexed(entity) {
      tables[entity].forEach(in: space) { slot, location, _ in
        guard let plan = catalog.indexPlan(ofRowAt: location, memory) else { return }
        words.removeAll()
        append(plan, location, &words.new)
        RowIndex.forEachDifference(&words.old, &words.new) { word, _ in
          pairs.append(RowIndex.pair(word, entity, slot))
        }
      }
    }
    return pairs
  }

  // MARK: Layouts

  /// Takes in a layout: the catalog learns of it, there is a table for its entity, and the unique
  /// lists are those of the newest layout.
  ///
  /// Every layout comes this way, whether a transaction tells of it or the program that opens a
  /// store does.
  ///
  /// - Complexity: O(layouts of the entity); where that changes what a unique list says of rows that
  ///   are there, O(*n* log *n*) for *n* records of the entity
  package mutating func add(
    _ layout: Layout, to catalog: inout Catalog, in memory: RowMemory, _ space: PageSpace
  ) -> LayoutTable.Addition {
    let known = catalog.index(of: layout.entity.name)
    let hasRows = known.map { $0 < tables.count && tables[$0].count > 0 } ?? false
    let before = hasRows ? catalog : nil
    let addition = catalog.add(layout)
    while tables.count < catalog.names.count {
      tables.append(EntityTable(layout.entity.identifierKind))
      if defersSlots { tables[tables.count - 1].deferSlots() }
    }
    if case .new = addition, let known, let before, !defersIndexes {
      reindexUnique(known, before, catalog, memory, space)
    }
    return addition
  }

  /// Makes the words of an entity's unique lists those that a newer catalog asks for.
  private mutating func reindexUnique(
    _ entity: Int, _ before: Catalog, _ catalog: Catalog, _ memory: RowMemory, _ space: PageSpace
  ) {
    // Without unique lists there is nothing to look for in any layout.
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
    tables[entity].forEach(in: space) { slot, location, _ in
      words.removeAll()
      before.indexPlan(ofRowAt: location, memory)?
        .appendUniqueWords(ofRowAt: location, memory, to: &words.old)
      catalog.indexPlan(ofRowAt: location, memory)?
        .appendUniqueWords(ofRowAt: location, memory, to: &words.new)
      RowIndex.forEachDifference(&words.old, &words.new) { word, isAdded in
        let pair = RowIndex.pair(word, entity, slot)
        if isAdded { added.append(pair) } else { removed.append(pair) }
      }
    }
    unique.apply(removing: removed, adding: added, in: space)
  }
}

extension Catalog {
  /// What the indexes take from the row at a location; nil if that is none.
  //
  // The row is not handed out together with its plan: a closure in which the catalog is used gets a
  // copy of it.
  @inline(__always)
  func indexPlan(ofRowAt location: RowLocation, _ memory: RowMemory) -> IndexPlan? {
    guard location != .none else { return nil }
    return memory.withBytes(at: location) { Layout.number(of: $0) }.flatMap { indexPlan($0) }
  }
}
