import DaybookJournal

/// The records that a context shows: those of a state of the store, with what is not saved folded into it.
///
/// ```
///   stored ──show──▶ waiting ──a look──▶ folded
///      │                ▲                  ▲ │
///      │                └───────show───────┼─┘
///      └──────────fold, frozen─────────────┘
/// ```
///
/// The changes that wait are shown, and are not in any page. Most saves have a few changes that nobody looks at, and
/// then no pages are made.
//
// A class, as a context's every look at a record would otherwise copy a dozen references.
final class ContextView: ReadableState {
  /// The state of the store below.
  let base: FrozenState
  private var contents = Contents.stored
  /// How many records have been inserted since, to keep them in the order in which they were made.
  private var draftCount: UInt64 = 0
  /// The creation numbers that records got which are not saved: one that is taken away and comes back
  /// has its place again, which is also that of its save. Those of changes that wait stand in their rows alone.
  private var draftCreations = DraftCreations()

  private enum Contents {
    /// The records of the store.
    case stored
    /// Changes that nobody has looked at, and what was folded before them.
    case waiting([DraftChange], after: FoldedState?)
    case folded(FoldedState)
  }

  /// Creation numbers of records that are not saved stand after all others.
  static let firstDraftCreation = Layout.creationMax + 1

  /// How many changes wait at the most. More are looked for too often to be gone through one by one.
  private static let waitingMax = 8

  /// - Parameter base: A state of the store; or one of an earlier moment, which nobody else has, as it is
  ///   a fork itself and what is not saved goes into its pages.
  init(_ base: FrozenState) { self.base = base }

  var catalog: Catalog { base.catalog }

  var state: StoreState { folded?.state ?? base.state }

  var space: PageSpace { folded?.pages ?? base.space }

  var memory: RowMemory { folded?.memory ?? base.memory }

  /// The memory of every row but those of changes that wait.
  private var heldMemory: RowMemory {
    switch contents {
    case .stored, .waiting(_, after: nil): base.memory
    case .waiting(_, after: let folded?), .folded(let folded): folded.memory
    }
  }

  /// The changes that wait.
  private var waiting: [DraftChange] {
    if case .waiting(let changes, _) = contents { return changes }
    return []
  }

  /// The state that the context's changes are folded into, with those that wait; nil while it shows the store.
  private var folded: FoldedState? {
    switch contents {
    case .stored: nil
    case .folded(let folded): folded
    case .waiting: editable
    }
  }

  /// The same, made if there is none yet.
  private var editable: FoldedState {
    let (changes, earlier): ([DraftChange], FoldedState?) =
      switch contents {
      case .stored: ([], nil)
      case .waiting(let changes, let earlier): (changes, earlier)
      case .folded(let folded): ([], folded)
      }
    let creations = changes.map { creation(of: $0) }
    let folded = earlier ?? FoldedState(base)
    contents = .folded(folded)
    if !changes.isEmpty { _ = folded.fold(changes, catalog, creations: creations) }
    return folded
  }

  /// What is shown now, for ever.
  //
  // In pages of the space that later changes are folded into, so that what differs is found by the pages.
  var frozen: FrozenState { editable.frozen(catalog) }

  /// Where the row of a record stands; none if there is no such record.
  func location(_ key: EntityKey) -> RowLocation { shown(key).place.location }

  /// A record as it is shown: where it is, none if it is not there, and its creation number.
  struct Shown {
    var place: RecordPlace
    var creation: UInt64
  }

  func shown(_ key: EntityKey) -> Shown {
    guard let slot = slot(key) else { return Shown(place: .none, creation: 0) }
    let (location, creation) = row(key.entity, slot)
    return Shown(place: RecordPlace(slot, location), creation: creation)
  }

  func slot(_ key: EntityKey) -> UInt32? {
    let bytes = IdentifierBytes(key.id)
    guard let folded else { return base.slot(key.entity, bytes) }
    return folded.state.slot(key.entity, bytes, in: folded.memory, catalog, folded.pages)
  }

  /// Where the row in a slot stands, and the creation number of its record.
  private func row(_ entity: Int, _ slot: UInt32) -> (location: RowLocation, creation: UInt64) {
    guard let folded else { return base.state.tables[entity].row(slot, in: base.space) }
    return folded.state.tables[entity].row(slot, in: folded.pages)
  }

