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
final class ContextView {
  /// The state of the store below.
  let base: FrozenState
  private var contents = Contents.stored

  private enum Contents {
    /// The records of the store.
    case stored
    /// Changes that nobody has looked at, and what was folded before them.
    case waiting([Draft], after: FoldedState?)
    case folded(FoldedState)
  }

  /// How many changes wait at the most. More are looked for too often to be gone through one by one.
  private static let waitingMax = 8

  /// - Parameter base: A state of the store; or one of an earlier moment, which nobody else has, as it is
  ///   a fork itself and what is not saved goes into its pages.
  init(_ base: FrozenState) { self.base = base }

  var catalog: Catalog { base.catalog }

  /// The state that is shown, until the next edit.
  var reader: StateReader {
    _read {
      if let folded { yield folded.editor.reader } else { yield base.reader }
    }
  }

  /// The memory of every row but those of changes that wait.
  private var heldMemory: RowMemory {
    switch contents {
    case .stored, .waiting(_, after: nil): base.memory
    case .waiting(_, after: let folded?), .folded(let folded): folded.editor.memory
    }
  }

  /// The change of a record that waits; nil if there is none.
  private func waiting(_ key: EntityKey) -> Draft? {
    guard case .waiting(let changes, _) = contents else { return nil }
    return changes.first { $0.key == key }
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
    let (changes, earlier): ([Draft], FoldedState?) =
      switch contents {
      case .stored: ([], nil)
      case .waiting(let changes, let earlier): (changes, earlier)
      case .folded(let folded): ([], folded)
      }
    let folded = earlier ?? FoldedState(base)
    contents = .folded(folded)
    if !changes.isEmpty { _ = folded.fold(changes) }
    return folded
  }

  /// What is shown now, for ever.
  //
  // In pages of the space that later changes are folded into, so that what differs is found by the pages.
  var frozen: FrozenState { editable.frozen() }

  /// Where the row of a record stands; none if there is no such record.
  func location(_ key: EntityKey) -> RowLocation { shown(key).place.location }

  /// A record as it is shown: where it is, none if it is not there, and its creation number.
  struct Shown {
    var place: RecordPlace
    var creation: UInt64
  }

  func shown(_ key: EntityKey) -> Shown {
    guard let slot = slot(key) else { return Shown(place: .none, creation: 0) }
    let (location, creation) = reader.row(inSlot: slot, of: key.entity)
    return Shown(place: RecordPlace(slot, at: location), creation: creation)
  }

  func slot(_ key: EntityKey) -> UInt32? {
    reader.slot(of: IdentifierBytes(key.id), in: key.entity)
  }

  /// When a record was made; nil if there is none.
  func creation(of key: EntityKey) -> UInt64? {
    slot(key).map { reader.row(inSlot: $0, of: key.entity).creation }
  }

  /// The row of a record in its newest layout, with all its values; nil if there is no such record.
  func row(_ key: EntityKey) -> [UInt8]? {
    if let change = waiting(key) { return change.row }
    return row(at: location(key), of: key.entity)
  }

  /// The row that an unsaved record has, nil if it has none, and the net change to it from the one in the store.
  func outcome(of draft: Draft) -> (row: [UInt8]?, net: NetChange) {
    if let change = waiting(draft.key) {
      let (shown, net) = change.comparison
      // It was compared with the same row at the boundary.
      if shown.place.location == draft.base { return (change.row, net) }
    }
    let row = row(draft.key)
    return (row, net(from: draft.base, of: draft.key.entity, to: row))
  }

  /// The row at a location in the newest layout, with all its values; nil if the location is none.
  func row(at location: RowLocation, of entity: Int) -> [UInt8]? {
    if location == .none { return nil }
    return heldMemory.withWholeRow(at: location, layouts: catalog.layouts) {
      catalog.types.newest($0, of: entity, in: catalog)
    }
  }

