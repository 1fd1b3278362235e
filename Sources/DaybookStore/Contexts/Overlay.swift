/// The uncommitted changes of a context, in the order of the first change of their records.
///
/// ```
///   drafts    0 ── being saved ─── saveCursor ─── unsaved ─── boundaryCursor ─── pending ─── count
/// ```
///
/// - A change creates a pending draft, or replaces the row of the record's pending draft.
/// - A boundary moves the boundary cursor to the end. Drafts that change nothing are removed. If
///   the record of a pending draft has an unsaved draft, the boundary merges the two.
/// - A save moves the save cursor to the boundary cursor; the save has then *taken* the drafts
///   before it. If the save succeeds, these drafts are removed. If it fails, they are unsaved
///   again.
///
/// - Invariant: Each of the three parts has at most one draft for each record.
struct Overlay {
  /// The drafts. The two cursors divide the array into three parts.
  private(set) var drafts: [Draft] = []
  /// The end of the drafts that a save has taken; 0 if no save is in progress.
  private(set) var saveCursor = 0
  /// The end of the drafts that have passed a boundary.
  private(set) var boundaryCursor = 0
  /// The positions of the drafts in `drafts`, by their records.
  private var positions = KeyPositions()
  /// The index of the pending rows by their unique values; nil until the first search.
  private var pendingValues: PendingIndex<UniqueValues>?
  /// The index of the pending rows by the targets of their references; nil until the first search.
  private var pendingTargets: PendingIndex<EntityKey>?
  /// The number of creation numbers that this overlay has assigned. The next inserted record gets
  /// the number ``Draft/firstCreation`` plus this count.
  private var insertCount: UInt64 = 0
  /// The deleted owners of each record that stayed when they were deleted, because it had a further
  /// owner. The dictionary can contain owners whose drafts were removed.
  private var formerOwners: [EntityKey: Set<EntityKey>] = [:]

  /// The drafts that a save has taken.
  var taken: Range<Int> { 0..<saveCursor }
  /// The drafts that have passed a boundary, and that no save has taken.
  var unsaved: Range<Int> { saveCursor..<boundaryCursor }
  /// The drafts after the last boundary.
  var pending: Range<Int> { boundaryCursor..<drafts.count }

  /// Returns the records of some drafts, in their order.
  ///
  /// - Complexity: O(*n*)
  func keys(of part: Range<Int>) -> [EntityKey] { drafts[part].map(\.key) }

  /// The inserted records of taken and unsaved drafts. Pending drafts are not included.
  ///
  /// - Complexity: O(*n*)
  var newKeys: Set<EntityKey> {
    Set(drafts[..<boundaryCursor].lazy.filter(\.isOfNewRecord).map(\.key))
  }

  /// Returns the position of a record's draft in one of the three parts; nil if that part has no
  /// draft of the record.
  ///
  /// - Complexity: O(1) on average
  func index(of key: EntityKey, in part: Range<Int>) -> Int? {
    if part.isEmpty { return nil }
    return positions.position(KeyPositions.hash(key)) { part.contains($0) && drafts[$0].key == key }
  }

  // MARK: Changing

  /// Sets the row that a record has after the next boundary.
  ///
  /// - Parameters:
  ///   - row: The row; nil to delete the record.
  ///   - visible: The shown record, if the caller has looked it up.
  ///   - net: The difference between the shown record and the row, if it is known.
  ///   - deletion: The cause and the effects of a deletion; nil if no rule applies to it.
  mutating func set(
    _ key: EntityKey, to row: [UInt8]?, visible: ContextView.Visible? = nil, net: NetChange? = nil,
    deletion: Deletion? = nil
  ) {
    pendingValues?.recordChange(of: key)
    pendingTargets?.recordChange(of: key)
    var deletion = deletion
    if !formerOwners.isEmpty { deletion = unsavedDeletion(of: key).followed(by: deletion) }
    for record in deletion?.shared ?? [] { formerOwners[record.key, default: []].insert(key) }
    if row == nil { removeShared(key) }
    if let index = index(of: key, in: pending) {
      drafts[index].row = row
      drafts[index].net = nil
      drafts[index].deletion = deletion
    } else {
      positions.add(KeyPositions.hash(key), at: drafts.count)
      drafts.append(Draft(key, to: row, visible: visible, net: net, deletion: deletion))
    }
  }