  /// The row of a record in its newest layout, with all its values; nil if there is no such record.
  func row(_ key: EntityKey, _ types: RecordTypes) -> [UInt8]? {
    if let change = waiting.first(where: { $0.key == key }) { return change.row }
    return row(at: location(key), key.entity, types)
  }

  /// The row at a location in the newest layout, with all its values; nil if the location is none.
  func row(at location: RowLocation, _ entity: Int, _ types: RecordTypes) -> [UInt8]? {
    if location == .none { return nil }
    return heldMemory.withWholeRow(at: location, catalog.layouts) {
      types.newest($0, entity, catalog)
    }
  }

  /// One change of a draft: a record and the row it is to have.
  struct DraftChange {
    var key: EntityKey
    var net: NetChange
    var row: [UInt8]?
    /// Where it is that is shown until then; none if there is no such record.
    var old: RecordPlace { shown.place }
    /// That record.
    var shown: Shown

    /// Sets the creation number in the row, if there is one; where it is, as a copy would copy all of it.
    fileprivate mutating func setCreation(_ creation: UInt64) {
      row?.setCreation(creation)
    }
  }

  /// What it takes to make a record what it is to be; nil if it is that already.
  ///
  /// - Parameters:
  ///   - shown: The record that is shown, if it is known.
  ///   - net: What it comes to, if that is known.
  func change(
    _ key: EntityKey, to row: [UInt8]?, shown: Shown? = nil, net: NetChange? = nil
  ) -> DraftChange? {
    let shown = shown ?? self.shown(key)
    let net = net ?? self.net(from: shown.place.location, key.entity, to: row)
    if net == .none { return nil }
    return DraftChange(key: key, net: net, row: row, shown: shown)
  }

  /// The net change from the row at a location, none if there is none, to one in the newest layout.
  func net(from old: RowLocation, _ entity: Int, to new: [UInt8]?) -> NetChange {
    guard old != .none, let new else {
      return old != .none ? .delete : new == nil ? .none : .insert
    }
    return heldMemory.withWholeRow(at: old, catalog.layouts) { old in
      catalog.types.withNewest(old, entity, catalog) { old in
        NetChange(from: old, to: new.span.bytes, catalog.newest(entity))
      }
    }
  }

  /// Where the row of a record stands in the store that is changed here for the first time: where it is
  /// shown, unless that is the draft of a save on its way.
  ///
  /// - Parameter location: Where it is shown until then; none if there is no such record.
  func base(of key: EntityKey, shown location: RowLocation) -> RowLocation {
    location == .none || location.region == .draft ? stored(key, shown: location) : location
  }

  /// Where the row of a record stands in the store; none if it is not there.
  private func stored(_ key: EntityKey, shown location: RowLocation) -> RowLocation {
    if case .stored = contents { return location }
    return base.location(key.entity, IdentifierBytes(key.id))
  }

  /// Shows changes, which nobody is told of.
  func show(_ changes: consuming [DraftChange]) {
    if changes.isEmpty { return }
    let folded = folded
    guard changes.count <= ContextView.waitingMax else {
      _ = fold(changes)
      return
    }
    for index in changes.indices {
      let creation = creation(of: changes[index], isNoted: false)
      changes[index].setCreation(creation)
    }
    contents = .waiting(changes, after: folded)
  }

  /// Folds changes as a transaction that has no number.
  func fold(_ changes: [DraftChange]) -> [RowChange] {
    // Changes that wait get their creation numbers before these.
    if case .waiting = contents { _ = editable }
    let creations = changes.map { creation(of: $0) }
    return editable.fold(changes, catalog, creations: creations)
  }

  /// The creation number that a change leaves its record with; 0 if it deletes it.
  ///
  /// - Parameter isNoted: Whether that of a record that is not saved is noted now, and not when the change is folded.
  private func creation(of change: DraftChange, isNoted: Bool = true) -> UInt64 {
    guard let row = change.row else { return 0 }
    guard case .insert = change.net else { return change.shown.creation }
    let stored = stored(change.key, shown: change.old.location)
    if stored != .none {
      // Its deletion has not been saved.
      return base.memory.withBytes(at: stored) { Layout.creation(of: $0) }
    }
    let creation = Layout.creation(of: row.span.bytes)
    guard creation == 0 || creation >= ContextView.firstDraftCreation else { return creation }
    return draftCreation(of: change.key, known: creation, isNoted: isNoted)
  }

