extension EditingContext {
  // MARK: At the boundary

  /// Applies the delete rules of the deleted records, within the same boundary.
  ///
  /// - A record that a deleted record refers to by a cascading reference is deleted too.
  /// - A reference to a deleted record is removed, unless its own rule is `none`.
  func applyDeleteRules() {
    // Without references between records, no rule applies.
    guard overlay.pending.contains(where: { overlay.drafts[$0].row == nil }),
      view.reader.state.references.count > 0
    else { return }
    var next = overlay.boundaryCursor
    // The loop also visits the deletions that it appends.
    while next < overlay.drafts.count {
      let (key, isDeletion) = (overlay.drafts[next].key, overlay.drafts[next].row == nil)
      next += 1
      guard isDeletion, let row = view.row(key) else { continue }
      for (reference, rule) in references(of: row, key.entity) where rule == .cascade {
        if currentRow(reference) != nil { overlay.set(reference, to: nil) }
      }
      nullify(key)
    }
  }

  /// Removes a deleted record from all references to it, except required references.
  ///
  /// A required reference denies the deletion when it is saved, unless the referring record is
  /// changed or deleted before the save.
  private func nullify(_ deleted: EntityKey) {
    var referrers: [(key: EntityKey, attribute: Int)] = []
    view.reader.forEachReferrer(of: deleted) { entity, attribute, slot in
      referrers.append(
        (EntityKey(entity, id: view.reader.identifier(ofSlot: slot, in: entity)), attribute))
    }
    // Slots depend on history. The order of the changes that observers receive must not.
    referrers.sort { ("\($0.key.id)", $0.attribute) < ("\($1.key.id)", $1.attribute) }
    for (key, attribute) in referrers {
      let layout = view.catalog.newest(key.entity)
      let definition = layout.entity.attributes[attribute]
      if definition.deleteRule == .none || definition.isRequiredReference { continue }
      guard let row = currentRow(key),
        var record = DynamicRecord(row.span.bytes, of: key.entity, in: view.catalog)
      else { continue }
      switch record.values[attribute] {
      case .reference(deleted.id): record.values[attribute] = .null
      case .array(var values):
        values.removeAll { $0 == .reference(deleted.id) }
        record.values[attribute] = .array(values)
      default: continue
      }
      let value = record.values[attribute]
      overlay.set(
        key, to: layout.row(row.span.bytes, setting: attribute, to: value, id: key.id))
    }
  }

  /// Returns the records that a row refers to, and the delete rule of each reference.
  private func references(
    of row: [UInt8], _ entity: Int
  ) -> [(key: EntityKey, rule: DeleteRule)] {
    let layout = view.catalog.newest(entity)
    var found: [(EntityKey, DeleteRule)] = []
    for (index, attribute) in layout.entity.attributes.enumerated() {
      guard let target = attribute.type.target,
        let targetEntity = view.catalog.index(of: target.entity),
        let range = layout.range(of: index, in: row.span.bytes)
      else { continue }
      let bytes = row.span.bytes.extracting(range)
      switch AttributeValue(attribute.type, bytes: bytes) {
      case .reference(let id)?:
        found.append((EntityKey(targetEntity, id: id), attribute.deleteRule))
      case .array(let values)?:
        for case .reference(let id) in values {
          found.append((EntityKey(targetEntity, id: id), attribute.deleteRule))
        }
      default: break
      }
    }
    return found
  }

  // MARK: Before a save

  /// Returns the problems that prevent a record from being saved.
  ///
  /// - Parameter row: The row to save; nil if the record is deleted.
  func problems(of draft: Draft, row: [UInt8]?) -> [ValidationProblem] {
    guard let row else { return denied(draft) }
    return view.catalog.newest(draft.key.entity).missing(in: row.span.bytes, draft.key.id)
  }

  /// Returns the references of a deleted record that deny its deletion, because the referenced
  /// records still exist.
  private func denied(_ draft: Draft) -> [ValidationProblem] {
    let key = draft.key
    guard let row = view.row(at: draft.base, of: key.entity) else { return [] }
    let layout = view.catalog.newest(key.entity)
    var problems: [ValidationProblem] = []
    for attribute in layout.entity.attributes where attribute.deleteRule == .deny {
      let isHeld = references(of: row, key.entity).contains { reference, rule in
        rule == .deny && view.location(reference) != .none
          && view.catalog.names[reference.entity] == attribute.type.target?.entity
      }
      if isHeld {
        problems.append(
          ValidationProblem(
            entity: layout.entity.name, id: key.id,
            kind: .deletionDenied(attribute: attribute.name)))
      }
    }
    return problems
  }
}
