import DaybookJournal

/// A state that stays as it is, with everything that it is read from.
///
/// Copying it copies a handful of references; any thread may read it.
package struct FrozenState: Sendable {
  package let state: StoreState
  package let catalog: Catalog
  package let memory: RowMemory
  private let pin: PagePin

  package init(_ state: StoreState, _ catalog: Catalog, _ memory: RowMemory, pin: PagePin) {
    self.state = state
    self.catalog = catalog
    self.memory = memory
    self.pin = pin
  }

  package var space: PageSpace { pin.space }
  package var sequence: SequenceNumber { state.sequence }

  /// A space that begins as this state is, for what is not saved.
  package func fork() -> PageSpace { PageSpace(over: pin) }

  /// The slot of a record.
  package func slot(_ entity: Int, _ key: IdentifierBytes) -> UInt32? {
    guard entity < state.tables.count else { return nil }
    return state.tables[entity].slot(key, in: memory, catalog.layouts, space)
  }

  /// Where the row of a record stands; none if there is no such record.
  package func location(_ entity: Int, _ key: IdentifierBytes) -> RowLocation {
    slot(entity, key).map { state.tables[entity].row($0, in: space).location } ?? .none
  }

  /// Hands out the row of a record, or answers nil if there is none.
  package func withRow<Result, Failure: Error>(
    _ entity: Int, _ key: IdentifierBytes, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let location = location(entity, key)
    if location == .none { return nil }
    return try memory.withWholeRow(at: location, catalog.layouts, body)
  }
}
