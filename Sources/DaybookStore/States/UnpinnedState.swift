/// A state as whoever edits it reads it, until the next edit: its pages are not kept as they are, which makes it cheap.
struct UnpinnedState: ReadableState {
  let state: StoreState
  let catalog: Catalog
  let memory: RowMemory
  let space: PageSpace

  init(_ state: StoreState, _ catalog: Catalog, _ memory: RowMemory, _ space: PageSpace) {
    self.state = state
    self.catalog = catalog
    self.memory = memory
    self.space = space
  }

  /// - Parameter frozen: A state that the caller keeps.
  init(_ frozen: FrozenState) {
    self.init(frozen.state, frozen.catalog, frozen.memory, frozen.space)
  }

  /// Where the row of a record stands; none if there is no such record.
  func location(_ entity: Int, _ key: IdentifierBytes) -> RowLocation {
    guard let slot = state.slot(entity, key, in: memory, catalog, space) else { return .none }
    return state.tables[entity].row(slot, in: space).location
  }

  /// The identifier of the record in a slot.
  func identifier(_ entity: Int, _ slot: UInt32) -> RecordIdentifier {
    state.identifier(entity, slot, in: memory, catalog, space)
  }

  /// Throws if what a transaction builds upon was found to be damaged, before it has a number.
  ///
  /// - Throws: ``StoreError`` with `journal`
  func checkReadable(_ payload: [UInt8], _ path: String) throws(StoreError) {
    guard memory.hasLateRows else { return }
    // What is not whole is known as damage from then on.
    _ = state.hasWhatIsRead(by: payload.span.bytes, in: memory, space, catalog)
    if let damage = memory.damage { throw StoreError(.journal(damage), path: path) }
  }
}
