extension Proposal {
  /// Returns the proposal with the changes that the delete rules require in a state; nil if the
  /// rules require no further change.
  ///
  /// A context applies the rules at its boundaries. After the last boundary, other writers may have
  /// saved records that the rules also concern. A record *owns* the target of a reference if the
  /// reference declares that its target is deleted with the record.
  ///
  /// - A record that a deleted record owns is deleted too.
  /// - A record with a reference to a deleted record is deleted too, if the reference has the rule
  ///   `cascade`.
  /// - A reference to a deleted record is removed, if it has the rule `nullify` and is not
  ///   required. If the reference is checked, and the program itself deletes the record, this is a
  ///   conflict instead; see ``checkReferences(on:)``.
  ///
  /// The method does not change references that the proposal sets, with one exception. If only a
  /// rule deletes the target, and the reference has the rule `nullify` and is not checked, it is
  /// removed. A checked reference to a deleted record stays, so that ``checkReferences(on:)``
  /// refuses the proposal.
  ///
  /// - Parameter replaced: The records that the proposal replaces. They are deleted as by a rule.
  /// - Complexity: O(*d* log *n* + *r*), where *d* is the number of deletions, and *r* the number
  ///   of references to deleted records
  func completed(
    on now: borrowing StateReader, replacing replaced: [EntityKey] = []
  ) -> Proposal? {
    let mayDelete =
      now.state.references.count > 0 && changes.contains(where: { $0.kind == .delete })
    guard mayDelete || !replaced.isEmpty else { return nil }
    var closure = DeleteClosure()
    for index in changes.indices {
      closure.places[EntityKey(changes[index].entity, id: changes[index].id)] = index
      if changes[index].kind == .delete {
        closure.deleted.append(EntityKey(changes[index].entity, id: changes[index].id))
      }
    }
    closure.proposedCount = closure.deleted.count
    closure.isDeleted = Set(closure.deleted)
    for key in replaced { closure.delete(key) }
    var next = 0
    while next < closure.deleted.count {
      // For deletions of the proposal, the context has deleted the owned records already.
      if next >= closure.proposedCount {
        addOwned(by: closure.deleted[next], to: &closure, on: now)
      }
      addReferrers(to: closure.deleted[next], at: next, to: &closure, on: now)
      if next >= closure.proposedCount {
        addReferrersInProposal(to: closure.deleted[next], to: &closure, on: now)
      }
      next += 1
    }
    if closure.deleted.count == closure.proposedCount, closure.cleared.isEmpty { return nil }
    return applying(closure, on: now)
  }

  /// The deletions of a proposal and of the delete rules, and the references that the rules remove.
  private struct DeleteClosure {
    /// The positions of the changes, by their records.
    var places: [EntityKey: Int] = [:]
    /// The deleted records: first those that the proposal deletes, then those that the rules
    /// delete.
    var deleted: [EntityKey] = []
    /// The number of deletions in the proposal.
    var proposedCount = 0
    var isDeleted: Set<EntityKey> = []
    /// The references to deleted records that the rules remove.
    var cleared: [(key: EntityKey, reference: ReferenceAttribute, target: EntityKey)] = []
    /// The references that the proposal sets and that a deletion of their targets removes, by their
    /// targets; nil until a rule needs them.
    var proposedReferrers: [EntityKey: [(key: EntityKey, reference: ReferenceAttribute)]]?

    mutating func delete(_ key: EntityKey) {
      if isDeleted.insert(key).inserted { deleted.append(key) }
    }
  }

  /// Deletes the records that a given record owns. A rule has deleted that record.
  private func addOwned(
    by key: EntityKey, to closure: inout DeleteClosure, on now: borrowing StateReader
  ) {
    let catalog = now.catalog
    let references = catalog.references(of: key.entity).filter { $0.ownDeleteRule == .cascade }
    guard !references.isEmpty else { return }
    let proposed = closure.places[key].map { Array(rows.bytes[changes[$0].row]) }
    guard let row = proposed ?? now.newestRow(of: key) else { return }
    for reference in references {
      guard let entity = catalog.index(of: reference.target.entity) else { continue }
      for id in reference.targets(in: row.span.bytes, of: catalog.newest(key.entity)) {
        let target = EntityKey(entity, id: id)
        if closure.places[target] != nil || now.location(of: target) != .none {
          closure.delete(target)
        }
      }
    }
  }

  /// Applies the delete rules of the references to a deleted record, for the records of the state.
  private func addReferrers(
    to key: EntityKey, at index: Int, to closure: inout DeleteClosure,
    on now: borrowing StateReader
  ) {
    let catalog = now.catalog
    var referrers: [(key: EntityKey, reference: ReferenceAttribute)] = []
    now.forEachReferrer(of: key) { entity, attribute, slot in
      guard let reference = catalog.reference(attribute, of: entity) else { return }
      referrers.append(
        (EntityKey(entity, id: now.identifier(ofSlot: slot, in: entity)), reference))
    }
    // The order of slots depends on the history of the store. The sort makes the order of the added
    // changes independent of it.
    referrers.sort {
      ($0.key.entity, "\($0.key.id)", $0.reference.attribute)
        < ($1.key.entity, "\($1.key.id)", $1.reference.attribute)
    }
    for (referrer, reference) in referrers where !closure.isDeleted.contains(referrer) {
      if let place = closure.places[referrer], isSet(reference.attribute, by: place) { continue }
      switch reference.targetDeleteRule {
      case .cascade: closure.delete(referrer)
      case .nullify where !reference.isRequired:
        if reference.isGuarded, index < closure.proposedCount { continue }
        closure.cleared.append((referrer, reference, key))
      case .nullify, .deny, .none: break
      }
    }
  }

