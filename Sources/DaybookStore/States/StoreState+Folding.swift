import DaybookJournal

/// The one door: what folds the payload of a transaction into a state, whether it was made this
/// moment, is replayed from the disk, or comes from another process.
extension StoreState {
  /// Folds a transaction.
  ///
  /// - Parameters:
  ///   - location: Where the payload stands, so that its rows can be found again.
  ///   - changes: Is told of every change, if given.
  ///   - places: Where each changed record is before, if that is known: then none is looked for by its identifier.
  /// - Returns: What is wrong with the payload, or nil. What had been folded before that has been
  ///   taken back.
  package mutating func fold(
    _ bytes: RawSpan, at location: RowLocation, in memory: RowMemory, _ space: PageSpace,
    _ catalog: inout Catalog, changes: inout [RowChange]?, places: [RecordPlace] = []
  ) -> PayloadMisfit? {
    var reader = PayloadReader(bytes, layouts: catalog.layouts)
    let newLayouts = reader.takeNewLayouts()
    for layout in newLayouts { _ = add(layout, to: &catalog, in: memory, space) }
    reader.use(catalog.layouts)
    // A constant, as every call that is given the variable would copy it.
    let known = catalog
    let creation = nextCreation
    var done: [RowChange] = []
    if !places.isEmpty { done.reserveCapacity(places.count) }
    var words = IndexWords()
    var rules = TransactionRules()
    var runs: InsertRun? = InsertRun()
    var misfit = reader.misfit
    while misfit == nil {
      if runs != nil, rules.hasNoDeletes, let layout = reader.layoutOfInserts(in: bytes) {
        foldInserts(of: layout, &reader, bytes, at: location, space, known, &runs, &done)
      }
      guard let change = reader.next(in: bytes) else { break }
      let index = known.entity(of: change.layout.number)
      guard
        let folded = fold(
          change, bytes, index, section: reader.storedValues, at: location, memory, space, known,
          place: done.count < places.count ? places[done.count] : .none, rules: &rules)
      else {
        misfit = PayloadMisfit(offset: change.row.lowerBound, kind: .change)
        break
      }
      reindex(
        index, folded.slot, from: folded.old, to: folded.new, &words, memory, known, space)
      done.append(folded)
    }
    misfit = misfit ?? reader.misfit
    if misfit == nil {
      _ = reader.metadata(in: bytes)
      misfit = reader.misfit
    }
    guard misfit == nil else {
      for change in done.reversed() { revert(change, memory, space, known) }
      nextCreation = creation
      return misfit
    }
    if changes?.isEmpty == true { changes = done } else { changes?.append(contentsOf: done) }
    return nil
  }

  /// Folds the inserts that come next together, if it is enough to know of each where it stands, which record it is
  /// and when it was made; if one of them does not fit, none.
  ///
  /// - Parameter runs: Where they are gathered. Nil from then on, if one did not fit: what is left is folded one by
  ///   one, so that it can be said which it is.
  private mutating func foldInserts(
    of layout: Layout, _ reader: inout PayloadReader, _ bytes: RawSpan, at location: RowLocation,
    _ space: PageSpace, _ catalog: Catalog, _ runs: inout InsertRun?, _ done: inout [RowChange]
  ) {
    let entity = catalog.entity(of: layout.number)
    guard tables[entity].takesRuns, !catalog.isIndexed(entity) || defersIndexes,
      var run = runs.take()
    else { return }
    run.removeAll()
    let start = reader
    let shape = layout.shape
    let creationMax = location.region == .draft ? UInt64.max - 1 : Layout.creationMax
    var next = nextCreation
    reader.forEachInsert(of: shape, in: bytes) { row in
      guard let creation = bytes.number(at: row &+ 6, as: UInt64.self), creation > 0,
        creation <= creationMax,
        run.identifiers.append(
          bytes, at: row &+ Layout.headByteCount, byteCount: shape.identifierByteCount)
      else { return false }
      run.rows.append(PagePair((location + row).rawValue, creation))
      next = max(next, creation + 1)
      return true
    }
    guard let slot = tables[entity].append(run, in: space) else {
      reader = start
      return
    }
    nextCreation = next
    if done.isEmpty { done.reserveCapacity(run.count) }
    for (index, row) in run.rows.enumerated() {
      done.append(
        RowChange(
          kind: .insert, entity: entity, slot: slot + UInt32(index), old: .none,
          new: RowLocation(rawValue: row.first), creation: row.second))
    }
    runs = run
  }

