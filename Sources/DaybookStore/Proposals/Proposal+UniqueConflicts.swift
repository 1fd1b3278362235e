/// A policy for new records that are in conflict with existing records.
///
/// Two records are in conflict if they have the same values of a list that the schema declares with
/// ``RecordSchema/unique(_:)``. If a value is missing, the list is not compared. The store applies
/// the policy when a save gets its transaction number, so it compares records that other writers
/// have saved in the meantime too. If two new records of one save are in conflict, the earlier one
/// counts as the existing record.
///
/// The same save can also set references to the record that does not remain. They are changed to
/// the record that remains.
///
/// The save throws `validation` if the policy cannot resolve a conflict:
///
/// - A new record is in conflict with several records. The policy ``replace`` deletes all of them
///   instead.
/// - An update gives a record the values of a different record. The policy ``replace`` deletes the
///   other record instead, unless the same save has given it these values.
/// - A delete rule denies the deletion of a replaced record.
public enum UniqueConflictPolicy: Hashable, Sendable {
  /// The save throws ``StoreError`` with `validation`, and nothing is saved.
  case refuse
  /// A new record in conflict is not saved, and the existing record stays as it is.
  case skip
  /// The existing record is updated, and keeps its identifier and its creation number.
  ///
  /// It takes the values of all attributes that a record type of the program names, and keeps all
  /// other values. If only some types of an entity name an attribute, and the new record has its
  /// default, the existing value is kept.
  case update
  /// The existing record is deleted, and the new record is saved.
  case replace
}

extension Proposal {
  /// Returns the proposal after the delete rules and the policy for unique conflicts; nil if they
  /// change nothing.
  ///
  /// The delete rules are applied first, so that no record is merged into a record that they
  /// delete.
  func prepared(on now: borrowing StateReader) -> Proposal? {
    guard isChecked else { return nil }
    guard let completed = self.completed(on: now) else { return resolved(on: now) }
    guard let resolved = completed.resolved(on: now) else { return completed }
    return resolved
  }

  /// Returns whether saving the proposal would leave a state as it is.
  func changesNothing(on now: borrowing StateReader) -> Bool {
    let merge = Merge(self, onto: now)
    guard merge.conflicts.isEmpty else { return false }
    if merge.isNothing { return true }
    let prepared =
      switch merge.other {
      case let other?: other.prepared(on: now)
      case nil: self.prepared(on: now)
      }
    return prepared.isNothing
  }

  /// Returns the proposal after its policy for unique conflicts; nil if the policy changes nothing.
  /// Conflicts that the policy does not resolve remain, and ``refusal(on:)`` reports them.
  private func resolved(on now: borrowing StateReader) -> Proposal? {
    guard uniquePolicy != .refuse, !repeated(on: now).isEmpty else { return nil }
    var resolution = UniqueResolution(self)
    // A reference can be a member of a unique list. So a reference that is changed to a remaining
    // record can cause another conflict. Each repetition has fewer records, so the loop ends.
    repeat { resolution.resolveConflicts(on: now) } while resolution.moveReferences(on: now)
    let (replaced, dropped) = (resolution.replaced, resolution.dropped)
    let resolved = resolution.finish(on: now)
    guard let completed = resolved.completed(on: now, replacing: replaced, dropping: dropped) else {
      return resolved
    }
    return completed
  }
}

extension Proposal? {
  /// A Boolean value that indicates whether the proposal exists and has no changes.
  var isNothing: Bool {
    switch self {
    case let proposal?: proposal.changes.isEmpty
    case nil: false
    }
  }
}

/// Resolves the unique conflicts of a proposal.
///
/// A record is *existing* if the store contains it, and *new* otherwise. The resolution starts with
/// all changes of existing records, and then adds the new records one after another, in the order
/// of their creation.
private struct UniqueResolution: ~Copyable {
  private var proposal: Proposal
  /// The positions of the changes, by their records.
  private var indexes: [EntityKey: Int] = [:]
  /// The existing records to delete, in the order of their replacement.
  private(set) var replaced: [EntityKey] = []
  /// For each record that does not remain, the record that remains instead of it. After a later
  /// conflict, that record may have a successor too.
  private var successors: [EntityKey: EntityKey] = [:]
  /// The records that the proposal changes and that remain, by their unique values.
  private var holders: [UniqueValues: [EntityKey]] = [:]
  /// The positions of the updates whose rows the resolution has changed.
  private var changedIndexes: Set<Int> = []

  init(_ proposal: borrowing Proposal) {
    self.proposal = proposal.copied(with: proposal.changes)
    for (index, change) in proposal.changes.enumerated() {
      indexes[EntityKey(change.entity, id: change.id)] = index
    }
  }

  /// The new records that do not remain, with their rows.
  var dropped: [(key: EntityKey, row: [UInt8])] {
    proposal.changes.indices.filter {
      proposal.changes[$0].kind == .insert && successors[key(of: $0)] != nil
    }.map { (key(of: $0), row(at: $0)) }
  }

