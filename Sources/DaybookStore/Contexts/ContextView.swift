import DaybookJournal

/// What a context shows: the state of the store, with what is not saved folded into it.
///
/// What is not saved lies in pages and memory of its own, and goes with them. It is folded when somebody looks: most
/// saves have a few changes that nobody does, and then there are no pages either.
//
// A class, as a context's every look at a record would otherwise copy a dozen references.
final class ContextView: ReadableState {
  /// The state of the store below.
  let base: FrozenState
  /// The state with all that is folded; nil until something is.
  private var own: Own?
  /// Whether there is one. Noted, as to look whether there is takes longer than most of what is done with it.
  private var hasOwn = false
  /// Changes that nobody has looked at yet: they are shown, and not folded.
  private var waiting: [DraftChange] = []
  /// Whether it has ever shown anything but the store.
  private var isEdited = false
  /// How many records have been inserted since, to keep them in the order in which they were made.
  private var draftCount: UInt64 = 0
  /// The creation numbers that records got which are not saved: one that is taken away and comes back
  /// has its place again, which is also that of its save. Those of changes that wait stand in their rows alone.
  private var draftCreations = DraftCreations()
  /// What is shown now, for all who ask; none before anybody does, and while it is edited, as pages
  /// that it sees would have to be copied.
  private var kept: FrozenState?

  /// Creation numbers of records that are not saved stand after all others.
  static let firstDraftCreation = Layout.creationMax + 1

  /// How many changes wait at the most. More are looked for too often to be gone through one by one.
  private static let waitingMax = 8

  /// A state in pages and memory of its own. Looked at where it is: a copy would count what each part refers to.
  private struct Own: ~Copyable {
    var state: StoreState
    let pages: PageSpace
    var memory: RowMemory

    /// Begins as another state.
    init(_ base: FrozenState) {
      state = base.state
      pages = base.space.isFork ? base.space : base.fork()
      memory = base.memory
    }

    /// Folds a draft.
    ///
    /// - Parameter places: Where each record that it changes is before.
    mutating func fold(
      _ payload: [UInt8], _ catalog: Catalog, places: [RecordPlace]
    ) -> [RowChange] {
      let location = memory.draft.add(payload.span.bytes, sequence: 0)
      var rowChanges: [RowChange]? = []
      // A draft tells of no layouts.
      var catalog = catalog
      let misfit = state.fold(
        payload.span.bytes, at: location, in: memory, pages, &catalog, changes: &rowChanges,
        places: places)
      precondition(misfit == nil, "a draft does not fit: \(misfit as Any)")
      return rowChanges ?? []
    }
  }

  /// - Parameter base: A state of the store; or one of an earlier moment, which nobody else has, as it is
  ///   a fork itself and what is not saved goes into its pages.
  init(_ base: FrozenState) { self.base = base }

  var catalog: Catalog { base.catalog }

  var state: StoreState {
    settle()
    return withFolded { state, _, _ in copy state }
  }

  var space: PageSpace {
    settle()
    return withFolded { _, space, _ in space }
  }

  var memory: RowMemory {
    settle()
    return heldMemory
  }

  /// The memory of what is folded.
  private var heldMemory: RowMemory { withFolded { _, _, memory in memory } }

  /// Hands out what is folded.
  @inline(__always)
  private func withFolded<Result>(
    _ body: (borrowing StoreState, PageSpace, RowMemory) -> Result
  ) -> Result {
    if !hasOwn { return body(base.state, base.space, base.memory) }
    switch own {
    case let own?: return body(own.state, own.pages, own.memory)
    case nil: preconditionFailure("a view has folded what it has not")
    }
  }

  /// Folds what waits.
  private func settle() {
    if waiting.isEmpty { return }
    let changes = waiting
    waiting = []
    _ = folding(changes)
  }

  /// What is shown now, for ever.
  var frozen: FrozenState {
    settle()
    if let kept { return kept }
    // What is folded from now on is to have pages of the same space.
    let own = takeOwn()
    let frozen = FrozenState(own.state, catalog, own.memory, pin: own.pages.pin())
    putBack(own)
    kept = frozen
    return frozen
  }

  /// Takes out what is folded, to be put back: nobody else has it while it is edited.
  private func takeOwn() -> Own {
    switch own.take() {
    case let own?: own
    case nil: Own(base)
    }
  }

  private func putBack(_ own: consuming Own) {
    self.own = .some(own)
    hasOwn = true
  }

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
    settle()
    return withFolded { state, space, memory in
      state.slot(key.entity, IdentifierBytes(key.id), in: memory, catalog, space)
    }
  }

  /// The identifier of the record in a slot.
  func identifier(_ entity: Int, _ slot: UInt32) -> RecordIdentifier {
    settle()
    return withFolded { state, space, memory in
      state.identifier(entity, slot, in: memory, catalog, space)
    }
  }

  /// Where the row in a slot stands, and the creation number of its record.
  private func row(_ entity: Int, _ slot: UInt32) -> (location: RowLocation, creation: UInt64) {
    withFolded { state, space, _ in state.tables[entity].row(slot, in: space) }
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
    isEdited ? base.location(key.entity, IdentifierBytes(key.id)) : location
  }

  /// Shows changes, which nobody is told of.
  func show(_ changes: consuming [DraftChange]) {
    if changes.isEmpty { return }
    settle()
    guard changes.count <= ContextView.waitingMax else {
      _ = folding(changes)
      return
    }
    kept = nil
    for index in changes.indices {
      let creation = creation(of: changes[index], isNoted: false)
      changes[index].setCreation(creation)
    }
    waiting = changes
    isEdited = true
  }

  /// Folds changes as a transaction that has no number.
  func fold(_ changes: [DraftChange]) -> [RowChange] {
    settle()
    return folding(changes)
  }

  private func folding(_ changes: [DraftChange]) -> [RowChange] {
    kept = nil
    var writer = PayloadWriter(
      changeCount: changes.count,
      rowByteCount: changes.reduce(0) { $0 + ($1.row?.count ?? 0) })
    let draft = ChangePlace(sequence: 0, payloadOffset: 0)
    // By parts: to copy whole changes would count what each refers to.
    for index in changes.indices {
      switch (changes[index].net, changes[index].row) {
      case (.insert, let row?):
        writer.insert(row.span.bytes, creation: creation(of: changes[index]))
      case (.update(let changed), let row?):
        let creation = changes[index].shown.creation
        writer.update(row.span.bytes, creation: creation, after: draft, changed: changed)
      case (.delete, nil):
        let key = changes[index].key
        writer.delete(key.id, catalog.newest(key.entity), after: draft)
      case (let net, let row): preconditionFailure("\(net) with \(row?.count ?? 0) bytes")
      }
    }
    let payload = writer.finish()
    var own = takeOwn()
    var rowChanges = own.fold(payload, catalog, places: changes.map(\.old))
    putBack(own)
    isEdited = true
    for (index, change) in changes.enumerated() {
      if case .update(let changed) = change.net {
        rowChanges[index].changed = AttributeBits(changed)
      }
    }
    return rowChanges
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

extension [UInt8] {
  /// Sets the creation number of a row.
  fileprivate mutating func setCreation(_ creation: UInt64) {
    Layout.setCreation(creation, of: &self)
  }
}
