extension Proposal {
  /// Returns the proposal with the changes that the delete rules require in a state; nil if the
  /// rules require no further change.
  ///
  /// A context applies the rules at each deletion; see ``DeleteRules``. Since then, other writers
  /// may have saved records that the rules also concern:
  ///
  /// - A record that a rule has deleted with its owner is not deleted, if it has a new owner.
  /// - A reference to a deleted record is removed, and its record is deleted, as the rules require.
  ///   If the reference is checked, and the program itself deletes the record, this is a conflict
  ///   instead; see ``checkReferences(on:)``.
  ///
  /// The method does not change references that the proposal sets, with one exception. If only a
  /// rule deletes the target, and the reference has the rule `nullify` and is not checked, it is
  /// removed. A checked reference to a deleted record stays, so that ``checkReferences(on:)``
  /// refuses the proposal.
  ///
  /// - Parameters:
  ///   - replaced: The records that the proposal replaces. They are deleted as by a rule.
  ///   - dropped: The new records that the proposal does not insert, with their rows. New records
  ///     that they own are not inserted either.
  /// - Complexity: O(*d* log *n* + *r*), where *d* is the number of deletions, and *r* the number
  ///   of references to deleted records
  func completed(
    on now: borrowing StateReader, replacing replaced: [EntityKey] = [],
    dropping dropped: [(key: EntityKey, row: [UInt8])] = []
  ) -> Proposal? {
    let mayDelete =
      now.state.references.count > 0
      && changes.contains(where: { $0.kind == .delete || $0.deletion != nil })
    guard mayDelete || !replaced.isEmpty || !dropped.isEmpty else { return nil }
    var indexes: [EntityKey: Int] = [:]
    for index in changes.indices { indexes[key(of: index)] = index }
    let returned = returnedIndexes(indexes, on: now)
    var rules = DeleteRules(now.catalog)
    for index in changes.indices where !returned.contains(index) {
      // If the proposal itself has taken a record from a further owner, the context knew of it.
      let shared = changes[index].deletion?.shared.filter { record in
        record.owners.isEmpty
          || record.owners.contains { owner in
            indexes[owner.key].map {
              changes[$0].kind == .update && !isSet(owner.attribute, by: $0)
            } ?? true
          }
      }
      if changes[index].kind == .delete {
        rules.delete(
          key(of: index), cause: changes[index].deletion?.cause ?? .program,
          owned: shared?.map(\.key) ?? [])
      } else {
        // The record was deleted and inserted again.
        rules.examine(shared?.map(\.key) ?? [])
      }
    }
    let given = Set(rules.deleted.map(\.key))
    for key in replaced {
      rules.delete(key, from: row(of: key, at: indexes, on: now), cause: .target)
    }
    // References to these records lead to the records that remain instead.
    let withoutReferrers = Set(dropped.map(\.key))
    for (key, row) in dropped {
      let owned = now.catalog.owned(by: row, of: key.entity).filter {
        indexes[$0].map { changes[$0].kind == .insert } ?? false
      }
      rules.delete(key, cause: .target, owned: owned)
    }
    /// The references that the proposal sets, by their targets; nil until a rule needs them.
    var setReferrers: [EntityKey: [Referrer]]?
    rules.apply { key in
      returned.contains(indexes[key] ?? -1)
        ? now.newestRow(of: key) : self.row(of: key, at: indexes, on: now)
    } referrers: { key in
      let stored = now.referrers(to: key).filter { referrer in
        guard let index = indexes[referrer.key], !returned.contains(index) else { return true }
        return changes[index].kind == .update && !isSet(referrer.attribute, by: index)
      }
      if given.contains(key) { return stored }
      let own = setReferrers ?? self.setReferrers(now.catalog)
      setReferrers = own
      return stored + (own[key] ?? [])
    } effect: { reference, referrer, deleted in
      if withoutReferrers.contains(deleted.key) { return nil }
      let isGiven = given.contains(deleted.key)
      if let index = indexes[referrer.key], !returned.contains(index),
        isSet(reference.attribute, by: index)
      {
        return reference.effect == .clear && !reference.isGuarded ? .clear : nil
      }
      guard isGiven, let index = indexes[deleted.key] else { return reference.effect }
      if reference.effect == .clear, reference.isGuarded { return nil }
      return changes[index].deletion?.unchangedReferrers.contains(referrer) == true
        ? nil : reference.effect
    }
    if returned.isEmpty, rules.deleted.count == given.count + dropped.count, rules.cleared.isEmpty {
      return nil
    }
    return applying(rules, after: given, at: indexes, without: returned, on: now)
  }

  /// Returns the record of a change.
  func key(of index: Int) -> EntityKey { EntityKey(changes[index].entity, id: changes[index].id) }

  /// Returns the row of a record after the proposal; nil if it does not exist then.
  private func row(
    of key: EntityKey, at indexes: [EntityKey: Int], on now: borrowing StateReader
  ) -> [UInt8]? {
    guard let index = indexes[key] else { return now.newestRow(of: key) }
    return changes[index].kind == .delete ? nil : Array(rows.bytes[changes[index].row])
  }

