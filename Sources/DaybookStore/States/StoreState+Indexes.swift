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
    if catalog.isIndexed(entity) {
      reindexRow(entity, slot, from: old, to: new, &words, memory, catalog, space)
    }
  }

  private mutating func reindexRow(
    _ entity: Int, _ slot: UInt32, from old: RowLocation, to new: RowLocation,
    _ words: inout IndexWords, _ memory: RowMemory, _ catalog: Catalog, _ space: PageSpace
  ) {
    words.removeAll()
    catalog.withIndexedRow(at: old, memory) { plan, row in
      plan.appendReferenceWords(of: row, at: old, memory, to: &words.old)
    }
    catalog.withIndexedRow(at: new, memory) { plan, row in
      plan.appendReferenceWords(of: row, at: new, memory, to: &words.new)
    }
    references.replace(&words.old, by: &words.new, entity: entity, slot: slot, in: space)
    guard catalog.hasUnique(entity) else { return }
    words.removeAll()
    catalog.withIndexedRow(at: old, memory) { plan, row in
      plan.appendUniqueWords(of: row, at: old, memory, to: &words.old)
    }
    catalog.withIndexedRow(at: new, memory) { plan, row in
      plan.appendUniqueWords(of: row, at: new, memory, to: &words.new)
    }
    unique.replace(&words.old, by: &words.new, entity: entity, slot: slot, in: space)
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
    }
    if case .new = addition, let known, let before {
      reindexUnique(known, before, catalog, memory, space)
    }
    return addition
  }

  /// Makes the words of an entity's unique lists those that a newer catalog asks for.
  private mutating func reindexUnique(
    _ entity: Int, _ before: Catalog, _ catalog: Catalog, _ memory: RowMemory, _ space: PageSpace
  ) {
    let isSame = before.history[entity].allSatisfy { layout in
      before.indexPlan(layout.number)?.unique == catalog.indexPlan(layout.number)?.unique
    }
    if isSame { return }
    var removed: [PagePair] = []
    var added: [PagePair] = []
    var words = IndexWords()
    tables[entity].forEach(in: space) { slot, location, _ in
      words.removeAll()
      before.withIndexedRow(at: location, memory) { plan, row in
        plan.appendUniqueWords(of: row, at: location, memory, to: &words.old)
      }
      catalog.withIndexedRow(at: location, memory) { plan, row in
        plan.appendUniqueWords(of: row, at: location, memory, to: &words.new)
      }
      RowIndex.forEachDifference(&words.old, &words.new) { word, isAdded in
        let pair = PagePair(word, RowIndex.row(entity, slot))
        if isAdded { added.append(pair) } else { removed.append(pair) }
      }
    }
    unique.apply(removing: removed, adding: added, in: space)
  }
}

extension Catalog {
  /// Hands out a row and what the indexes take from rows of its layout; nothing if the location is
  /// none.
  @inline(__always)
  fileprivate func withIndexedRow(
    at location: RowLocation, _ memory: RowMemory, _ body: (IndexPlan, RawSpan) -> Void
  ) {
    guard location != .none else { return }
    memory.withBytes(at: location) { row in
      guard let number = Layout.number(of: row), let plan = indexPlan(number) else { return }
      body(plan, row)
    }
  }
}
