import DaybookJournal

/// The one door: what folds the payload of a transaction into a state, whether it was made this
/// moment, is replayed from the disk, or comes from another process.
extension StateEditor {
  /// Folds a transaction.
  ///
  /// - Parameters:
  ///   - location: Where the payload stands, so that its rows can be found again.
  ///   - changes: Is told of every change, if given.
  ///   - places: Where each changed record is before, if that is known: then none is looked for by its identifier.
  /// - Returns: What is wrong with the payload, or nil. What had been folded before that has been
  ///   taken back.
  package mutating func fold(
    _ bytes: RawSpan, at location: RowLocation, changes: inout [RowChange]?,
    places: [RecordPlace] = []
  ) -> PayloadMisfit? {
    var payload = PayloadReader(bytes, layouts: reader.catalog.layouts)
    for layout in payload.takeNewLayouts() { _ = add(layout) }
    payload.use(reader.catalog.layouts)
    let creation = reader.state.nextCreation
    var fold = PayloadFold(payload, at: location)
    if !places.isEmpty { fold.changes.reserveCapacity(places.count) }
    var misfit = fold.payload.misfit
    while misfit == nil {
      if fold.run != nil, fold.rules.hasNoDeletes,
        let layout = fold.payload.layoutOfInserts(in: bytes)
      {
        foldInserts(of: layout, in: bytes, fold: &fold)
      }
      guard let change = fold.payload.next(in: bytes) else { break }
      let place = fold.changes.count < places.count ? places[fold.changes.count] : .none
      guard let folded = self.fold(change, of: bytes, place: place, fold: &fold) else {
        misfit = PayloadMisfit(offset: change.row.lowerBound, kind: .change)
        break
      }
      reindex(folded, words: &fold.words)
      fold.changes.append(folded)
    }
    misfit = misfit ?? fold.payload.misfit
    if misfit == nil {
      _ = fold.payload.metadata(in: bytes)
      misfit = fold.payload.misfit
    }
    guard misfit == nil else {
      for change in fold.changes.reversed() { revert(change) }
      reader.state.nextCreation = creation
      return misfit
    }
    if changes?.isEmpty == true {
      changes = fold.changes
    } else {
      changes?.append(contentsOf: fold.changes)
    }
    return nil
  }

  /// Folds the inserts that come next together, if it is enough to know of each where it stands, which record it is
  /// and when it was made; if one of them does not fit, none.
  private mutating func foldInserts(
    of layout: Layout, in bytes: RawSpan, fold: inout PayloadFold
  ) {
    let entity = reader.catalog.entity(of: layout.number)
    guard state.tables[entity].takesRuns,
      !reader.catalog.isIndexed(entity) || state.defersIndexes, var run = fold.run.take()
    else { return }
    run.removeAll()
    let start = fold.payload
    let (shape, location) = (layout.shape, fold.location)
    let creationMax = location.region == .draft ? UInt64.max - 1 : Layout.creationMax
    var next = state.nextCreation
    fold.payload.forEachInsert(of: shape, in: bytes) { row in
      guard let creation = bytes.number(at: row &+ 6, as: UInt64.self), creation > 0,
        creation <= creationMax,
        run.identifiers.append(
          bytes, at: row &+ Layout.headByteCount, byteCount: shape.identifierByteCount)
      else { return false }
      run.rows.append(PagePair((location + row).rawValue, second: creation))
      next = max(next, creation + 1)
      return true
    }
    guard let slot = reader.state.tables[entity].append(run, in: reader.space) else {
      fold.payload = start
      return
    }
    reader.state.nextCreation = next
    if fold.changes.isEmpty { fold.changes.reserveCapacity(run.count) }
    for (index, row) in run.rows.enumerated() {
      fold.changes.append(
        RowChange(
          kind: .insert, entity: entity, slot: slot + UInt32(index), old: .none,
          new: RowLocation(rawValue: row.first), creation: row.second))
    }
    fold.run = run
  }

