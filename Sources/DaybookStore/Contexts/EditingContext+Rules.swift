extension EditingContext {
  // MARK: At a deletion

  /// Deletes a record, and changes and deletes others as the delete rules require. All these
  /// changes are pending.
  ///
  /// A rule `deny` and a required reference are checked at the save instead, because the referring
  /// record may be changed or deleted before the save.
  ///
  /// - Parameters:
  ///   - row: The row before the deletion.
  ///   - visible: The shown record; nil if the record has a pending change.
  func delete(_ key: EntityKey, from row: [UInt8], visible: ContextView.Visible?) {
    guard view.catalog.hasDeleteRules(key.entity) else {
      return set(key, from: row, to: nil, visible: visible)
    }
    var rules = DeleteRules(view.catalog)
    rules.delete(key, from: row, cause: .program)
    rules.apply(row: currentRow, referrers: currentReferrers) { reference, _, _ in reference.effect
    }
    for deleted in rules.deleted { delete(deleted) }
    clear(rules)
  }

  /// Applies the delete rules to the records that an undo or a redo has deleted. The references
  /// that were there before the undone changes stay, and so do the references that the undo sets.
  ///
  /// - Parameters:
  ///   - inverse: The changes of the undo. The pending rows are these changes.
  ///   - referrers: The references that were there before, by their targets.
  func applyDeleteRules(
    to inverse: InverseChanges, keeping referrers: [EntityKey: Set<Referrer>]
  ) {
    var rules = DeleteRules(view.catalog)
    for key in inverse.deletedKeys where view.catalog.hasDeleteRules(key.entity) {
      rules.delete(key, cause: .inverse, owned: [])
    }
    let count = rules.deleted.count
    if count == 0 { return }
    rules.apply(row: currentRow, referrers: currentReferrers) { reference, referrer, deleted in
      let target = deleted.key
      let isUnchanged =
        deleted.cause == .inverse
        && (referrers[target]?.contains(referrer) == true || inverse.row(referrer.key) != nil)
      return isUnchanged ? nil : reference.effect
    }
    for deleted in rules.deleted[count...] { delete(deleted) }
    clear(rules)
  }

  private func delete(_ deleted: DeleteRules.Deleted) {
    let (row, visible) = current(deleted.key)
    guard let row else { return }
    // Other writers cannot change an owner that is not saved yet.
    let shared = deleted.shared.compactMap { record -> SharedRecord? in
      let owners = record.owners.filter { view.base.reader.location(of: $0.key) != .none }
      return owners.isEmpty ? nil : SharedRecord(key: record.key, owners: owners)
    }
    set(
      deleted.key, from: row, to: nil, visible: visible,
      deletion: Deletion(
        cause: deleted.cause, row: view.catalog.isOwner(deleted.key.entity) ? row : nil,
        shared: shared))
  }

  /// Removes the references that the rules remove.
  private func clear(_ rules: DeleteRules) {
    for (referrer, target) in rules.cleared where !rules.isDeleted(referrer.key) {
      let (key, entity) = (referrer.key, referrer.key.entity)
      let (row, visible) = current(key)
      guard let row, let reference = view.catalog.reference(referrer.attribute, of: entity),
        let cleared = reference.row(
          row, of: view.catalog.newest(entity), without: target, id: key.id)
      else { continue }
      set(key, from: row, to: cleared, visible: visible)
    }
  }

  /// Returns whether delete rules apply to the deletion of a record.
  package func hasDeleteRules(_ entity: String) -> Bool {
    view.catalog.index(of: entity).map { view.catalog.hasDeleteRules($0) } ?? false
  }

  /// Returns whether a rule has deleted a record that the context has not saved yet.
  func isDeletedByRule(_ key: EntityKey) -> Bool {
    switch overlay.deletion(of: key)?.cause {
    case .owner, .target: true
    case .program, .inverse, nil: false
    }
  }

  /// Returns the current references to a record, pending changes included.
  func currentReferrers(to target: EntityKey) -> [Referrer] {
    let catalog = view.catalog
    var referrers = overlay.pendingKeys(referringTo: target) { draft in
      guard let row = draft.row else { return [] }
      return catalog.targets(ofRow: row, of: draft.key.entity)
    }.flatMap { key in
      currentRow(key).map { catalog.referrers(key, row: $0, to: target) } ?? []
    }
    for referrer in view.reader.referrers(to: target) {
      // A pending row replaces the shown row, and was searched above.
      if overlay.index(of: referrer.key, in: overlay.pending) == nil { referrers.append(referrer) }
    }
    return referrers
  }

  // MARK: Before a save

  /// Returns the problems of one draft that prevent a save: missing required values, values that
  /// would be dropped, or a denied deletion.
  ///
  /// - Parameter row: The row to save; nil if the record is deleted.
  func problems(of draft: Draft, row: [UInt8]?) -> [ValidationProblem] {
    guard let row else { return denied(draft) }
    return view.catalog.newest(draft.key.entity).missing(in: row.span.bytes, draft.key.id)
      + dropped(draft)
  }

  /// Returns a problem for each value that the save of an update would drop, because it has an
  /// earlier type of its attribute and no converter exists. The values of removed attributes may be
  /// dropped.
  private func dropped(_ draft: Draft) -> [ValidationProblem] {
    guard view.catalog.types.hasUnconverted else { return [] }
    let entity = view.catalog.newest(draft.key.entity).entity
    return view.unconvertedValues(at: draft.base, of: draft.key.entity).compactMap { value in
      let attribute = entity.attributes[value.attribute.index]
      guard !value.attribute.mayBeDropped else { return nil }
      return ValidationProblem(
        entity: entity.name, id: draft.key.id,
        kind: .converterMissing(
          attribute: attribute.name, from: value.type.name, to: attribute.type.name))
    }
  }

  /// Returns a problem for each reference of a deleted record that denies its deletion, because the
  /// target still exists. A record that was never saved can be deleted.
  private func denied(_ draft: Draft) -> [ValidationProblem] {
    guard draft.base != .none, let row = draft.deletion?.row else { return [] }
    return view.catalog.denials(ofDeleting: draft.key, row: row) { view.location($0) != .none }
  }
}
