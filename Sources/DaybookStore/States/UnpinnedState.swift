/// A state as whoever edits it reads it, until the next edit.
struct UnpinnedState: ~Copyable, ReadableState {
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
}