  /// Removes a record that is now deleted from the shared records of its former owners. If it is
  /// inserted again, it is a new record that needs no owner.
  private mutating func removeShared(_ key: EntityKey) {
    guard let owners = formerOwners.removeValue(forKey: key) else { return }
    for owner in owners {
      for part in [pending, unsaved, taken] {
        guard let index = index(of: owner, in: part) else { continue }
        drafts[index].deletion?.shared.removeAll { $0.key == key }
      }
    }
  }

  /// Returns the unsaved deletion of a record before its next change.
  private func unsavedDeletion(of key: EntityKey) -> Deletion? {
    for part in [pending, unsaved] {
      if let index = index(of: key, in: part) { return drafts[index].deletion }
    }
    return nil
  }

  /// Returns the last deletion of a record that is not saved; nil if there is none, or if no rule
  /// applies to it.
  func deletion(of key: EntityKey) -> Deletion? {
    for part in [pending, unsaved, taken] {
      if let index = index(of: key, in: part) { return drafts[index].deletion }
    }
    return nil
  }

  /// Discards the comparisons of pending drafts. The context calls this when its view is replaced,
  /// because the drafts were compared with records of the old view.
  mutating func forgetVisible() {
    forgetIndexes()
    for index in pending {
      drafts[index].visible = nil
      drafts[index].net = nil
    }
  }

  /// Returns the records whose pending row has given values of a unique list.
  ///
  /// - Parameter valuesOfRow: A closure that returns the values of all unique lists in the row of a
  ///   pending draft.
  mutating func pendingKeys(
    with found: UniqueValues, valuesOfRow: (Draft) -> [UniqueValues]
  ) -> [EntityKey] {
    if pending.isEmpty { return [] }
    var index = pendingValues.take() ?? PendingIndex(keys(of: pending))
    let keys = index.keys(with: found) { key in
      self.index(of: key, in: pending).map { valuesOfRow(drafts[$0]) } ?? []
    }
    pendingValues = index
    return keys
  }

  /// Returns the records whose pending row refers to a record.
  ///
  /// - Parameter targetsOfRow: A closure that returns the targets of all references in the row of a
  ///   pending draft.
  mutating func pendingKeys(
    referringTo target: EntityKey, targetsOfRow: (Draft) -> [EntityKey]
  ) -> [EntityKey] {
    if pending.isEmpty { return [] }
    var index = pendingTargets.take() ?? PendingIndex(keys(of: pending))
    let keys = index.keys(with: target) { key in
      self.index(of: key, in: pending).map { targetsOfRow(drafts[$0]) } ?? []
    }
    pendingTargets = index
    return keys
  }

  private mutating func forgetIndexes() {
    pendingValues = nil
    pendingTargets = nil
  }

  // MARK: Boundaries

  /// Moves the boundary cursor after all drafts.
  ///
  /// - Parameter view: The view before the boundary.
  /// - Returns: The drafts that change the view, with their rows and creation numbers. The caller
  ///   applies them to the view.
  mutating func moveBoundary(in view: ContextView) -> [Draft] {
    forgetIndexes()
    var changes: [Draft] = []
    changes.reserveCapacity(pending.count)
    var left: [Int] = []
    for index in pending {
      let key = drafts[index].key
      let earlier = self.index(of: key, in: unsaved)
      let known = earlier ?? self.index(of: key, in: taken)
      guard
        let change = change(drafts[index], after: known.map { drafts[$0].creation } ?? 0, in: view)
      else {
        // A record that was deleted before, and inserted and deleted again, has a new last row.
        if let earlier, drafts[index].row == nil {
          drafts[earlier].deletion = drafts[index].deletion
        }
        left.append(index)
        continue
      }
      if let earlier {
        drafts[earlier].record(change, in: view)
        left.append(index)
      } else {
        drafts[index].start(with: change, in: view)
      }
      changes.append(change)
    }
    remove(left)
    boundaryCursor = drafts.count
    return changes
  }