  /// Returns the proposal without the new records that do not remain.
  consuming func finish(on now: borrowing StateReader) -> Proposal {
    var changes: [Proposal.Change] = []
    for index in proposal.changes.indices {
      var change = proposal.changes[index]
      if change.kind == .insert, successors[key(of: index)] != nil { continue }
      if changedIndexes.contains(index) {
        change.changed = differences(of: change, on: now)
        if change.changed.isEmpty { continue }
      }
      changes.append(change)
    }
    return proposal.copied(with: changes)
  }

  // MARK: Conflicts

  /// Applies the policy to each conflict that it can resolve.
  mutating func resolveConflicts(on now: borrowing StateReader) {
    holders = [:]
    let updated = remaining(.update)
    for index in updated { hold(index, on: now) }
    if proposal.uniquePolicy == .replace {
      for index in updated where successors[key(of: index)] == nil {
        replaceEarlierHolders(ofValuesAt: index, on: now)
      }
    }
    for index in remaining(.insert) { add(index, on: now) }
  }

  private func remaining(_ kind: ChangeKind) -> [Int] {
    proposal.changes.indices.filter {
      proposal.changes[$0].kind == kind && successors[key(of: $0)] == nil
    }
  }

  /// Adds a new record to the records that remain, or applies the policy to its conflicts.
  private mutating func add(_ index: Int, on now: borrowing StateReader) {
    let key = key(of: index)
    let others = values(at: index, on: now).reduce(into: [EntityKey]()) { others, values in
      for other in records(with: values, at: index, on: now) where !others.contains(other) {
        others.append(other)
      }
    }
    guard let first = others.first else { return hold(index, on: now) }
    switch proposal.uniquePolicy {
    case .refuse: return
    case .skip, .update:
      // Several records have the values. None of them can be chosen, so the save is refused.
      guard others.count == 1 else { return }
      if proposal.uniquePolicy == .update { update(first, from: index, on: now) }
      successors[key] = first
    case .replace:
      for other in others { replace(other, by: key, on: now) }
      hold(index, on: now)
    }
  }

  /// Replaces existing records whose stored unique values are the new values of an updated record.
  private mutating func replaceEarlierHolders(
    ofValuesAt index: Int, on now: borrowing StateReader
  ) {
    let key = key(of: index)
    for values in values(at: index, on: now) where !isStored(values, of: key, on: now) {
      let others = records(with: values, at: index, on: now)
      guard others.allSatisfy({ isStored(values, of: $0, on: now) }) else { continue }
      for other in others { replace(other, by: key, on: now) }
    }
  }

  private mutating func replace(
    _ key: EntityKey, by successor: EntityKey, on now: borrowing StateReader
  ) {
    if let index = indexes[key] { release(index, on: now) }
    successors[key] = successor
    if now.location(of: key) != .none { replaced.append(key) }
  }

  /// Gives a record the values of a new record.
  private mutating func update(
    _ key: EntityKey, from source: Int, on now: borrowing StateReader
  ) {
    let layout = now.catalog.newest(key.entity)
    let index = index(ofChangeOf: key, on: now)
    release(index, on: now)
    let (old, new) = (row(at: index), row(at: source))
    let taken = attributes(takenFrom: new, of: key.entity, catalog: now.catalog)
    set(
      layout.row(taken, of: new.span.bytes, andOthersOf: old.span.bytes, id: key.id), at: index,
      changing: taken)
    hold(index, on: now)
  }

  /// Returns the position of the change of a record. If the proposal does not change the record,
  /// adds an update without changed attributes.
  private mutating func index(ofChangeOf key: EntityKey, on now: borrowing StateReader) -> Int {
    if let index = indexes[key] { return index }
    let index = proposal.changes.count
    let attributeCount = now.catalog.newest(key.entity).fields.count
    proposal.changes.append(
      Proposal.Change(
        .update, entity: key.entity, id: key.id, base: now.location(of: key),
        changed: AttributeSet(count: attributeCount)))
    indexes[key] = index
    let stored = now.newestRow(at: proposal.changes[index].base, of: key.entity)
    set(stored, at: index, changing: AttributeSet(count: attributeCount))
    return index
  }

  /// Returns the attributes whose values an existing record takes from a new one.
  private func attributes(
    takenFrom row: [UInt8], of entity: Int, catalog: Catalog
  ) -> AttributeSet {
    let layout = catalog.newest(entity)
    var taken = AttributeSet(count: layout.fields.count)
    for (index, attribute) in layout.entity.attributes.enumerated() {
      if catalog.types.allName(attribute.name, of: layout.entity.name) {
        taken.insert(index)
        continue
      }
      // A type that does not name the attribute may have created the record.
      var value: AttributeValue?
      if let range = layout.range(of: index, in: row.span.bytes) {
        value = AttributeValue(attribute.type, bytes: row.span.bytes.extracting(range))
      }
      if value ?? .null != attribute.defaultValue { taken.insert(index) }
    }
    return taken
  }

  // MARK: Unique values

  /// Returns the values of all unique lists in the row of a change.
  private func values(at index: Int, on now: borrowing StateReader) -> [UniqueValues] {
    let (entity, row) = (proposal.changes[index].entity, row(at: index))
    return now.catalog.newest(entity).entity.unique.indices.compactMap {
      UniqueValues(ofList: $0, in: row.span.bytes, entity: entity, catalog: now.catalog)
    }
  }