  /// Notes the creation numbers of records that wait.
  private func noteWaiting() {
    for change in waiting { _ = creation(of: change) }
  }

  /// The records that have been made here and have not been saved.
  var draftKeys: [EntityKey] {
    noteWaiting()
    return draftCreations.keys
  }

  /// When a record was made; nil if there is none.
  func creation(of key: EntityKey) -> UInt64? {
    slot(key).map { row(key.entity, $0).creation }
  }

  /// Keeps the creation numbers that records have in another view, so that they stay in the order in
  /// which they were made.
  func keepDraftCreations(of other: ContextView, where isUnsaved: (EntityKey) -> Bool) {
    draftCreations = other.draftCreations.filter(isUnsaved)
    keepDraftCount(of: other)
  }

  /// Goes on counting where another view was.
  func keepDraftCount(of other: ContextView) { draftCount = other.draftCount }

  /// Forgets the creation numbers of records that are not saved: whoever makes one again makes it anew.
  func forgetDraftCreations() { draftCreations = DraftCreations() }

  /// The creation number of a record that is not saved.
  func draftCreation(of key: EntityKey) -> UInt64 {
    noteWaiting()
    return draftCreation(of: key, known: 0, isNoted: true)
  }

  /// - Parameter known: The one that it had before, as an undo knows it, or as it waits with; 0 if there is none.
  private func draftCreation(of key: EntityKey, known: UInt64, isNoted: Bool) -> UInt64 {
    if let creation = draftCreations[key] { return creation }
    var creation = known
    if known == 0 {
      creation = ContextView.firstDraftCreation + draftCount
      draftCount += 1
    }
    if isNoted { draftCreations.add(key, creation) }
    return creation
  }
}

/// A state in pages and memory of its own, which the changes of a context are folded into.
private final class FoldedState {
  private(set) var state: StoreState
  let pages: PageSpace
  private(set) var memory: RowMemory
  /// What it is now, for all who ask; nil before anybody does, and while it is edited, as pages that it sees would
  /// have to be copied.
  private var frozen: FrozenState?

  /// Begins as another state.
  init(_ base: FrozenState) {
    state = base.state
    pages = base.space.isFork ? base.space : base.fork()
    memory = base.memory
  }

  /// Returns what it is now, for ever.
  func frozen(_ catalog: Catalog) -> FrozenState {
    if let frozen { return frozen }
    let now = FrozenState(state, catalog, memory, pin: pages.pin())
    frozen = now
    return now
  }

  /// Folds changes as a transaction that has no number.
  ///
  /// - Parameter creations: The creation number that each change leaves its record with.
  func fold(
    _ changes: [ContextView.DraftChange], _ catalog: Catalog, creations: [UInt64]
  ) -> [RowChange] {
    frozen = nil
    var writer = PayloadWriter(
      changeCount: changes.count,
      rowByteCount: changes.reduce(0) { $0 + ($1.row?.count ?? 0) })
    let draft = ChangePlace(sequence: 0, payloadOffset: 0)
    // By parts: to copy whole changes would count what each refers to.
    for index in changes.indices {
      switch (changes[index].net, changes[index].row) {
      case (.insert, let row?):
        writer.insert(row.span.bytes, creation: creations[index])
      case (.update(let changed), let row?):
        writer.update(row.span.bytes, creation: creations[index], after: draft, changed: changed)
      case (.delete, nil):
        let key = changes[index].key
        writer.delete(key.id, in: catalog.newest(key.entity), after: draft)
      case (let net, let row): preconditionFailure("\(net) with \(row?.count ?? 0) bytes")
      }
    }
    let payload = writer.finish()
    let location = memory.draft.add(payload.span.bytes, sequence: 0)
    var rowChanges: [RowChange]? = []
    // A draft tells of no layouts.
    var catalog = catalog
    let misfit = state.fold(
      payload.span.bytes, at: location, in: memory, pages, &catalog, changes: &rowChanges,
      places: changes.map(\.old))
    guard misfit == nil, var rowChanges else {
      preconditionFailure("a draft does not fit: \(misfit as Any)")
    }
    for (index, change) in changes.enumerated() {
      if case .update(let changed) = change.net {
        rowChanges[index].changed = AttributeBits(changed)
      }
    }
    return rowChanges
  }
}

extension [UInt8] {
  /// Sets the creation number of a row.
  fileprivate mutating func setCreation(_ creation: UInt64) {
    Layout.setCreation(creation, of: &self)
  }
}
