extension EditingContext {
  // MARK: At the boundary

  /// Does what the references of deleted records say, within the same boundary: those that they refer
  /// to by a rule that cascades are deleted too, and those that refer to them no longer do, unless
  /// their own rule is `none`.
  func applyDeleteRules() {
    // Where no record refers to another there is nothing to look for.
    guard overlay.pending.contains(where: { overlay.drafts[$0].row == nil }),
      view.reader.state.references.count > 0
    else { return }
    var next = overlay.boundaryCursor
    // Deletions are added behind those that are looked at.
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

  /// Takes a deleted record out of the references to it, but for those that are required: these deny the
  /// deletion when it is saved, unless their records are changed or deleted by then.
  private func nullify(_ deleted: EntityKey) {
    var referrers: [(key: EntityKey, attribute: Int)] = []
    view.reader.forEachReferrer(of: deleted) { entity, attribute, slot in
      referrers.append(
        (EntityKey(entity, id: view.reader.identifier(ofSlot: slot, in: entity)), attribute))
    }
    // Slots are an accident of history; what is heard is not.
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

  /// The records that a row refers to, and what its deletion does to each.
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

  /// Why a record may not be saved as it is, if so.
  ///
  /// - Parameter row: What it is to be; nil if it is to be deleted.
  func problems(of draft: Draft, row: [UInt8]?) -> [ValidationProblem] {
    guard let row else { return denied(draft) }
    return view.catalog.newest(draft.key.entity).missing(in: row.span.bytes, draft.key.id)
  }

  /// The references of a deleted record that deny its deletion, as there still are such records.
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
