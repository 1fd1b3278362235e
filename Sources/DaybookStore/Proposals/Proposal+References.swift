import DaybookJournal

/// The violations of guarded references by a proposal. A guarded reference must point to a record
/// that exists when a change sets it.
struct ReferenceCheck {
  /// The problems. Either the proposal sets a reference to a record that does not exist. Or it
  /// deletes a record that a reference points to, and the reference is required or has the rule
  /// `deny`.
  var problems: [ValidationProblem] = []
  /// Deletions of records that a checked reference with the rule `nullify` points to. A second
  /// writer has set the reference, and the program did not know of it. After a merge, the program
  /// can delete the record again. The delete rule then removes the reference.
  var conflicts: [ConflictingChange] = []
}

extension Proposal {
  /// Returns the reason why the proposal cannot be saved: repeated values of unique lists,
  /// references without a target, or denied deletions. Returns nil if it can be saved.
  func refusal(on now: borrowing StateReader) -> StoreError.Reason? {
    let references = checkReferences(on: now)
    let problems = repeated(on: now) + references.problems + denials(on: now)
    if !problems.isEmpty { return .validation(problems) }
    return references.conflicts.isEmpty ? nil : .conflict(references.conflicts)
  }

  /// Checks the guarded references that the proposal sets, and the references to records that it
  /// deletes.
  ///
  /// A reference that the proposal does not change is not checked, even if its target does not
  /// exist.
  ///
  /// - Complexity: O(*k* log *n* + *r*). Here *k* is the number of changes of entities with guarded
  ///   references. *r* is the number of references to the deleted records of entities that guarded
  ///   references point to.
  func checkReferences(on now: borrowing StateReader) -> ReferenceCheck {
    var check = ReferenceCheck()
    guard now.catalog.hasGuardedReferences else { return check }
    var indexes = ChangeIndexes(hasDeletions: changes.contains { $0.kind == .delete })
    for index in changes.indices {
      let entity = changes[index].entity
      if changes[index].kind == .delete {
        let guards = now.catalog.guardedReferences(to: entity)
        if guards.isEmpty { continue }
        checkDeletion(at: index, guards: guards, indexes: &indexes, on: now, into: &check)
      } else {
        guard now.catalog.hasGuardedReferences(entity) else { continue }
        for reference in now.catalog.references(of: entity)
        where reference.isGuarded && isSet(reference.attribute, by: index) {
          checkTargets(of: reference, at: index, indexes: &indexes, on: now, into: &check)
        }
      }
    }
    return check
  }

  func isSet(_ attribute: Int, by index: Int) -> Bool {
    changes[index].kind == .insert || changes[index].changed.contains(attribute)
  }

  /// The positions of the changes, by their records. The dictionary is built at the first lookup,
  /// because most proposals refer only to records of the state and need no lookup.
  private struct ChangeIndexes {
    let hasDeletions: Bool
    var indexes: [EntityKey: Int]?
  }

  /// Returns the position of the change of a record; nil if the proposal does not change it.
  private func changeIndex(of key: EntityKey, _ known: inout ChangeIndexes) -> Int? {
    if let indexes = known.indexes { return indexes[key] }
    var indexes: [EntityKey: Int] = [:]
    for (index, change) in changes.enumerated() {
      indexes[EntityKey(change.entity, id: change.id)] = index
    }
    known.indexes = indexes
    return indexes[key]
  }

  // MARK: References that are set

  private func checkTargets(
    of reference: ReferenceAttribute, at index: Int, indexes: inout ChangeIndexes,
    on now: borrowing StateReader, into check: inout ReferenceCheck
  ) {
    let change = changes[index]
    let target = now.catalog.index(of: reference.target.entity)
    for id in targets(of: reference, in: change, now.catalog) {
      let hasTarget =
        target.map { exists(EntityKey($0, id: id), indexes: &indexes, on: now) } ?? false
      if hasTarget { continue }
      // In an array, only elements that the change has added are checked.
      if let target, change.kind == .update,
        changeIndex(of: EntityKey(target, id: id), &indexes) == nil,
        refers(change, by: reference, to: EntityKey(target, id: id), on: now)
      {
        continue
      }
      check.problems.append(
        ValidationProblem(
          entity: now.catalog.names[change.entity], id: change.id,
          kind: .noTarget(
            attribute: reference.name, entity: reference.target.entity, target: id)))
    }
  }

