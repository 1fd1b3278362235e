import DaybookJournal

/// Edits a state: applies transactions to it, and undoes their changes.
///
/// Two editors must not edit copies of one state in one space. The first edit could free pages that
/// the other state uses.
package struct StateEditor: ~Copyable, Sendable {
  /// The current state, with everything that is needed to read it.
  package internal(set) var reader: StateReader

  /// Creates an editor of a state.
  package init(_ reader: consuming StateReader = StateReader()) { self.reader = reader }

  /// Creates an editor that starts with a frozen state.
  ///
  /// - Parameters:
  ///   - frozen: The state to start with.
  ///   - space: The space of the state, if no other editor uses it; otherwise a fork of that space.
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

  /// The record types that the program declares for the entities.
  var types: RecordTypes {
    get { reader.catalog.types }
    set { reader.catalog.types = newValue }
  }

  /// Returns an immutable form of the current state.
  ///
  /// - Parameter published: The state that readers see, if it lacks changes of this state.
  package func frozen(published: FrozenState? = nil) -> FrozenState {
    FrozenState(
      StateReader(
        reader.state, catalog: reader.catalog, memory: reader.memory, space: reader.space),
      published: published)
  }

  /// Adds a layout to the catalog. Also adds a table if the entity is new, and updates the index of
  /// unique values.
  ///
  /// Every layout is added by this method: the layouts in transactions, and the layouts of the
  /// program that opens a store.
  ///
  /// - Complexity: O(layouts of the entity). If the index words of existing rows change, O(*n* log
  ///   *n*)
  ///   for *n* records of the entity.
  package mutating func add(_ layout: Layout) -> LayoutTable.Addition {
    let known = reader.catalog.entity(havingHad: layout)
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