  /// Returns the positions of the deletions that are not made: a rule has deleted a record with its
  /// owner, and a different writer has given the record to a further owner.
  ///
  /// A record that stays can own others, or be the target of a reference with the rule `cascade`.
  /// The records that a rule has deleted with it stay too.
  private func returnedIndexes(
    _ indexes: [EntityKey: Int], on now: borrowing StateReader
  ) -> Set<Int> {
    var returned: Set<Int> = []
    guard changes.contains(where: { $0.deletion?.cause == .owner }) else { return returned }
    var isDone = false
    while !isDone {
      isDone = true
      for index in changes.indices where !returned.contains(index) {
        let stays =
          switch changes[index].deletion?.cause {
          case .owner: isOwned(index, at: indexes, returned: returned, on: now)
          case .target: leadsOnlyToReturned(index, at: indexes, returned: returned, on: now)
          case .program, .inverse, nil: false
          }
        if stays, returned.insert(index).inserted { isDone = false }
      }
    }
    return returned
  }

  /// Returns whether a record of the state owns a deleted record after the proposal.
  private func isOwned(
    _ index: Int, at indexes: [EntityKey: Int], returned: Set<Int>,
    on now: borrowing StateReader
  ) -> Bool {
    now.referrers(to: key(of: index)).contains { referrer in
      let reference = now.catalog.reference(referrer.attribute, of: referrer.key.entity)
      guard reference?.ownDeleteRule == .cascade, referrer.key != key(of: index) else {
        return false
      }
      guard let referrerIndex = indexes[referrer.key] else { return true }
      return changes[referrerIndex].kind == .delete
        ? returned.contains(referrerIndex) : !isSet(referrer.attribute, by: referrerIndex)
    }
  }

  /// Returns whether the references with the rule `cascade` of a deleted record lead to a record
  /// that stays, and to no deleted one.
  private func leadsOnlyToReturned(
    _ index: Int, at indexes: [EntityKey: Int], returned: Set<Int>,
    on now: borrowing StateReader
  ) -> Bool {
    guard !returned.isEmpty, let row = now.newestRow(of: key(of: index)) else { return false }
    let (catalog, entity) = (now.catalog, changes[index].entity)
    var isLed = false
    for reference in catalog.references(of: entity) where reference.targetDeleteRule == .cascade {
      guard let target = catalog.index(of: reference.target.entity) else { continue }
      for id in reference.targets(in: row.span.bytes, of: catalog.newest(entity)) {
        guard let targetIndex = indexes[EntityKey(target, id: id)],
          changes[targetIndex].kind == .delete
        else {
          continue
        }
        guard returned.contains(targetIndex) else { return false }
        isLed = true
      }
    }
    return isLed
  }

  /// Returns the references that the proposal sets, by their targets, in the order of the changes.
  private func setReferrers(_ catalog: Catalog) -> [EntityKey: [Referrer]] {
    var referrers: [EntityKey: [Referrer]] = [:]
    for (index, change) in changes.enumerated() where change.kind != .delete {
      for reference in catalog.references(of: change.entity)
      where isSet(reference.attribute, by: index) {
        guard let entity = catalog.index(of: reference.target.entity) else { continue }
        for id in Set(targets(of: reference, in: change, catalog)) {
          referrers[EntityKey(entity, id: id), default: []].append(
            Referrer(key: key(of: index), attribute: reference.attribute))
        }
      }
    }
    return referrers
  }

  /// Returns a copy of the proposal with the effects of the delete rules.
  ///
  /// - Parameters:
  ///   - given: The records that the proposal deletes itself.
  ///   - returned: The positions of the deletions that are not made.
  private func applying(
    _ rules: DeleteRules, after given: Set<EntityKey>, at indexes: [EntityKey: Int],
    without returned: Set<Int>, on now: borrowing StateReader
  ) -> Proposal {
    var other = copied(with: changes)
    var indexes = indexes
    var dropped = returned
    for index in returned { indexes[key(of: index)] = nil }
    for deleted in rules.deleted where !given.contains(deleted.key) {
      var deletion = Change(deleting: deleted.key, base: now.location(of: deleted.key))
      if let index = indexes[deleted.key] {
        // The rule `deny` of what the record owns reads the row of the proposal, not the stored
        // row.
        if other.changes[index].kind == .update {
          let row = Array(other.rows.bytes[other.changes[index].row])
          deletion.deletion = Deletion(cause: .program, row: row)
        }
        other.changes[index] = deletion
        // The state does not contain the record, so its insert is removed and no deletion is
        // needed.
        if deletion.base == .none { dropped.insert(index) }
      } else if deletion.base != .none {
        indexes[deleted.key] = other.changes.count
        other.changes.append(deletion)
      }
    }
    for (referrer, target) in rules.cleared where !rules.isDeleted(referrer.key) {
      let key = referrer.key
      let layout = now.catalog.newest(key.entity)
      let row =
        indexes[key].map { Array(other.rows.bytes[other.changes[$0].row]) }
        ?? now.newestRow(of: key)
      guard let row, let reference = now.catalog.reference(referrer.attribute, of: key.entity),
        let cleared = reference.row(row, of: layout, without: target, id: key.id)
      else { continue }
      let start = other.rows.count
      other.rows.append(cleared)
      let index = indexes[key] ?? other.changes.count
      if index == other.changes.count {
        indexes[key] = index
        other.changes.append(
          Change(
            .update, entity: key.entity, id: key.id, base: now.location(of: key),
            changed: AttributeSet(count: layout.fields.count)))
      }
      other.changes[index].row = start..<other.rows.count
      // An insert has no set of changed attributes, because it sets all of them.
      if other.changes[index].kind == .update {
        other.changes[index].changed.insert(reference.attribute)
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
      let key = key(of: index)
      guard catalog.references(of: key.entity).contains(where: { $0.ownDeleteRule == .deny }),
        let row = changes[index].deletion?.row ?? now.newestRow(of: key)
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
