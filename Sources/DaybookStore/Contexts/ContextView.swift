import DaybookJournal

/// What a context shows: the state of the store, with what is not saved folded into it.
///
/// The state is a fork of the store's: what is not saved lies in pages and memory of its own, and goes
/// with them.
//
// A class, as a context's every look at a record would otherwise copy a dozen references.
final class ContextView: ReadableState {
  /// The state of the store below.
  let base: FrozenState
  let space: PageSpace
  private(set) var state: StoreState
  private(set) var memory: RowMemory
  private(set) var catalog: Catalog
  /// How many records have been inserted since, to keep them in the order in which they were made.
  private var draftCount: UInt64 = 0
  /// The creation numbers that records got which are not saved: one that is taken away and comes back
  /// has its place again, which is also that of its save.
  private var draftCreations: [EntityKey: UInt64] = [:]
  /// What is shown now, for all who ask; none before anybody does, and while it is edited, as pages
  /// that it sees would have to be copied.
  private var kept: FrozenState?

  /// Creation numbers of records that are not saved stand after all others.
  static let firstDraftCreation = Layout.creationMax + 1

  /// - Parameter base: A state of the store; or one of an earlier moment, which nobody else has, as it is
  ///   a fork itself and what is not saved goes into its pages.
  init(_ base: FrozenState) {
    self.base = base
    space = base.space.isFork ? base.space : base.fork()
    state = base.state
    memory = base.memory
    catalog = base.catalog
  }

  /// What is shown now, for ever.
  var frozen: FrozenState {
    if let kept { return kept }
    let frozen = FrozenState(state, catalog, memory, pin: space.pin())
    kept = frozen
    return frozen
  }

  /// Where the row of a record stands; none if there is no such record.
  func location(_ key: EntityKey) -> RowLocation {
    slot(key).map { state.tables[key.entity].row($0, in: space).location } ?? .none
  }

  func slot(_ key: EntityKey) -> UInt32? {
    guard key.entity < state.tables.count else { return nil }
    return state.tables[key.entity].slot(
      IdentifierBytes(key.id), in: memory, catalog.layouts, space)
  }

  /// The identifier of the record in a slot.
  func identifier(_ entity: Int, _ slot: UInt32) -> RecordIdentifier {
    state.identifier(entity, slot, in: memory, catalog, space)
  }

  /// The row of a record in its newest layout, with all its values; nil if there is no such record.
  func row(_ key: EntityKey, _ types: RecordTypes) -> [UInt8]? {
    row(at: location(key), key.entity, types)
  }

  /// The row at a location in the newest layout, with all its values; nil if the location is none.
  func row(at location: RowLocation, _ entity: Int, _ types: RecordTypes) -> [UInt8]? {
    if location == .none { return nil }
    return memory.withWholeRow(at: location, catalog.layouts) { types.newest($0, entity, catalog) }
  }

  /// One change of a draft: a record and the row it is to have.
  struct DraftChange {
    var key: EntityKey
    var net: NetChange
    var row: [UInt8]?
    /// Where its row stands that is shown until then; none if there is no such record.
    var old: RowLocation
  }

  /// What it takes to make a record what it is to be; nil if it is that already.
  ///
  /// - Parameter shown: Where its row stands, if that is known.
  func change(_ key: EntityKey, to row: [UInt8]?, shown: RowLocation? = nil) -> DraftChange? {
    let location = shown ?? location(key)
    let net = net(from: location, key.entity, to: row)
    if net == .none { return nil }
    return DraftChange(key: key, net: net, row: row, old: location)
  }

  /// The net change from the row at a location, none if there is none, to one in the newest layout.
  func net(from old: RowLocation, _ entity: Int, to new: [UInt8]?) -> NetChange {
    guard old != .none, let new else {
      return old != .none ? .delete : new == nil ? .none : .insert
    }
    return memory.withWholeRow(at: old, catalog.layouts) { old in
      catalog.types.withNewest(old, entity, catalog) { old in
        NetChange(from: old, to: new.span.bytes, catalog.newest(entity))
      }
    }
  }

  /// Where the row of a record stands in the store that is changed here for the first time: where it is
  /// shown, unless that is the draft of a save on its way.
  func base(of change: DraftChange) -> RowLocation {
    guard change.old == .none || change.old.region == .draft else { return change.old }
    return base.location(change.key.entity, IdentifierBytes(change.key.id))
  }

  /// Folds changes as a transaction that has no number.
  func fold(_ changes: [DraftChange]) -> [RowChange] {
    kept = nil
    var writer = PayloadWriter(
      changeCount: changes.count,
      rowByteCount: changes.reduce(0) { $0 + ($1.row?.count ?? 0) })
    let draft = ChangePlace(sequence: 0, payloadOffset: 0)
    for change in changes {
      switch (change.net, change.row) {
      case (.insert, let row?):
        var creation = Layout.creation(of: row.span.bytes)
        let stored = base.location(change.key.entity, IdentifierBytes(change.key.id))
        if stored != .none {
          // Its deletion has not been saved.
          creation = base.memory.withBytes(at: stored) { Layout.creation(of: $0) }
        } else if creation == 0 || creation >= ContextView.firstDraftCreation {
          creation = draftCreation(of: change.key, known: creation)
        }
        writer.insert(row.span.bytes, creation: creation)
      case (.update(let changed), let row?):
        let creation = memory.withBytes(at: change.old) { Layout.creation(of: $0) }
        writer.update(row.span.bytes, creation: creation, after: draft, changed: changed)
      case (.delete, nil):
        writer.delete(change.key.id, catalog.newest(change.key.entity), after: draft)
      default: preconditionFailure("\(change.net) with \(change.row?.count ?? 0) bytes")
      }
    }
    let payload = writer.finish()
    let location = memory.draft.add(payload.span.bytes, sequence: 0)
    var folded: [RowChange]? = []
    let misfit = state.fold(
      payload.span.bytes, at: location, in: memory, space, &catalog, changes: &folded)
    precondition(misfit == nil, "a draft does not fit: \(misfit as Any)")
    return folded ?? []
  }

  /// The records that have been made here and have not been saved.
  var draftKeys: Dictionary<EntityKey, UInt64>.Keys { draftCreations.keys }

  /// When a record was made; nil if there is none.
  func creation(of key: EntityKey) -> UInt64? {
    slot(key).map { state.tables[key.entity].row($0, in: space).creation }
  }

  /// Keeps the creation numbers that records have in another view, so that they stay in the order in
  /// which they were made.
  func keepDraftCreations(of other: ContextView, where isUnsaved: (EntityKey) -> Bool) {
    draftCreations = other.draftCreations.filter { isUnsaved($0.key) }
    draftCount = other.draftCount
  }

  /// Forgets the creation numbers of records that are not saved: whoever makes one again makes it anew.
  func forgetDraftCreations() { draftCreations = [:] }

  /// The creation number of a record that is not saved.
  ///
  /// - Parameter known: The one that it had before, as an undo knows it; 0 if there is none.
  func draftCreation(of key: EntityKey, known: UInt64 = 0) -> UInt64 {
    if let creation = draftCreations[key] { return creation }
    var creation = known
    if known == 0 {
      creation = ContextView.firstDraftCreation + draftCount
      draftCount += 1
    }
    draftCreations[key] = creation
    return creation
  }
}
