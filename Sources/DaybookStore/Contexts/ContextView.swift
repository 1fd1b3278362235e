import DaybookJournal

/// The records that a context shows: a state of the store, with the unsaved changes applied to it.
/// In the comments of contexts, the *shown* record is the record in this view. The view changes at
/// boundaries, so it does not contain pending changes.
///
/// ```
///   stored ──apply──▶ waiting ──a read, fold, frozen──▶ folded
///      │                ▲                                │ ▲
///      │                └────────────apply───────────────┘ │
///      └──────fold, frozen, apply of many changes──────────┘
/// ```
///
/// The view keeps up to eight changes as *waiting*: it shows them, but it has not written them to
/// pages yet. Most saves have a few changes that no code reads before the save. For these, the view
/// never creates pages.
//
// The view is a class. A struct with its dozen references would be copied each time the context
// reads a record.
final class ContextView {
  /// The state of the store that the view is based on.
  let base: FrozenState
  private var contents = Contents.stored

  /// The three forms of the shown records. The drawing above shows the transitions between them.
  private enum Contents {
    /// The records of the store, without changes.
    case stored
    /// Changes that no code has read, and the state with all earlier changes; nil if there are no
    /// earlier changes.
    case waiting([Draft], after: FoldedState?)
    /// A state that contains all changes in its pages.
    case folded(FoldedState)
  }

  /// The maximum number of waiting changes. A linear search through more changes would take too
  /// long.
  private static let waitingMax = 8

  /// Creates a view without changes.
  ///
  /// - Parameter base: A state of the store, or the state of an earlier moment. The state of a
  ///   moment is a fork already, so the view writes unsaved changes into its pages. Such a state
  ///   must have no other owner.
  init(_ base: FrozenState) { self.base = base }

  var catalog: Catalog { base.catalog }

  /// A reader of the shown state, which is valid until the next change of the view.
  var reader: StateReader {
    _read {
      if let folded { yield folded.editor.reader } else { yield base.reader }
    }
  }

  /// The memory that contains all rows except those of waiting changes.
  private var heldMemory: RowMemory {
    switch contents {
    case .stored, .waiting(_, after: nil): base.memory
    case .waiting(_, after: let folded?), .folded(let folded): folded.editor.memory
    }
  }

  /// Returns the waiting change of a record, if any.
  private func waiting(_ key: EntityKey) -> Draft? {
    guard case .waiting(let changes, _) = contents else { return nil }
    return changes.first { $0.key == key }
  }

  /// The state with the context's changes, waiting changes included; nil while the view shows the
  /// store without changes.
  private var folded: FoldedState? {
    switch contents {
    case .stored: nil
    case .folded(let folded): folded
    case .waiting: editable
    }
  }

  /// The state with the context's changes, which is created at its first use.
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

  /// An immutable state with the records that are shown at the time of the call.
  //
  // All such states of one view have their pages in one space. Two of them can therefore be
  // compared page by page.
  var frozen: FrozenState { editable.frozen() }

  /// An immutable state for a search that is not continued: the state of the store while the view
  /// has no changes, and otherwise ``frozen``.
  ///
  /// A state of the store with transactions in flight is not used. If one of them fails, a later
  /// one can have its number and its offset, and an index could confuse the two.
  var searched: FrozenState {
    if case .stored = contents, base.published == nil { base } else { frozen }
  }

  /// Returns the location of a record's row; `.none` if the record does not exist.
  func location(_ key: EntityKey) -> RowLocation { visible(key).position.location }

  /// A record as it is shown: its position (`.none` if it does not exist) and its creation number.
  struct Visible {
    var position: RecordPosition
    var creation: UInt64
  }

  func visible(_ key: EntityKey) -> Visible {
    guard let slot = slot(key) else { return Visible(position: .none, creation: 0) }
    let (location, creation) = reader.row(inSlot: slot, of: key.entity)
    return Visible(position: RecordPosition(slot, at: location), creation: creation)
  }

  func slot(_ key: EntityKey) -> UInt32? {
    reader.slot(of: IdentifierBytes(key.id), in: key.entity)
  }

  /// Returns the creation number of a record; nil if the record does not exist.
  func creation(of key: EntityKey) -> UInt64? {
    slot(key).map { reader.row(inSlot: $0, of: key.entity).creation }
  }

  /// Returns the row of a record in its newest layout, with all its values; nil if the record does
  /// not exist.
  func row(_ key: EntityKey) -> [UInt8]? {
    if let change = waiting(key) { return change.row }
    return row(at: location(key), of: key.entity)
  }

  /// Returns the shown row of an unsaved draft (nil if the record is deleted), and the net change
  /// from the store's row to that row.
  func outcome(of draft: Draft) -> (row: [UInt8]?, net: NetChange) {
    if let change = waiting(draft.key) {
      let (visible, net) = change.comparison
      // If the last boundary has compared the new row with the store's row, its result is used.
      if visible.position.location == draft.base { return (change.row, net) }
    }
    let row = row(draft.key)
    return (row, net(from: draft.base, of: draft.key.entity, to: row))
  }

  /// Returns the row at a location in the newest layout, with all its values; nil if the location
  /// is `.none`.
  func row(at location: RowLocation, of entity: Int) -> [UInt8]? {
    if location == .none { return nil }
    return heldMemory.withCompleteRow(at: location, layouts: catalog.layouts) {
      catalog.types.newest($0, of: entity, in: catalog)
    }
  }

