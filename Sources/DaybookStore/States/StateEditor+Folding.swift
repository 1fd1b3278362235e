import DaybookJournal

/// Applies the payloads of transactions to a state. All transactions are applied in this way: those
/// of the program, those of a different process, and those in the file.
extension StateEditor {
  /// Applies a transaction to the state.
  ///
  /// - Parameters:
  ///   - bytes: The payload of the transaction.
  ///   - location: The location of the payload. The locations of its rows are computed from it.
  ///   - changes: The array to which every change is appended; nil if the caller needs no changes.
  ///   - positions: For each change, in order, the position of its record before the transaction;
  ///     none if the caller does not have it. The array may be shorter than the changes. A record
  ///     with a current position is not looked up by its identifier.
  /// - Returns: The problem of the payload; nil if it has none. If it has a problem, the changes
  ///   that were already applied are undone.
  package mutating func fold(
    _ bytes: RawSpan, at location: RowLocation, changes: inout [RowChange]?,
    positions: [RecordPosition] = []
  ) -> PayloadDefect? {
    var payload = PayloadReader(bytes, layouts: reader.catalog.layouts)
    for layout in payload.takeNewLayouts() { _ = add(layout) }
    payload.use(reader.catalog.layouts)
    let creation = reader.state.nextCreation
    var fold = PayloadFold(payload, at: location)
    if !positions.isEmpty { fold.changes.reserveCapacity(positions.count) }
    var defect = fold.payload.defect
    while defect == nil {
      if fold.run != nil, fold.rules.hasNoDeletes,
        let layout = fold.payload.layoutOfInserts(in: bytes)
      {
        foldInserts(of: layout, in: bytes, fold: &fold)
      }
      guard let change = fold.payload.next(in: bytes) else { break }
      let position = fold.changes.count < positions.count ? positions[fold.changes.count] : .none
      guard let folded = self.fold(change, of: bytes, position: position, fold: &fold) else {
        defect = PayloadDefect(offset: change.row.lowerBound, kind: .change)
        break
      }
      reindex(folded, words: &fold.words)
      fold.changes.append(folded)
    }
    defect = defect ?? fold.payload.defect
    if defect == nil {
      _ = fold.payload.metadata(in: bytes)
      defect = fold.payload.defect
    }
    // Records that the base of a shared log does not contain had creation numbers too.
    reader.state.nextCreation = max(state.nextCreation, fold.payload.nextCreation)
    guard defect == nil else {
      for change in fold.changes.reversed() { revert(change) }
      reader.state.nextCreation = creation
      return defect
    }
    if changes?.isEmpty == true {
      changes = fold.changes
    } else {
      changes?.append(contentsOf: fold.changes)
    }
    return nil
  }

  /// Applies consecutive inserts of one layout together. Each needs only its location, identifier
  /// and creation number. If a record of any of them already exists, none is applied.
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

  /// Applies one change. Returns nil if the change is malformed, or if it contradicts the state: it
  /// inserts a record that exists, or changes a record that does not exist.
  ///
  /// - Parameter position: The position of the record before the change; none if the caller does
  ///   not have it.
  private mutating func fold(
    _ change: PayloadChange, of bytes: RawSpan, position: RecordPosition, fold: inout PayloadFold
  ) -> RowChange? {
    let row = bytes.extracting(change.row)
    let layout = change.layout
    let entity = reader.catalog.entity(of: layout.number)
    guard let range = change.identifierRange(in: row),
      let key = IdentifierBytes(layout.identifierKind, bytes: row.extracting(range))
    else { return nil }
    if state.tables[entity].defersSlots, change.kind != .insert {
      reader.state.buildDeferredTable(of: entity, in: reader.space)
      if state.hasDuplicates { return nil }
    }
    var slot: UInt32?
    if state.tables[entity].isRow(position, in: reader.space) {
      slot = position.slot
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

  /// Undoes a change. The state is then the same as before the change, but free slots may be linked
  /// in another order.
  package mutating func revert(_ change: RowChange) {
    var inverse = change
    (inverse.old, inverse.new) = (change.new, change.old)
    let (entity, space) = (change.entity, reader.space)
    reader.state.buildDeferredTable(of: entity, in: space)
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
      // The slot that was freed last is the first one to be used.
      precondition(
        change.slot == .max || inverse.slot == change.slot,
        "slot \(change.slot) was restored as slot \(inverse.slot)")
    }
    var words = IndexWords()
    reindex(inverse, words: &words)
  }
}

extension StateReader {
  /// Returns whether the stored values that a row refers to exist and match their checksums.
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
        // A stored value cannot be in a transaction that has not been applied yet.
        guard
          value.sequence <= state.sequence.rawValue || PayloadLocator.isBase(value.sequence)
        else { return false }
        // If the previous row refers to the same value, the value was verified when that row was
        // applied.
        if old != .none, memory.storedValue(index, of: change.layout, in: old) == value {
          return true
        }
        return memory.checkedValues.hold(value, in: memory)
      }
      let range = Int(value.offset)..<Int(value.offset) + Int(value.length)
      // An empty range counts as contained at any position.
      return section.lowerBound <= range.lowerBound && range.upperBound <= section.upperBound
        && XXH64.checksum(bytes.extracting(range), seed: 0) == value.checksum
    }
  }
}

/// A payload that is being applied, and the changes that were found in it.
private struct PayloadFold {
  var payload: PayloadReader
  /// The location of the payload.
  let location: RowLocation
  var changes: [RowChange] = []
  var rules = TransactionRules()
  var words = IndexWords()
  /// The memory for inserts that are applied together. It becomes nil when such a group is not
  /// applied.
  /// The remaining changes are then applied one at a time, to find the invalid one.
  var run: InsertRun? = InsertRun()

  init(_ payload: PayloadReader, at location: RowLocation) {
    self.payload = payload
    self.location = location
  }
}

/// The effect of one change on the state: the row of one record before and after.
///
/// Applied forward it makes the change, and applied backward it undoes the change.
package struct RowChange: Hashable, Sendable {
  package var kind: ChangeKind
  /// The index of the entity in the catalog.
  package var entity: Int
  /// The record's slot; `UInt32.max` in a transaction that was read but not applied.
  package var slot: UInt32
  /// The location of the row before; none for an insert.
  package var old: RowLocation
  /// The location of the row after; none for a delete.
  package var new: RowLocation
  package var creation: UInt64
  /// The attributes that an update changes; all attributes if they are not known.
  package var changed = AttributeBits.all
}

/// Consecutive inserts of one entity in a payload, which are applied at once.
struct InsertRun {
  var identifiers = IdentifierWords()
  /// The location of each row, and its creation number.
  var rows: [PagePair] = []

  var count: Int { rows.count }

  mutating func removeAll() {
    identifiers.removeAll()
    rows.removeAll(keepingCapacity: true)
  }
}