  /// Returns whether the values that a row names are there, and fit their checks.
  ///
  /// - Parameters:
  ///   - change: An insert or an update.
  ///   - bytes: The payload.
  ///   - section: The stored values of the payload.
  ///   - old: The location of the row that the change replaces; none for an insert.
  private func hasItsValues(
    _ change: PayloadChange, in bytes: RawSpan, section: Range<Int>, replacing old: RowLocation,
    memory: RowMemory
  ) -> Bool {
    let row = bytes.extracting(change.row)
    guard Layout.hasStoredValues(row) else { return true }
    return change.layout.storedValues(in: row).allSatisfy { index, _, value in
      guard value.sequence == 0 else {
        // A transaction that is yet to come cannot hold the value.
        guard value.sequence <= sequence.rawValue || PayloadLocator.isBase(value.sequence) else {
          return false
        }
        // The row before names the same value, which was compared with its check there.
        if old != .none, memory.storedValue(index, of: change.layout, in: old) == value {
          return true
        }
        return memory.checkedValues.hold(value, in: memory)
      }
      let range = Int(value.offset)..<Int(value.offset) + Int(value.length)
      // An empty range counts as contained wherever it stands.
      return section.lowerBound <= range.lowerBound && range.upperBound <= section.upperBound
        && XXH64.check(bytes.extracting(range), seed: 0) == value.check
    }
  }

  /// Whether everything is whole that folding a payload reads of what was written before: the rows that it
  /// replaces, and the values that its rows refer to.
  func hasWhatIsRead(
    by bytes: RawSpan, in memory: RowMemory, _ space: PageSpace, _ catalog: Catalog
  ) -> Bool {
    var reader = PayloadReader(bytes, layouts: catalog.layouts)
    while let change = reader.next(in: bytes) {
      guard let entity = catalog.index(of: change.layout.entity.name), entity < tables.count else {
        continue
      }
      let row = bytes.extracting(change.row)
      let range =
        change.kind == .delete ? 0..<row.byteCount : change.layout.identifierRange(in: row)
      if let range,
        let key = IdentifierBytes(change.layout.entity.identifierKind, row.extracting(range)),
        let slot = tables[entity].slot(key, in: memory, catalog.layouts, space)
      {
        let location = tables[entity].row(slot, in: space).location
        guard memory.isWhole(location) else { return false }
      }
      guard change.kind != .delete, Layout.hasStoredValues(row) else { continue }
      for (_, _, value) in change.layout.storedValues(in: row) where value.sequence != 0 {
        guard memory.withStoredValue(value, of: .none, { $0 != nil }) else { return false }
      }
    }
    return true
  }