  /// Returns the values in the row at a location that have an earlier type of their attribute, and
  /// for which no record type has a converter. Returns no values if the location is `.none`.
  func unconvertedValues(
    at location: RowLocation, of entity: Int
  ) -> [(attribute: RecordTypes.Unconverted, type: AttributeType, value: AttributeValue)] {
    let unconverted = catalog.types.unconverted(of: catalog.newest(entity).entity)
    if location == .none || unconverted.isEmpty { return [] }
    return heldMemory.withCompleteRow(at: location, layouts: catalog.layouts) { row in
      guard let number = Layout.number(of: row), let layout = catalog.layouts[number] else {
        return []
      }
      let mapping = catalog.mapping(of: number)
      return unconverted.compactMap { attribute in
        guard case .other(let source, let type) = mapping[attribute.index],
          let range = layout.range(of: source, in: row),
          let value = AttributeValue(type, bytes: row.extracting(range))
        else { return nil }
        return (attribute, type, value)
      }
    }
  }

  /// Returns whether two rows have the same values in the newest layout, or are both nil.
  func areEqual(_ one: [UInt8]?, and other: [UInt8]?, of entity: Int) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return catalog.types.withNewest(one.span.bytes, of: entity, in: catalog) { one in
      catalog.types.withNewest(other.span.bytes, of: entity, in: catalog) { other in
        catalog.newest(entity).haveEqualValues(one, and: other)
      }
    }
  }

  /// Returns the net change from the row at a location (`.none` for no row) to a row in the newest
  /// layout.
  func net(from old: RowLocation, of entity: Int, to new: [UInt8]?) -> NetChange {
    guard old != .none, let new else {
      return old != .none ? .delete : new == nil ? .none : .insert
    }
    return heldMemory.withCompleteRow(at: old, layouts: catalog.layouts) { old in
      catalog.types.withNewest(old, of: entity, in: catalog) { old in
        NetChange(from: old, to: new.span.bytes, catalog.newest(entity))
      }
    }
  }

  /// Returns the location in the store of a record's row, when this context changes the record for
  /// the first time.
  ///
  /// The result is the location of the shown row, unless a save in progress has an earlier draft of
  /// the record. Then the shown row is in this context's memory, or the record is shown as deleted.
  /// The base state supplies the location in that case.
  ///
  /// - Parameter location: The location of the shown row; `.none` if the record is not shown.
  func base(of key: EntityKey, visible location: RowLocation) -> RowLocation {
    let isEdited =
      switch contents {
      case .stored: false
      case .waiting: true
      case .folded(let folded): folded.isEdited
      }
    guard isEdited, location == .none || location.region == .draft else { return location }
    return base.reader.location(of: IdentifierBytes(key.id), in: key.entity)
  }

  /// Applies changes to the view. The caller notifies no observers, so up to eight changes can stay
  /// waiting.
  func apply(_ changes: consuming [Draft]) {
    if changes.isEmpty { return }
    guard changes.count <= ContextView.waitingMax else {
      _ = fold(changes)
      return
    }
    for index in changes.indices { changes[index].setCreationOfRow() }
    contents = .waiting(changes, after: folded)
  }

  /// Applies changes to the pages of the view as a transaction without a number, and returns the
  /// changes of rows for observers.
  func fold(_ changes: [Draft]) -> [RowChange] { editable.fold(changes) }
}

/// A state with the changes of a context. Its changed pages and rows are in its own pages and
/// memory, so the store's state stays unchanged.
private final class FoldedState {
  private(set) var editor: StateEditor
  /// The state that readers of the store see; nil if the base is an earlier moment.
  private let published: FrozenState?
  /// The last immutable version that a caller has requested, shared by all callers; nil until a
  /// caller requests one.
  ///
  /// An edit releases it first. Otherwise the edit would have to copy the pages that the version
  /// shares.
  private var cached: FrozenState?
  /// A Boolean value that indicates whether changes were applied.
  private(set) var isEdited = false

  /// Creates a state that initially equals a given state.
  init(_ base: FrozenState) {
    editor = StateEditor(base, in: base.space.isFork ? base.space : base.fork())
    published = base.published ?? (base.space.isFork ? nil : base)
  }

  /// Returns an immutable state with the current contents.
  func frozen() -> FrozenState {
    if let cached { return cached }
    let now = editor.frozen(published: published)
    cached = now
    return now
  }

  /// Applies changes to the pages of the view as a transaction without a number, and returns the
  /// changes of rows for observers.
  func fold(_ changes: [Draft]) -> [RowChange] {
    cached = nil
    isEdited = true
    var writer = PayloadWriter(
      changeCount: changes.count,
      rowByteCount: changes.reduce(0) { $0 + ($1.row?.count ?? 0) })
    let draft = ChangePosition(sequence: 0, payloadOffset: 0)
    // The loop reads single fields. A copy of a whole change would retain every object that it
    // refers to.
    for index in changes.indices {
      let creation = changes[index].creation
      switch (changes[index].comparison.net, changes[index].row) {
      case (.insert, let row?): writer.insert(row.span.bytes, creation: creation)
      case (.update(let changed), let row?):
        writer.update(row.span.bytes, creation: creation, after: draft, changed: changed)
      case (.delete, nil):
        let key = changes[index].key
        writer.delete(key.id, in: editor.reader.catalog.newest(key.entity), after: draft)
      case (let net, let row):
        preconditionFailure("the net change \(net) has a row of \(row?.count ?? 0) bytes")
      }
    }
    let payload = writer.finish()
    let location = editor.memory.draft.add(payload.span.bytes, sequence: 0)
    var rowChanges: [RowChange]? = []
    let defect = editor.fold(
      payload.span.bytes, at: location, changes: &rowChanges,
      positions: changes.map { $0.visible?.position ?? .none })
    guard defect == nil, var rowChanges else {
      preconditionFailure("the draft is invalid: \(defect as Any)")
    }
    for index in changes.indices {
      if case .update(let changed) = changes[index].net {
        rowChanges[index].changed = AttributeBits(changed)
      }
    }
    return rowChanges
  }
}
