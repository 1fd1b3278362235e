/// The uncommitted changes of a context, in the order of the first change of their records.
///
/// ```
///   drafts    0 ── being saved ─── saveCursor ─── unsaved ─── boundaryCursor ─── pending ─── count
/// ```
///
/// A change creates a pending draft. A boundary moves the boundary cursor to the end. The boundary
/// removes drafts that change nothing. If the record has an unsaved draft, the boundary merges the
/// two. A save moves the save cursor to the boundary. If the save succeeds, the drafts before the
/// cursor are removed; if it fails, they are unsaved again.
///
/// - Invariant: Each of the three parts has at most one draft for each record.
struct Overlay {
  private(set) var drafts: [Draft] = []
  private(set) var saveCursor = 0
  private(set) var boundaryCursor = 0
  /// The positions of the drafts, by their records.
  private var places = KeyPlaces()
  /// The index of the pending rows by their unique values; nil until the first search.
  private var pendingValues: PendingValues?
  /// The number of inserts so far. The next insert gets its creation number from it.
  private var insertCount: UInt64 = 0

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

  /// Returns the position of a record's draft in a part; nil if the part has none.
  ///
  /// - Complexity: O(1) on average
  func index(of key: EntityKey, in part: Range<Int>) -> Int? {
    if part.isEmpty { return nil }
    return places.place(KeyPlaces.hash(key)) { part.contains($0) && drafts[$0].key == key }
  }

  // MARK: Changing

  /// Sets the row that a record has after the next boundary.
  ///
  /// - Parameters:
  ///   - row: The row; nil to delete the record.
  ///   - visible: The visible record, if it is known and has no pending draft.
  ///   - net: The difference between the shown record and the row, if it is known.
  mutating func set(
    _ key: EntityKey, to row: [UInt8]?, visible: ContextView.Visible? = nil, net: NetChange? = nil
  ) {
    pendingValues?.recordChange(of: key)
    if let index = index(of: key, in: pending) {
      drafts[index].row = row
      drafts[index].net = nil
    } else {
      places.add(KeyPlaces.hash(key), at: drafts.count)
      drafts.append(Draft(key, to: row, visible: visible, net: net))
    }
  }

  /// Discards the comparisons of pending drafts, which are with records that the view no longer
  /// shows.
  mutating func forgetVisible() {
    pendingValues = nil
    for index in pending {
      drafts[index].visible = nil
      drafts[index].net = nil
    }
  }

  /// Returns the records with a pending row that has some values of a unique list.
  ///
  /// - Parameter valuesOfRow: Returns the values of all unique lists in the row of a pending draft.
  mutating func pendingKeys(
    with found: UniqueValues, valuesOfRow: (Draft) -> [UniqueValues]
  ) -> [EntityKey] {
    if pending.isEmpty { return [] }
    var index = pendingValues.take() ?? PendingValues(keys(of: pending))
    let keys = index.keys(with: found) { key in
      self.index(of: key, in: pending).map { valuesOfRow(drafts[$0]) } ?? []
    }
    pendingValues = index
    return keys
  }

  // MARK: Boundaries

  /// Moves the boundary cursor after all drafts.
  ///
  /// - Parameter view: The view before the boundary.
  /// - Returns: The drafts that change the view, with their rows and creation numbers.
  mutating func moveBoundary(in view: ContextView) -> [Draft] {
    pendingValues = nil
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

  /// Returns a draft as a change of a view, with its comparison, a base and a creation number; nil
  /// if the draft changes nothing.
  ///
  /// - Parameter creation: The creation number that the record's draft had before; 0 if it had
  ///   none.
  mutating func change(
    _ draft: Draft, after creation: UInt64, in view: ContextView
  ) -> Draft? {
    var change = draft
    guard change.changesRecord(in: view) else { return nil }
    let (visible, net) = change.comparison
    change.base = view.base(of: change.key, visible: visible.place.location)
    change.creation = visible.creation
    if case .insert = net {
      change.creation = newCreation(of: change, after: creation, in: view)
    }
    return change
  }

  /// Returns the creation number of an inserted record. A record that was deleted or undone keeps
  /// its number when it is inserted again.
  private mutating func newCreation(
    of draft: Draft, after creation: UInt64, in view: ContextView
  ) -> UInt64 {
    if draft.base != .none {
      // The record was deleted, and no save has stored the deletion.
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

  /// Moves the save cursor to the boundary: nothing is unsaved.
  mutating func moveSaveCursor() { saveCursor = boundaryCursor }

  /// Moves the save cursor back: the drafts that a save had taken are unsaved again, before later
  /// drafts.
  mutating func moveSaveCursorBack() {
    var left: [Int] = []
    for index in unsaved {
      guard let earlier = self.index(of: drafts[index].key, in: taken) else { continue }
      drafts[earlier].changed.formUnion(drafts[index].changed)
      left.append(index)
    }
    saveCursor = 0
    remove(left)
  }

  /// Sets the base of an unsaved record, that is, its row in the store, and the changed attributes.
  mutating func rebase(at index: Int, onto base: RowLocation, changed: AttributeSet) {
    drafts[index].base = base
    drafts[index].changed = changed
  }

  // MARK: Removing

  /// Removes the drafts before the save cursor.
  mutating func removeTaken() {
    // After a large save the memory is released, because clearing a large table would slow down
    // each later save.
    let keepsRoom = drafts.count <= 16
    if keepsRoom { drafts.removeFirst(saveCursor) } else { drafts = Array(drafts[saveCursor...]) }
    boundaryCursor -= saveCursor
    saveCursor = 0
    places.removeAll(keepingCapacity: keepsRoom)
    for index in drafts.indices { places.add(KeyPlaces.hash(drafts[index].key), at: index) }
  }

  /// Removes the drafts after the boundary cursor.
  mutating func removePending() { remove(Array(pending)) }

  /// Removes the drafts at some positions, which must be in ascending order.
  mutating func remove(_ left: [Int]) {
    guard let first = left.first else { return }
    pendingValues = nil
    var (end, next) = (first, 0)
    for index in first..<drafts.count {
      let hash = KeyPlaces.hash(drafts[index].key)
      places.remove(hash, at: index)
      if next < left.count, left[next] == index {
        next += 1
      } else {
        drafts[end] = drafts[index]
        places.add(hash, at: end)
        end += 1
      }
    }
    drafts.removeSubrange(end...)
    boundaryCursor -= left.count { $0 < boundaryCursor }
  }
}