  /// Folds one change. Returns nil if it is not well-formed, or does not fit the state: it inserts a
  /// record that is there, or changes one that is not there.
  private mutating func fold(
    _ change: PayloadChange, _ bytes: RawSpan, _ entity: Int, section: Range<Int>,
    at location: RowLocation, _ memory: RowMemory, _ space: PageSpace, _ catalog: Catalog,
    place: RecordPlace, rules: inout TransactionRules
  ) -> RowChange? {
    let row = bytes.extracting(change.row)
    let layout = change.layout
    guard
      let range = change.kind == .delete
        ? 0..<row.byteCount : layout.identifierRange(in: row),
      let key = IdentifierBytes(layout.entity.identifierKind, row.extracting(range))
    else { return nil }
    if tables[entity].defersSlots, change.kind != .insert {
      settle(entity, in: space)
      if hasTwins { return nil }
    }
    var slot: UInt32?
    if tables[entity].isRow(place, in: space) {
      slot = place.slot
    } else if !tables[entity].defersSlots {
      slot = tables[entity].slot(key, in: memory, catalog.layouts, space)
    }
    let new = location + change.row.lowerBound
    let replaced = slot.map { tables[entity].row($0, in: space) }
    guard
      rules.isFirst(
        change.kind, entity: entity,
        id: RecordIdentifier(layout.identifierKind, bytes: row.extracting(range)),
        replacing: replaced?.location ?? .none,
        in: location.rawValue..<location.rawValue + UInt64(bytes.byteCount)),
      change.kind == .delete
        || TransactionRules.hasIdentifier(row, of: layout)
          && hasItsValues(
            change, in: bytes, section: section, replacing: replaced?.location ?? .none,
            memory: memory)
    else { return nil }
    switch (change.kind, slot, replaced) {
    case (.insert, nil, nil):
      let creation = Layout.creation(of: row)
      let isDraft = location.region == .draft && creation > 0 && creation < UInt64.max
      guard isDraft || TransactionRules.isCreation(creation),
        TransactionRules.isIdentifier(row.extracting(range), of: layout.identifierKind)
      else { return nil }
      let slot = tables[entity].insert(key, at: new, creation: creation, in: space)
      nextCreation = max(nextCreation, creation + 1)
      return RowChange(
        kind: .insert, entity: entity, slot: slot, old: .none, new: new, creation: creation)
    case (.update, let slot?, let (old, creation)?):
      guard creation == Layout.creation(of: row) else { return nil }
      tables[entity].move(slot, to: new, creation: creation, in: space)
      return RowChange(
        kind: .update, entity: entity, slot: slot, old: old, new: new, creation: creation)
    case (.delete, let slot?, let (old, creation)?):
      tables[entity].remove(slot, key, in: space)
      return RowChange(
        kind: .delete, entity: entity, slot: slot, old: old, new: .none, creation: creation)
    default: return nil
    }
  }

  /// Takes a change back: the state is what it was before, but for the order in which free slots
  /// are taken.
  package mutating func revert(
    _ change: RowChange, _ memory: RowMemory, _ space: PageSpace, _ catalog: Catalog
  ) {
    var slot = change.slot
    settle(change.entity, in: space)
    switch change.kind {
    case .insert:
      tables[change.entity].remove(
        slot, key(at: change.new, memory, catalog), in: space)
    case .update:
      tables[change.entity].move(slot, to: change.old, creation: change.creation, in: space)
    case .delete:
      slot = tables[change.entity].insert(
        key(at: change.old, memory, catalog), at: change.old, creation: change.creation, in: space)
      // The slot freed last is taken first.
      precondition(
        change.slot == .max || slot == change.slot, "slot \(change.slot) came back as \(slot)")
    }
    var words = IndexWords()
    reindex(change.entity, slot, from: change.new, to: change.old, &words, memory, catalog, space)
  }

  /// The identifier of the record whose row stands at a location.
  func key(
    at location: RowLocation, _ memory: RowMemory, _ catalog: Catalog
  ) -> IdentifierBytes {
    memory.withBytes(at: location) { row in
      guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
        let range = layout.identifierRange(in: row),
        let key = IdentifierBytes(layout.entity.identifierKind, row.extracting(range))
      else { preconditionFailure("no row stands at \(location)") }
      return key
    }
  }
}

/// What one change did to the state: one record's row before and after.
///
/// Applied forwards it makes the change, and backwards it takes it back.
package struct RowChange: Hashable, Sendable {
  package var kind: ChangeKind
  /// The entity's place in the catalog.
  package var entity: Int
  /// The record's slot; `UInt32.max` in a transaction that was read and not folded.
  package var slot: UInt32
  /// The row before; none if this is an insert.
  package var old: RowLocation
  /// The row after; none if this is a delete.
  package var new: RowLocation
  package var creation: UInt64
  /// What of the row is another, where this is an update of which that is known.
  package var changed = AttributeBits.all
}

/// Inserts of one entity that stand in a payload one behind the other, and are folded together.
struct InsertRun {
  var identifiers = IdentifierWords()
  /// For each where its row stands, and its creation number.
  var rows: [PagePair] = []

  var count: Int { rows.count }

  mutating func removeAll() {
    identifiers.removeAll()
    rows.removeAll(keepingCapacity: true)
  }
}