  /// Removes references that the proposal sets to a record that a rule deletes. The context has set
  /// them without knowing of the deletion.
  private func addReferrersInProposal(
    to key: EntityKey, to closure: inout DeleteClosure, on now: borrowing StateReader
  ) {
    let referrers = closure.proposedReferrers ?? proposedReferrers(now.catalog)
    closure.proposedReferrers = referrers
    for (referrer, reference) in referrers[key] ?? [] {
      closure.cleared.append((referrer, reference, key))
    }
  }

  /// Returns the references that the proposal sets and that a deletion of their targets removes, by
  /// their targets, in the order of the changes.
  private func proposedReferrers(
    _ catalog: Catalog
  ) -> [EntityKey: [(key: EntityKey, reference: ReferenceAttribute)]] {
    var referrers: [EntityKey: [(key: EntityKey, reference: ReferenceAttribute)]] = [:]
    for (index, change) in changes.enumerated() where change.kind != .delete {
      for reference in catalog.references(of: change.entity)
      where reference.targetDeleteRule == .nullify && !reference.isGuarded
        && isSet(reference.attribute, by: index)
      {
        guard let entity = catalog.index(of: reference.target.entity) else { continue }
        for id in Set(targets(of: reference, in: change, catalog)) {
          referrers[EntityKey(entity, id: id), default: []].append(
            (EntityKey(change.entity, id: change.id), reference))
        }
      }
    }
    return referrers
  }

  /// Returns a copy of the proposal with the effects of the delete rules.
  private func applying(
    _ closure: DeleteClosure, on now: borrowing StateReader
  ) -> Proposal {
    var other = copied(with: changes)
    var places = closure.places
    var dropped: Set<Int> = []
    for key in closure.deleted[closure.proposedCount...] {
      let deletion = Change(
        .delete, entity: key.entity, id: key.id, base: now.location(of: key))
      if let place = places[key] {
        other.changes[place] = deletion
        // The state does not contain the record, so its insert is removed and no deletion is
        // needed.
        if deletion.base == .none { dropped.insert(place) }
      } else {
        places[key] = other.changes.count
        other.changes.append(deletion)
      }
    }
    for (key, reference, target) in closure.cleared where !closure.isDeleted.contains(key) {
      let layout = now.catalog.newest(key.entity)
      let row =
        places[key].map { Array(other.rows.bytes[other.changes[$0].row]) } ?? now.newestRow(of: key)
      guard let row,
        let cleared = reference.row(row, of: layout, without: target, id: key.id)
      else { continue }
      let start = other.rows.count
      other.rows.append(cleared)
      let place = places[key] ?? other.changes.count
      if place == other.changes.count {
        places[key] = place
        other.changes.append(
          Change(
            .update, entity: key.entity, id: key.id, base: now.location(of: key),
            changed: AttributeSet(count: layout.places.count)))
      }
      other.changes[place].row = start..<other.rows.count
      // An insert has no set of changed attributes, because it sets all of them.
      if other.changes[place].kind == .update {
        other.changes[place].changed.insert(reference.attribute)
      }
    }
    if !dropped.isEmpty {
      other.changes = other.changes.indices.filter { !dropped.contains($0) }.map {
        other.changes[$0]
      }
    }
    return other
  }

  /// Returns a problem for each reference of a deleted record that denies its deletion, because the
  /// target still exists.
  func denials(on now: borrowing StateReader) -> [ValidationProblem] {
    let catalog = now.catalog
    var problems: [ValidationProblem] = []
    for index in changes.indices where changes[index].kind == .delete {
      let key = EntityKey(changes[index].entity, id: changes[index].id)
      guard catalog.references(of: key.entity).contains(where: { $0.ownDeleteRule == .deny }),
        let row = now.newestRow(of: key)
      else { continue }
      problems += catalog.denials(ofDeleting: key, row: row) { target in
        guard
          let change = changes.first(where: { $0.entity == target.entity && $0.id == target.id })
        else { return now.location(of: target) != .none }
        return change.kind != .delete
      }
    }
    return problems
  }
}

extension StateReader {
  /// Returns the location of a record's row; `.none` if the record does not exist.
  func location(of key: EntityKey) -> RowLocation {
    // A reference may declare a different kind of identifiers than its target entity has. Then no
    // record has such an identifier.
    guard catalog.newest(key.entity).identifierKind == key.id.kind else { return .none }
    return location(of: IdentifierBytes(key.id), in: key.entity)
  }

  /// Returns the row of a record in the newest layout, with all its values; nil if the record does
  /// not exist.
  func newestRow(of key: EntityKey) -> [UInt8]? {
    let location = location(of: key)
    return location == .none ? nil : newestRow(at: location, of: key.entity)
  }
}
