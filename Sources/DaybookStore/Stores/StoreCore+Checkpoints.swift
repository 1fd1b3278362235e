extension StoreCore {
  /// Returns the data of a checkpoint: the state that readers see, its layouts and its idempotency
  /// keys.
  ///
  /// - Returns: Nil if rows are not read from a file. Also nil if an entity of the journal has a
  ///   layout that no transaction contains yet. The indexes then have the form of that layout, and
  ///   a replay of the journal cannot produce them.
  mutating func checkpointSource() -> CheckpointSource? {
    guard readsFile else { return nil }
    let frozen = published()
    let unwritten = Set(
      (inFlight.flatMap(\.previous.unwrittenLayouts) + unwrittenLayouts).map(\.number))
    let histories = frozen.catalog.history.map { $0.filter { !unwritten.contains($0.number) } }
    // Entities that no transaction contains yet have the highest indexes. If one of them has slots,
    // there is no source.
    let count = histories.firstIndex(where: \.isEmpty) ?? histories.count
    for entity in histories.indices where entity < frozen.state.tables.count {
      let isComplete = histories[entity].count == frozen.catalog.history[entity].count
      let isNew = entity >= count && histories[entity].isEmpty
      guard isComplete || (isNew && frozen.state.tables[entity].slotCount == 0) else { return nil }
    }
    var state = frozen.state
    state.tables.removeLast(max(0, state.tables.count - count))
    guard state.tables.count == count else { return nil }
    return CheckpointSource(
      frozen: frozen, state: state, base: base,
      layouts: histories[..<count].joined().map(frozen.catalog.layouts.original),
      byteCountSinceLayouts: inFlight.first?.previous.byteCountSinceLayouts
        ?? byteCountSinceLayouts,
      keys: keys, versions: versions.through(frozen.sequence))
  }
}
