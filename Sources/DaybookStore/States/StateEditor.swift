import DaybookJournal

/// Edits a state: folds transactions into it, and takes their changes back.
///
/// Two editors must not edit copies of one state in one space: the first edit may free pages that the other state has.
package struct StateEditor: ~Copyable, Sendable {
  /// The state as it is now, with everything that it is read from.
  package internal(set) var reader: StateReader

  /// Creates an editor of a state.
  package init(_ reader: consuming StateReader = StateReader()) { self.reader = reader }

  /// Creates an editor that begins with a frozen state.
  ///
  /// - Parameter space: The space of the state if nobody else edits it, or a fork of that.
  package init(_ frozen: FrozenState, in space: PageSpace) {
    reader = StateReader(
      frozen.state, catalog: frozen.catalog, memory: frozen.memory, space: space)
  }

  package var state: StoreState {
    _read { yield reader.state }
    _modify { yield &reader.state }
  }

  package var memory: RowMemory {
    _read { yield reader.memory }
    _modify { yield &reader.memory }
  }

  /// The types of records that the program has for the entities.
  var types: RecordTypes {
    get { reader.catalog.types }
    set { reader.catalog.types = newValue }
  }

  /// Returns the state as it is now, which stays as it is.
  package func frozen() -> FrozenState {
    FrozenState(
      StateReader(
        reader.state, catalog: reader.catalog, memory: reader.memory, space: reader.space))
  }

  /// Adds a layout: the catalog has it, there is a table for its entity, and the unique lists are those of the newest
  /// layout.
  ///
  /// Every layout is added here, whether a transaction or the program that opens a store declares it.
  ///
  /// - Complexity: O(layouts of the entity); where that changes what a unique list says of rows that
  ///   are there, O(*n* log *n*) for *n* records of the entity
  package mutating func add(_ layout: Layout) -> LayoutTable.Addition {
    let known = reader.catalog.index(of: layout.entity.name)
    let hasRows = known.map { $0 < state.tables.count && state.tables[$0].count > 0 } ?? false
    let before = hasRows ? reader.catalog : nil
    let addition = reader.catalog.add(layout)
    reader.state.addTables(of: reader.catalog)
    if case .new = addition, let known, let before, !reader.state.defersIndexes {
      reindexUnique(known, before: before)
    }
    return addition
  }
}