  /// The net change from the row at a location, none if there is none, to one in the newest layout.
  func net(from old: RowLocation, of entity: Int, to new: [UInt8]?) -> NetChange {
    guard old != .none, let new else {
      return old != .none ? .delete : new == nil ? .none : .insert
    }
    return heldMemory.withWholeRow(at: old, layouts: catalog.layouts) { old in
      catalog.types.withNewest(old, of: entity, in: catalog) { old in
        NetChange(from: old, to: new.span.bytes, catalog.newest(entity))
      }
    }
  }

  /// Where the row of a record stands in the store that is changed here for the first time: where it is
  /// shown, unless that is the draft of a save on its way.
  ///
  /// - Parameter location: Where it is shown until then; none if there is no such record.
  func base(of key: EntityKey, shown location: RowLocation) -> RowLocation {
    let isEdited =
      switch contents {
      case .stored: false
      case .waiting: true
      case .folded(let folded): folded.isEdited
      }
    guard isEdited, location == .none || location.region == .draft else { return location }
    return base.reader.location(of: IdentifierBytes(key.id), in: key.entity)
  }

  /// Shows changes, which nobody is told of.
  func show(_ changes: consuming [Draft]) {
    if changes.isEmpty { return }
    guard changes.count <= ContextView.waitingMax else {
      _ = fold(changes)
      return
    }
    for index in changes.indices { changes[index].setCreationOfRow() }
    contents = .waiting(changes, after: folded)
  }

  /// Folds changes as a transaction that has no number.
  func fold(_ changes: [Draft]) -> [RowChange] { editable.fold(changes) }
}

/// A state in pages and memory of its own, which the changes of a context are folded into.
private final class FoldedState {
  private(set) var editor: StateEditor
  /// What it is now, for all who ask; nil before anybody does, and while it is edited, as pages that it sees would
  /// have to be copied.
  private var kept: FrozenState?
  /// Whether anything was folded into it.
  private(set) var isEdited = false

  /// Begins as another state.
  init(_ base: FrozenState) {
    editor = StateEditor(base, in: base.space.isFork ? base.space : base.fork())
  }

  /// Returns what it is now, for ever.
  func frozen() -> FrozenState {
    if let kept { return kept }
    let now = editor.frozen()
    kept = now
    return now
  }

  /// Folds changes as a transaction that has no number.
  func fold(_ changes: [Draft]) -> [RowChange] {
    kept = nil
    isEdited = true
    var writer = PayloadWriter(
      changeCount: changes.count,
      rowByteCount: changes.reduce(0) { $0 + ($1.row?.count ?? 0) })
    let draft = ChangePlace(sequence: 0, payloadOffset: 0)
    // By parts: to copy whole changes would count what each refers to.
    for index in changes.indices {
      let creation = changes[index].creation
      switch (changes[index].comparison.net, changes[index].row) {
      case (.insert, let row?): writer.insert(row.span.bytes, creation: creation)
      case (.update(let changed), let row?):
        writer.update(row.span.bytes, creation: creation, after: draft, changed: changed)
      case (.delete, nil):
        let key = changes[index].key
        writer.delete(key.id, in: editor.reader.catalog.newest(key.entity), after: draft)
      case (let net, let row): preconditionFailure("\(net) with \(row?.count ?? 0) bytes")
      }
    }
    let payload = writer.finish()
    let location = editor.memory.draft.add(payload.span.bytes, sequence: 0)
    var rowChanges: [RowChange]? = []
    let misfit = editor.fold(
      payload.span.bytes, at: location, changes: &rowChanges,
      places: changes.map { $0.shown?.place ?? .none })
    guard misfit == nil, var rowChanges else {
      preconditionFailure("a draft does not fit: \(misfit as Any)")
    }
    for index in changes.indices {
      if case .update(let changed) = changes[index].net {
        rowChanges[index].changed = AttributeBits(changed)
      }
    }
    return rowChanges
  }
}