  /// Returns a copy of a draft that can be applied to a view: with the shown record, the
  /// difference, the base and the creation number. Returns nil if the draft changes nothing.
  ///
  /// - Parameter creation: The creation number of the record's unsaved or taken draft; 0 if there
  ///   is no such draft.
  mutating func change(
    _ draft: Draft, after creation: UInt64, in view: ContextView
  ) -> Draft? {
    var change = draft
    guard change.changesRecord(in: view) else { return nil }
    let (visible, net) = change.comparison
    change.base = view.base(of: change.key, visible: visible.position.location)
    change.creation = visible.creation
    if case .insert = net {
      change.creation = newCreation(of: change, after: creation, in: view)
    }
    return change
  }

  /// Returns the creation number of an inserted record. A record that existed before keeps its
  /// number, so that it keeps its position in lists. Such a record was deleted before, or an undo
  /// or a revert inserts it again. A new record gets the next unsaved number.
  private mutating func newCreation(
    of draft: Draft, after creation: UInt64, in view: ContextView
  ) -> UInt64 {
    if draft.base != .none {
      // The store still contains the record, because no save has written the deletion.
      return view.base.memory.withBytes(at: draft.base) { Layout.creation(of: $0) }
    }
    let known = draft.row.map { Layout.creation(of: $0.span.bytes) } ?? 0
    if known > 0, known < Draft.firstCreation { return known }
    if creation >= Draft.firstCreation { return creation }
    if known > 0 { return known }
    insertCount += 1
    return Draft.firstCreation + (insertCount - 1)
  }

  // MARK: Saves

  /// Moves the save cursor to the boundary cursor, so that no draft is unsaved.
  mutating func moveSaveCursor() { saveCursor = boundaryCursor }

  /// Moves the save cursor back to the start, after a save has failed. The drafts that it had taken
  /// are unsaved again. If a record has a later unsaved draft too, the two are merged.
  mutating func moveSaveCursorBack() {
    var left: [Int] = []
    for index in unsaved {
      guard let earlier = self.index(of: drafts[index].key, in: taken) else { continue }
      drafts[earlier].changed.formUnion(drafts[index].changed)
      drafts[earlier].deletion = drafts[earlier].deletion.followed(by: drafts[index].deletion)
      left.append(index)
    }
    saveCursor = 0
    remove(left)
  }

  /// Sets the base and the changed attributes of the draft at an index, after a save has written
  /// the record.
  mutating func rebase(at index: Int, onto base: RowLocation, changed: AttributeSet) {
    drafts[index].base = base
    drafts[index].changed = changed
  }

  /// Converts all drafts to the newest layouts of a catalog.
  mutating func renew(from old: Catalog, to new: Catalog) {
    for index in drafts.indices { drafts[index].renew(from: old, to: new) }
    forgetIndexes()
  }

  // MARK: Removing

  /// Removes the drafts before the save cursor.
  mutating func removeTaken() {
    // After a large save, the memory of the array and of the table is released. Otherwise each
    // later save would clear the large table again.
    let keepsRoom = drafts.count <= 16
    if keepsRoom { drafts.removeFirst(saveCursor) } else { drafts = Array(drafts[saveCursor...]) }
    boundaryCursor -= saveCursor
    saveCursor = 0
    positions.removeAll(keepingCapacity: keepsRoom)
    for index in drafts.indices { positions.add(KeyPositions.hash(drafts[index].key), at: index) }
    if drafts.isEmpty { formerOwners = [:] }
  }

  /// Removes the drafts after the boundary cursor.
  mutating func removePending() { remove(Array(pending)) }

  /// Removes the drafts at some positions, which must be in ascending order.
  mutating func remove(_ left: [Int]) {
    guard let first = left.first else { return }
    forgetIndexes()
    var (end, next) = (first, 0)
    for index in first..<drafts.count {
      let hash = KeyPositions.hash(drafts[index].key)
      positions.remove(hash, at: index)
      if next < left.count, left[next] == index {
        next += 1
      } else {
        drafts[end] = drafts[index]
        positions.add(hash, at: end)
        end += 1
      }
    }
    drafts.removeSubrange(end...)
    boundaryCursor -= left.count { $0 < boundaryCursor }
    if drafts.isEmpty { formerOwners = [:] }
  }
}
