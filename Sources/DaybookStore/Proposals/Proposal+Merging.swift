import DaybookJournal

extension Proposal {
  /// A proposal, merged with the changes that other writers have saved since its base. In the
  /// result, the base of each change is the newest row of its record.
  ///
  /// | here | in the store | result |
  /// | ---- | ------------ | ------ |
  /// | any change | no change | the change |
  /// | an insert | an insert of the same record | a conflict; if this side wins, an update |
  /// | an update | other attributes | an update |
  /// | an update | the same attributes | a conflict in these; where this side wins, an update |
  /// | an update | a delete | a conflict; if this side wins, an insert |
  /// | a delete | an update | a conflict; if this side wins, a delete |
  /// | a delete | a delete | nothing |
  struct Merge: ~Copyable {
    /// The merged proposal; nil if it equals the original one, which is then used without a copy.
    let other: Proposal?
    private(set) var conflicts: [ConflictingChange] = []

    init(_ proposal: borrowing Proposal, onto state: borrowing StateReader) {
      // Usually, no other writer has changed these records.
      if Merge.isAllNew(proposal, in: state) || Merge.isUntouched(proposal, in: state) {
        other = nil
        return
      }
      var merging = Merging(proposal)
      for index in proposal.changes.indices {
        let location = Merge.location(of: index, in: proposal, on: state)
        merging.add(proposal.changes[index], at: location, in: state)
      }
      conflicts = merging.conflicts
      other = merging.finish()
    }

    /// Returns whether each record still has the row that its change is based on.
    static func isUntouched(
      _ proposal: borrowing Proposal, in state: borrowing StateReader
    ) -> Bool {
      // The loop reads the changes in place, because a copy of a change would retain and release
      // objects.
      for index in proposal.changes.indices
      where location(of: index, in: proposal, on: state) != proposal.changes[index].base {
        return false
      }
      return true
    }

    /// Returns the location, in the state, of the row of a change's record; `.none` if the record
    /// does not exist.
    private static func location(
      of index: Int, in proposal: borrowing Proposal,
      on state: borrowing StateReader
    ) -> RowLocation {
      state.location(of: key(of: index, in: proposal), in: proposal.changes[index].entity)
    }

    /// A Boolean value that indicates whether the merge has left no change to save.
    var isNothing: Bool {
      switch other {
      case let other?: other.changes.isEmpty
      case nil: false
      }
    }

    /// Returns whether a proposal only inserts records of one entity, as a bulk load does, and none
    /// of them exists yet.
    ///
    /// The method looks up all records together, which is faster for many records. For fewer than
    /// eight changes it returns false without a lookup.
    private static func isAllNew(
      _ proposal: borrowing Proposal, in state: borrowing StateReader
    ) -> Bool {
      guard proposal.changes.count >= 8, let first = proposal.changes.first,
        let byteCount = first.id.kind.byteCount, first.entity < state.state.tables.count
      else { return false }
      let bytes = proposal.rows.bytes.span.bytes
      var identifiers = IdentifierWords()
      for index in proposal.changes.indices {
        guard proposal.changes[index].kind == .insert,
          proposal.changes[index].entity == first.entity,
          identifiers.append(
            bytes, at: proposal.changes[index].row.lowerBound + Layout.headByteCount,
            byteCount: byteCount)
        else { return false }
      }
      return !state.state.tables[first.entity].hasAny(of: identifiers, in: state.space)
    }

    /// Returns the bytes of the identifier of a change's record. Reads them from the row, if the
    /// row has them at a fixed offset.
    private static func key(of index: Int, in proposal: borrowing Proposal) -> IdentifierBytes {
      let kind = proposal.changes[index].id.kind
      if proposal.changes[index].kind != .delete, let byteCount = kind.byteCount {
        let start = proposal.changes[index].row.lowerBound + Layout.headByteCount
        let bytes = proposal.rows.bytes.span.bytes
        if let key = IdentifierBytes(kind, bytes: bytes.extracting(start..<start + byteCount)) {
          return key
        }
      }
      return IdentifierBytes(proposal.changes[index].id)
    }
  }

  /// The slow form of a merge, which compares each change with the state. ``Merge`` uses it if
  /// other writers have changed some of the proposal's records.
  private struct Merging: ~Copyable {
    private var proposal: Proposal
    private(set) var conflicts: [ConflictingChange] = []

    init(_ proposal: borrowing Proposal) {
      self.proposal = proposal.copied(with: [])
    }

    consuming func finish() -> Proposal { proposal }