  /// Folds one change. Returns nil if it is not well-formed, or does not fit the state: it inserts a
  /// record that is there, or changes one that is not there.
  ///
  /// - Parameter place: Where the record is before, if that is known.
  private mutating func fold(
    _ change: PayloadChange, of bytes: RawSpan, place: RecordPlace, fold: inout PayloadFold
  ) -> RowChange? {
    let row = bytes.extracting(change.row)
    let layout = change.layout
    let entity = reader.catalog.entity(of: layout.number)
    guard let range = change.identifierRange(in: row),
      let key = IdentifierBytes(layout.identifierKind, bytes: row.extracting(range))
    else { return nil }
    if state.tables[entity].defersSlots, change.kind != .insert {
      reader.state.settle(entity, in: reader.space)
      if state.hasTwins { return nil }
    }
    var slot: UInt32?
    if state.tables[entity].isRow(place, in: reader.space) {
      slot = place.slot
    } else if !state.tables[entity].defersSlots {
      slot = reader.slot(of: key, in: entity)
    }
    let new = fold.location + change.row.lowerBound
    let replaced = slot.map { reader.row(inSlot: $0, of: entity) }
    guard
      fold.rules.isFirst(
        change.kind, entity: entity,
        id: RecordIdentifier(layout.identifierKind, bytes: row.extracting(range)),
        replacing: replaced?.location ?? .none,
        in: fold.location.rawValue..<fold.location.rawValue + UInt64(bytes.byteCount)),
      change.kind == .delete
        || TransactionRules.hasIdentifier(row, of: layout)
          && reader.hasValues(
            of: change, in: bytes, section: fold.payload.storedValues,
            replacing: replaced?.location ?? .none)
    else { return nil }
    switch (change.kind, slot, replaced) {
    case (.insert, nil, nil):
      let creation = Layout.creation(of: row)
      let isDraft = fold.location.region == .draft && creation > 0 && creation < UInt64.max
      guard isDraft || TransactionRules.isCreation(creation),
        TransactionRules.isIdentifier(row.extracting(range), of: layout.identifierKind)
      else { return nil }
      let slot = reader.state.tables[entity].insert(
        key, at: new, creation: creation, in: reader.space)
      reader.state.nextCreation = max(state.nextCreation, creation + 1)
      return RowChange(
        kind: .insert, entity: entity, slot: slot, old: .none, new: new, creation: creation)
    case (.update, let slot?, let (old, creation)?):
      guard creation == Layout.creation(of: row) else { return nil }
      reader.state.tables[entity].move(slot, to: new, creation: creation, in: reader.space)
      return RowChange(
        kind: .update, entity: entity, slot: slot, old: old, new: new, creation: creation)
    case (.delete, let slot?, let (old, creation)?):
      reader.state.tables[entity].remove(slot, key: key, in: reader.space)
      return RowChange(
        kind: .delete, entity: entity, slot: slot, old: old, new: .none, creation: creation)
    default: return nil
    }
  }

  /// Takes a change back: the state is what it was before, but for the order in which free slots
  /// are taken.
  package mutating func revert(_ change: RowChange) {
    var inverse = change
    (inverse.old, inverse.new) = (change.new, change.old)
    let (entity, space) = (change.entity, reader.space)
    reader.state.settle(entity, in: space)
    switch change.kind {
    case .insert:
      let key = reader.key(at: change.new)
      reader.state.tables[entity].remove(change.slot, key: key, in: space)
    case .update:
      reader.state.tables[entity].move(
        change.slot, to: change.old, creation: change.creation, in: space)
    case .delete:
      let key = reader.key(at: change.old)
      inverse.slot = reader.state.tables[entity].insert(
        key, at: change.old, creation: change.creation, in: space)
      // The slot freed last is taken first.
      precondition(
        change.slot == .max || inverse.slot == change.slot,
        "slot \(change.slot) came back as \(inverse.slot)")
    }
    var words = IndexWords()
    reindex(inverse, words: &words)
  }
}

extension StateReader {
  /// Returns whether the values that a row names are there, and fit their checks.
  ///
  /// - Parameters:
  ///   - change: An insert or an update.
  ///   - bytes: The payload.
  ///   - section: The stored values of the payload.
  ///   - old: The location of the row that the change replaces; none for an insert.
  fileprivate func hasValues(
    of change: PayloadChange, in bytes: RawSpan, section: Range<Int>, replacing old: RowLocation
  ) -> Bool {
    let row = bytes.extracting(change.row)
    guard Layout.hasStoredValues(row) else { return true }
    return change.layout.storedValues(in: row).allSatisfy { index, _, value in
      guard value.sequence == 0 else {
        // A transaction that is yet to come cannot hold the value.
        guard
          value.sequence <= state.sequence.rawValue || PayloadLocator.isBase(value.sequence)
        else { return false }
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
}

/// A payload that is being folded, and what was found in it so far.
private struct PayloadFold {
  var payload: PayloadReader
  /// Where the payload stands.
  let location: RowLocation
  var changes: [RowChange] = []
  var rules = TransactionRules()
  var words = IndexWords()
  /// Where inserts are gathered that are folded together. Nil from then on, if one did not fit: what is left is folded
  /// one by one, so that it can be said which it is.
  var run: InsertRun? = InsertRun()

  init(_ payload: PayloadReader, at location: RowLocation) {
    self.payload = payload
    self.location = location
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
