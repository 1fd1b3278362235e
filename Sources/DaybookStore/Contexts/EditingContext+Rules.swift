extension EditingContext {
  // MARK: At the boundary

  /// Applies the delete rules of the deleted records, within the same boundary. Also applies the
  /// rules of the records that these rules delete.
  ///
  /// - A record that a deleted record owns is deleted too.
  /// - A record with a reference to a deleted record is deleted too, if the reference has the rule
  ///   `cascade`.
  /// - A reference to a deleted record is removed, if it has the rule `nullify` and is not
  ///   required.
  ///
  /// A record *owns* the target of a reference if the reference declares that its target is deleted
  /// with the record. A rule `deny` and a required reference are checked at the save instead,
  /// because the referring record may be changed or deleted before the save.
  func applyDeleteRules() {
    // Without references between records, no rule applies.
    guard overlay.pending.contains(where: { overlay.drafts[$0].row == nil }),
      view.reader.state.references.count > 0 || hasPendingReferences
    else { return }
    let pending = PendingReferrers(byTarget: pendingReferrers(), end: overlay.pending.upperBound)
    /// The deleted records, each with its row before the deletion. The loop appends the records
    /// that it deletes, so that it visits them too.
    var deleted: [(key: EntityKey, row: [UInt8]?)] = []
    for index in overlay.pending where overlay.drafts[index].row == nil {
      deleted.append((overlay.drafts[index].key, view.row(overlay.drafts[index].key)))
    }
    var next = 0
    while next < deleted.count {
      let (key, row) = deleted[next]
      next += 1
      if let row {
        for target in owned(by: row, of: key.entity) { delete(target, into: &deleted) }
      }
      for (referrer, reference) in referrers(to: key, pending: pending) {
        switch reference.targetDeleteRule {
        case .cascade: delete(referrer, into: &deleted)
        case .nullify where !reference.isRequired:
          clear(reference, of: referrer, referringTo: key)
        case .nullify, .deny, .none: break
        }
      }
    }
  }

  private func delete(
    _ key: EntityKey, into deleted: inout [(key: EntityKey, row: [UInt8]?)]
  ) {
    guard let row = currentRow(key) else { return }
    overlay.set(key, to: nil)
    deleted.append((key, row))
  }

  private func clear(
    _ reference: ReferenceAttribute, of key: EntityKey, referringTo target: EntityKey
  ) {
    guard let row = currentRow(key),
      let cleared = reference.row(
        row, of: view.catalog.newest(key.entity), without: target, id: key.id)
    else { return }
    overlay.set(key, to: cleared)
  }

  /// Returns the records that a record with a given row owns.
  private func owned(by row: [UInt8], of entity: Int) -> [EntityKey] {
    let layout = view.catalog.newest(entity)
    return view.catalog.references(of: entity).flatMap { reference -> [EntityKey] in
      guard reference.ownDeleteRule == .cascade,
        let target = view.catalog.index(of: reference.target.entity)
      else { return [] }
      return reference.targets(in: row.span.bytes, of: layout).map { EntityKey(target, id: $0) }
    }
  }

  /// A record, and its reference to a second record.
  private typealias Referrer = (key: EntityKey, reference: ReferenceAttribute)

  /// The references in the rows that are pending before the rules run.
  private struct PendingReferrers {
    var byTarget: [EntityKey: [Referrer]]
    /// The end, in the overlay, of the drafts that are pending before the rules run.
    var end: Int
  }

  /// Returns the current references to a deleted record, sorted by the identifier of the referring
  /// record and by attribute. Without the sort, the order would be that of slots, which depends on
  /// the history of the store. Observers would then receive the same changes in different orders.
  private func referrers(
    to deleted: EntityKey, pending: PendingReferrers
  ) -> [Referrer] {
    var referrers = pending.byTarget[deleted] ?? []
    view.reader.forEachReferrer(of: deleted) { entity, attribute, slot in
      let key = EntityKey(entity, id: view.reader.identifier(ofSlot: slot, in: entity))
      // A record with a pending row is skipped, because that row replaces the shown row.
      // `pending.byTarget` contains its references.
      if let index = overlay.index(of: key, in: overlay.pending), index < pending.end { return }
      guard let reference = view.catalog.reference(attribute, of: entity) else { return }
      referrers.append((key, reference))
    }
    referrers.sort {
      ("\($0.key.id)", $0.reference.attribute) < ("\($1.key.id)", $1.reference.attribute)
    }
    return referrers
  }

  private var hasPendingReferences: Bool {
    overlay.pending.contains {
      !view.catalog.references(of: overlay.drafts[$0].key.entity).isEmpty
    }
  }

  /// Returns the references in pending rows, by their targets.
  private func pendingReferrers() -> [EntityKey: [Referrer]] {
    var referrers: [EntityKey: [Referrer]] = [:]
    for index in overlay.pending where overlay.drafts[index].row != nil {
      let key = overlay.drafts[index].key
      let references = view.catalog.references(of: key.entity)
      guard !references.isEmpty, let row = currentRow(key) else { continue }
      let layout = view.catalog.newest(key.entity)
      for reference in references {
        guard let target = view.catalog.index(of: reference.target.entity) else { continue }
        for id in Set(reference.targets(in: row.span.bytes, of: layout)) {
          referrers[EntityKey(target, id: id), default: []].append((key, reference))
        }
      }
    }
    return referrers
  }

  // MARK: Before a save

  /// Returns the problems of one draft that prevent a save: missing required values, or a denied
  /// deletion.
  ///
  /// - Parameter row: The row to save; nil if the record is deleted.
  func problems(of draft: Draft, row: [UInt8]?) -> [ValidationProblem] {
    guard let row else { return denied(draft) }
    return view.catalog.newest(draft.key.entity).missing(in: row.span.bytes, draft.key.id)
  }

  /// Returns a problem for each reference of a deleted record that denies its deletion, because the
  /// target still exists.
  private func denied(_ draft: Draft) -> [ValidationProblem] {
    let key = draft.key
    guard let row = view.row(at: draft.base, of: key.entity) else { return [] }
    return view.catalog.denials(ofDeleting: key, row: row) { view.location($0) != .none }
  }
}