    /// Adds a change of a record, given the location of the record's row in the newest state.
    mutating func add(
      _ change: Change, at location: RowLocation,
      in state: borrowing StateReader
    ) {
      if location == change.base {
        append(change, at: location)
      } else {
        merge(change, at: location, in: state)
      }
    }

    private mutating func append(_ change: Change, at location: RowLocation) {
      var change = change
      change.base = location
      proposal.changes.append(change)
    }

    private mutating func merge(
      _ change: Change, at location: RowLocation,
      in state: borrowing StateReader
    ) {
      var change = change
      switch change.kind {
      case .insert:
        guard wins(change, against: .added, in: state) else { return }
        change.kind = .update
        change.changed = AttributeSet(all: state.catalog.newest(change.entity).fields.count)
        let stored = state.newestRow(at: location, of: change.entity)
        mergeAttributes(change, from: stored, at: location, in: state)
      case .update where location == .none:
        guard wins(change, against: .deleted, in: state) else { return }
        change.kind = .insert
        change.creation = state.memory.withBytes(at: change.base) { Layout.creation(of: $0) }
        append(change, at: location)
      case .update:
        let base = state.newestRow(at: change.base, of: change.entity)
        mergeAttributes(change, from: base, at: location, in: state)
      case .delete where location == .none: return
      case .delete:
        let layout = state.catalog.newest(change.entity)
        let base = state.newestRow(at: change.base, of: change.entity)
        let stored = state.newestRow(at: location, of: change.entity)
        let differing = layout.changedAttributes(from: base.span.bytes, to: stored.span.bytes)
        guard differing.isEmpty || wins(change, against: .deleted, in: state) else { return }
        if let row = change.deletion?.row {
          let own = layout.changedAttributes(from: base.span.bytes, to: row.span.bytes)
          change.deletion?.merge(
            layout.row(own, of: row.span.bytes, andOthersOf: stored.span.bytes, id: change.id),
            of: change.entity, in: state.catalog)
        }
        append(change, at: location)
      }
    }

    /// Merges an update with the changes of other writers to the same record, attribute by
    /// attribute.
    private mutating func mergeAttributes(
      _ change: Change, from base: [UInt8], at location: RowLocation,
      in state: borrowing StateReader
    ) {
      let layout = state.catalog.newest(change.entity)
      let stored = state.newestRow(at: location, of: change.entity)
      let own = Array(proposal.rows.bytes[change.row])
      var applied = AttributeSet(count: layout.fields.count)
      var refused: [String] = []
      for attribute in layout.fields.indices where change.changed.contains(attribute) {
        let name = layout.entity.attributes[attribute].name
        let isSame = layout.isEqual(attribute, in: own.span.bytes, and: stored.span.bytes)
        if layout.isEqual(attribute, in: base.span.bytes, and: stored.span.bytes) {
          if !isSame { applied.insert(attribute) }
          continue
        }
        // The attribute is in conflict even if both new values are equal, because each side has
        // replaced a value that the other side relied on.
        switch proposal.policy.contextWins(layout.entity.name, id: change.id, attribute: name) {
        case nil: refused.append(name)
        case true?: if !isSame { applied.insert(attribute) }
        case false?: break
        }
      }
      guard refused.isEmpty else {
        conflicts.append(
          ConflictingChange(
            entity: layout.entity.name, id: change.id, kind: .changed(attributes: refused)))
        return
      }
      guard !applied.isEmpty else { return }
      let row = layout.row(
        applied, of: own.span.bytes, andOthersOf: stored.span.bytes, id: change.id)
      var change = change
      let start = proposal.rows.count
      proposal.rows.append(row)
      change.row = start..<proposal.rows.count
      change.changed = applied
      append(change, at: location)
    }

    /// Returns whether the proposal wins a conflict about a whole record. If the policy is to
    /// refuse, adds the conflict and returns false.
    private mutating func wins(
      _ change: Change, against kind: ConflictingChange.Kind,
      in state: borrowing StateReader
    ) -> Bool {
      let entity = state.catalog.names[change.entity]
      if let wins = proposal.policy.contextWins(entity, id: change.id, attribute: nil) {
        return wins
      }
      conflicts.append(ConflictingChange(entity: entity, id: change.id, kind: kind))
      return false
    }
  }
}

extension StateReader {
  /// Returns the row at a location in the newest layout of its entity, with all its values.
  func newestRow(at location: RowLocation, of entity: Int) -> [UInt8] {
    let catalog = catalog
    return memory.withCompleteRow(at: location, layouts: catalog.layouts) {
      catalog.types.newest($0, of: entity, in: catalog)
    }
  }
}