  private mutating func hold(_ index: Int, on now: borrowing StateReader) {
    let key = key(of: index)
    for values in values(at: index, on: now) { holders[values, default: []].append(key) }
  }

  private mutating func release(_ index: Int, on now: borrowing StateReader) {
    let key = key(of: index)
    for values in values(at: index, on: now) { holders[values]?.removeAll { $0 == key } }
  }

  /// Returns the remaining records that have the same unique values as the row of a change, except
  /// the record of the change, sorted by their identifiers.
  private func records(
    with values: UniqueValues, at index: Int, on now: borrowing StateReader
  ) -> [EntityKey] {
    let (key, row) = (key(of: index), row(at: index))
    var records = holders[values, default: []].filter { $0 != key }
    for slot in now.slots(withSameValuesAs: row.span.bytes, of: key.entity, list: values.list) {
      let other = EntityKey(key.entity, id: now.identifier(ofSlot: slot, in: key.entity))
      // The rows of changed records replace their stored rows.
      if indexes[other] == nil, successors[other] == nil { records.append(other) }
    }
    // The order of slots depends on the history of the store.
    return records.sorted { $0.id.isOrdered(before: $1.id) }
  }

  /// Returns whether the store contains a record with given unique values.
  private func isStored(
    _ values: UniqueValues, of key: EntityKey, on now: borrowing StateReader
  ) -> Bool {
    guard let row = now.newestRow(of: key) else { return false }
    return values
      == UniqueValues(
        ofList: values.list, in: row.span.bytes, entity: key.entity, catalog: now.catalog)
  }

  // MARK: References

  /// Moves the references that the proposal sets from records that do not remain to the records
  /// that remain instead.
  ///
  /// - Returns: Whether any reference was moved.
  mutating func moveReferences(on now: borrowing StateReader) -> Bool {
    guard !successors.isEmpty else { return false }
    var hasMoved = false
    for index in remaining(.update) + remaining(.insert) {
      for reference in now.catalog.references(of: proposal.changes[index].entity)
      where proposal.isSet(reference.attribute, by: index) {
        if move(reference, at: index, on: now) { hasMoved = true }
      }
    }
    return hasMoved
  }

  private mutating func move(
    _ reference: ReferenceAttribute, at index: Int, on now: borrowing StateReader
  ) -> Bool {
    let change = proposal.changes[index]
    guard let entity = now.catalog.index(of: reference.target.entity) else { return false }
    let targets = proposal.targets(of: reference, in: change, now.catalog)
    var moved: [RecordIdentifier] = []
    for id in targets {
      let last = lastSuccessor(of: EntityKey(entity, id: id))?.id
      // An array that contains the remaining record already does not contain it twice.
      if let last, targets.contains(last) || moved.contains(last) { continue }
      moved.append(last ?? id)
    }
    guard moved != targets else { return false }
    let value: AttributeValue =
      reference.isArray
      ? .array(moved.map { .reference($0) }) : moved.first.map { .reference($0) } ?? .null
    let (layout, row) = (now.catalog.newest(change.entity), row(at: index))
    var changed = AttributeSet(count: layout.fields.count)
    changed.insert(reference.attribute)
    set(
      layout.row(row.span.bytes, setting: reference.attribute, to: value, id: change.id),
      at: index, changing: changed)
    return true
  }

  private func lastSuccessor(of key: EntityKey) -> EntityKey? {
    guard var last = successors[key] else { return nil }
    while let next = successors[last] { last = next }
    return last
  }

  // MARK: Rows

  private func key(of index: Int) -> EntityKey {
    EntityKey(proposal.changes[index].entity, id: proposal.changes[index].id)
  }

  private func row(at index: Int) -> [UInt8] {
    Array(proposal.rows.bytes[proposal.changes[index].row])
  }

  /// Sets the row of a change, which has new values of some attributes. The row may get its stored
  /// values again, so ``finish(on:)`` compares it.
  private mutating func set(_ row: [UInt8], at index: Int, changing attributes: AttributeSet) {
    let start = proposal.rows.count
    proposal.rows.append(row)
    proposal.changes[index].row = start..<proposal.rows.count
    guard proposal.changes[index].kind == .update else { return }
    changedIndexes.insert(index)
    proposal.changes[index].changed.formUnion(attributes)
  }

  /// Returns the attributes that an update changes and whose values differ from the stored ones.
  private func differences(of change: Proposal.Change, on now: borrowing StateReader)
    -> AttributeSet
  {
    let layout = now.catalog.newest(change.entity)
    let stored = now.newestRow(at: change.base, of: change.entity)
    let row = proposal.rows.bytes.span.bytes.extracting(change.row)
    var differences = AttributeSet(count: layout.fields.count)
    for attribute in layout.fields.indices
    where change.changed.contains(attribute)
      && !layout.isEqual(attribute, in: row, and: stored.span.bytes)
    {
      differences.insert(attribute)
    }
    return differences
  }
}