  /// Returns the identifiers of the targets of a reference in the new row of a change.
  func targets(
    of reference: ReferenceAttribute, in change: Change, _ catalog: Catalog
  ) -> [RecordIdentifier] {
    reference.targets(
      in: rows.bytes.span.bytes.extracting(change.row), of: catalog.newest(change.entity))
  }

  /// Returns whether a record will exist after the proposal is saved.
  private func exists(
    _ key: EntityKey, indexes: inout ChangeIndexes,
    on now: borrowing StateReader
  ) -> Bool {
    guard now.catalog.newest(key.entity).entity.identifierKind == key.id.kind else { return false }
    if now.location(of: IdentifierBytes(key.id), in: key.entity) == .none {
      return changeIndex(of: key, &indexes).map { changes[$0].kind != .delete } ?? false
    }
    return !indexes.hasDeletions
      || (changeIndex(of: key, &indexes).map { changes[$0].kind != .delete } ?? true)
  }

  /// Returns whether a change's record refers to a target in the state, that is, before the
  /// proposal.
  private func refers(
    _ change: Change, by reference: ReferenceAttribute, to target: EntityKey,
    on now: borrowing StateReader
  ) -> Bool {
    let referrer = Referrer(
      key: EntityKey(change.entity, id: change.id), attribute: reference.attribute)
    return now.referrers(to: target).contains(referrer)
  }

  // MARK: Records that are deleted

  private func checkDeletion(
    at index: Int, guards: [ReferenceAttribute], indexes: inout ChangeIndexes,
    on now: borrowing StateReader, into check: inout ReferenceCheck
  ) {
    let deleted = changes[index]
    let unchanged = deleted.deletion?.unchangedReferrers ?? []
    var referrers: [(referrer: Referrer, reference: ReferenceAttribute)] = []
    for referrer in now.referrers(to: key(of: index)) where !unchanged.contains(referrer) {
      let reference = guards.first {
        $0.entity == referrer.key.entity && $0.attribute == referrer.attribute
      }
      guard let reference, reference.isRequired || reference.targetDeleteRule != .keep else {
        continue
      }
      // The rule `cascade` deletes the referring record too, so nothing is wrong.
      // ``completed(on:)`` adds that deletion.
      if reference.targetDeleteRule == .cascade { continue }
      // A referring record that the proposal deletes is skipped. A reference that the proposal sets
      // is skipped too, because `checkTargets` checks it.
      let own = changeIndex(of: referrer.key, &indexes)
      if let own, changes[own].kind == .delete || isSet(referrer.attribute, by: own) { continue }
      referrers.append((referrer, reference))
    }
    let denying = referrers.filter(\.reference.deniesDeletion)
    let first = (denying.isEmpty ? referrers : denying).min {
      Referrer.isOrdered($0.referrer, before: $1.referrer)
    }
    guard let (first, reference) = first else { return }
    let key = first.key
    let (entity, referrer) = (now.catalog.names[deleted.entity], now.catalog.names[key.entity])
    if reference.deniesDeletion {
      check.problems.append(
        ValidationProblem(
          entity: entity, id: deleted.id,
          kind: .stillReferenced(entity: referrer, id: key.id, attribute: reference.name)))
    } else {
      check.conflicts.append(
        ConflictingChange(
          entity: entity, id: deleted.id,
          kind: .referenced(entity: referrer, id: key.id, attribute: reference.name)))
    }
  }
}
