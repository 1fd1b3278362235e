import DaybookJournal

/// What a store guards: the newest state, and the transactions on their way to the disk.
///
/// The newest state is the *accepted* one: each transaction is folded into it when it is given its number, so that
/// the next one is checked against it. Readers are shown the state before the first one that
/// is still on its way. If a transaction cannot be written, it and those behind it are taken back,
/// newest first.
struct StoreCore: ~Copyable, Sendable {
  private(set) var editor = StateEditor()
  /// Layouts that no transaction has told of yet.
  private(set) var unwrittenLayouts: [Layout] = []
  private var onTheWay: [OnTheWay] = []
  private var lastTicket: UInt64 = 0
  /// How often transactions were taken back.
  private(set) var takeBackCount = 0
  /// The transaction that what was read first is the state after; 0 if it began with none.
  private(set) var base = SequenceNumber.zero
  /// Whether another process writes the journal.
  var isFollowing = false
  private(set) var layoutCount = 0
  /// The accepted state, if somebody wanted it since it last changed.
  private var frozen: FrozenState?
  /// Whether readers are shown something else since it was last set to false.
  var isShownNew = false
  /// How many bytes of payloads there were since one told of all layouts.
  private var byteCountSinceLayouts = 0

  var keys = IdempotencyKeys()
  /// Whether rows are read from the journal's file, by a mapping; else they are kept in memory.
  private(set) var readsFile = false

  /// Whether the main actor has a context, and whether it has been asked to merge.
  var hasViewContext = false
  var isMergeAsked = false

  /// The right to number transactions.
  var numberingHold = NumberingHold()

  private static let layoutInterval = 4 << 20

  // MARK: Reading

  var catalog: Catalog { editor.reader.catalog }

  /// The state that readers are shown.
  mutating func shown() -> FrozenState {
    guard let first = onTheWay.first else { return accepted() }
    guard let before = first.previous.shown else {
      preconditionFailure("readers would be shown a part of what is written together")
    }
    return before
  }

  /// The same, if it need not be made first.
  var knownShown: FrozenState? { onTheWay.isEmpty ? frozen : onTheWay.first?.previous.shown }

  /// The same, for as long as somebody wants it.
  mutating func accepted() -> FrozenState {
    if let frozen { return frozen }
    let now = editor.frozen()
    frozen = now
    return now
  }

  /// The accepted state has become another; and with it what readers are shown, if nothing is on its way.
  private mutating func stateChanged() {
    frozen = nil
    if onTheWay.isEmpty { isShownNew = true }
  }

  // MARK: Checkpoints

  /// What a checkpoint would be made of now; nil if rows do not stand in a file, or if that is a state to which
  /// no replay comes, as its indexes are those of a schema that no transaction has told of.
  mutating func checkpointSource() -> CheckpointSource? {
    guard readsFile else { return nil }
    let frozen = shown()
    let unwritten = Set(
      (onTheWay.flatMap(\.previous.unwrittenLayouts) + unwrittenLayouts).map(\.number))
    let histories = frozen.catalog.history.map { $0.filter { !unwritten.contains($0.number) } }
    // Entities that are new come last, and have no records.
    let count = histories.firstIndex(where: \.isEmpty) ?? histories.count
    for entity in histories.indices where entity < frozen.state.tables.count {
      let isWhole = histories[entity].count == frozen.catalog.history[entity].count
      let isNew = entity >= count && histories[entity].isEmpty
      guard isWhole || (isNew && frozen.state.tables[entity].slotCount == 0) else { return nil }
    }
    var state = frozen.state
    state.tables.removeLast(max(0, state.tables.count - count))
    guard state.tables.count == count else { return nil }
    return CheckpointSource(
      frozen: frozen, state: state, base: base, layouts: Array(histories[..<count].joined()),
      byteCountSinceLayouts: onTheWay.first?.previous.byteCountSinceLayouts
        ?? byteCountSinceLayouts,
      keys: keys)
  }

  /// Begins with a checkpoint, before anything else is folded.
  ///
  /// - Parameter file: The journal's file through where the checkpoint's transaction ends.
  mutating func begin(
    with checkpoint: Checkpoint, in space: PageSpace, file: ByteView, lateChecks: LateChecks
  ) {
    precondition(
      editor.state.sequence == .zero && catalog.names.isEmpty,
      "a checkpoint for a store at \(editor.state.sequence)")
    var catalog = Catalog()
    for layout in checkpoint.layouts {
      let addition = catalog.add(layout)
      precondition(addition == .new, "layout \(layout.number) is there already")
    }
    let memory = RowMemory(
      file: file, locator: checkpoint.locator,
      lateRows: LateRows(lateChecks, source: checkpoint.standIns(in: space)))
    editor = StateEditor(
      StateReader(checkpoint.state, catalog: catalog, memory: memory, space: space))
    readsFile = true
    base = checkpoint.base
    byteCountSinceLayouts = checkpoint.byteCountSinceLayouts
    keys = IdempotencyKeys(checkpoint.keys)
    stateChanged()
  }

  /// What was found to be damaged when it was read.
  var damage: JournalError? { editor.memory.damage }

  /// How much of the file readers are shown.
  var fileByteCount: UInt64 { UInt64(editor.memory.file.count) }

  // MARK: Layouts

  /// Makes a layout the newest of its entity, to be told of by the next transaction.
  mutating func add(_ layout: Layout) {
    let addition = editor.add(layout)
    precondition(addition == .new, "layout \(layout.number) is there already")
    unwrittenLayouts.append(layout)
    stateChanged()
  }

  /// Makes the types of a program those of the store, and their layouts the newest.
  mutating func use(_ adoption: RecordTypes.Adoption) {
    editor.types = adoption.types
    for layout in adoption.newLayouts { add(layout) }
    layoutCount = catalog.layouts.count
    stateChanged()
  }

  /// The layouts that the next transaction has to tell of.
  var layoutsToTell: PayloadLayouts {
    byteCountSinceLayouts >= StoreCore.layoutInterval || editor.state.sequence == .zero
      ? PayloadLayouts(catalog.layouts.all, isComplete: true) : PayloadLayouts(unwrittenLayouts)
  }

  // MARK: Folding

  /// Begins to fold what a journal has, before anybody reads.
  ///
  /// - Parameter isBlind: Whether inserts are folded without looking for the records. It is much faster, and
  ///   where there is one that was there, ``foundTwins`` says no more than that.
  mutating func beginReplay(isBlind: Bool) {
    editor.deferIndexes()
    if isBlind { editor.state.deferSlots() }
  }

  /// Whether records were inserted that were there, somewhere in what was replayed.
  var foundTwins: Bool { editor.state.hasTwins }

  /// Ends that.
  mutating func endReplay() {
    editor.buildIndexes()
    stateChanged()
  }

  /// Folds a transaction that is in the journal.
  mutating func replay(
    _ payload: RawSpan, at location: RowLocation, sequence: SequenceNumber, time: JournalTime,
    isBase: Bool = false
  ) -> PayloadMisfit? {
    precondition(onTheWay.isEmpty, "a replay while \(onTheWay.count) transactions are on their way")
    stateChanged()
    var changes: [RowChange]?
    let misfit = editor.fold(payload, at: location, changes: &changes)
    guard misfit == nil else { return misfit }
    editor.state.sequence = sequence
    editor.state.time = time
    if isBase {
      base = sequence
      editor.memory.noteBase(at: location)
    } else {
      editor.memory.note(sequence.rawValue, at: location)
    }
    note(payload)
    // What history begins with was not saved with a key.
    if !isBase { noteKey(of: payload) }
    return nil
  }

  /// Remembers the idempotency key of a transaction that was replayed, if it has one.
  private mutating func noteKey(of payload: RawSpan) {
    guard PayloadReader.hasKey(payload) else { return }
    var reader = PayloadReader(payload, layouts: catalog.layouts)
    while reader.next(in: payload) != nil {}
    guard let key = reader.metadata(in: payload).idempotencyKey else { return }
    keys.note(editor.state.sequence, with: key)
  }

  /// Adds a transaction to those on their way, and folds it.
  ///
  /// - Returns: A ticket, with which it is taken back if it cannot be written.
  mutating func add(_ transaction: NumberedTransaction) -> UInt64 {
    let payload = transaction.payload
    let location = transaction.location
    let previous = OnTheWay.Previous(
      shown: transaction.isTogether && !onTheWay.isEmpty ? nil : accepted(),
      head: editor.state.head,
      unwrittenLayouts: unwrittenLayouts, byteCountSinceLayouts: byteCountSinceLayouts)
    frozen = nil
    editor.memory.note(
      transaction.sequence.rawValue, at: location,
      underway: location.region == .file ? payload : nil)
    var changes: [RowChange]? = []
    let misfit = editor.fold(payload.span.bytes, at: location, changes: &changes)
    precondition(misfit == nil, "a transaction of our own does not fit: \(misfit as Any)")
    editor.state.sequence = transaction.sequence
    editor.state.time = transaction.time
    lastTicket += 1
    onTheWay.append(
      OnTheWay(transaction, ticket: lastTicket, after: previous, changes: changes ?? []))
    unwrittenLayouts = []
    if let key = transaction.key { keys.begin(transaction.sequence, with: key) }
    note(payload.span.bytes)
    return lastTicket
  }

  private mutating func note(_ payload: RawSpan) {
    let tellsAll = (payload.number(at: 1, as: UInt8.self) ?? 0) & 8 != 0
    byteCountSinceLayouts = tellsAll ? 0 : byteCountSinceLayouts + payload.byteCount
  }

  /// What tells the accepted state from every other.
  var acceptedMark: AcceptedMark {
    AcceptedMark(sequence: editor.state.sequence, takeBackCount: takeBackCount, last: onTheWay.last)
  }

  /// Returns whether transactions were numbered or taken back after a state.
  func isNewer(than mark: AcceptedMark) -> Bool {
    editor.state.sequence != mark.sequence || takeBackCount != mark.takeBackCount
  }

  /// Returns an empty core into which another file is read that has taken the journal's place.
  ///
  /// It has the layouts of this one, so that codecs stay valid.
  func emptyReplacement() -> StoreCore {
    var empty = StoreCore()
    empty.editor = StateEditor(StateReader(catalog: catalog))
    empty.unwrittenLayouts = unwrittenLayouts
    empty.layoutCount = layoutCount
    empty.isFollowing = isFollowing
    empty.editor.state.generation = editor.state.generation + 1
    empty.editor.state.addTables(of: catalog)
    return empty
  }

  /// Takes the place of another core in one step, so that readers see nothing between the two states.
  consuming func replacing(_ old: borrowing StoreCore) -> StoreCore {
    precondition(old.onTheWay.isEmpty, "\(old.onTheWay.count) transactions are on their way")
    precondition(
      editor.state.sequence >= old.editor.state.sequence,
      "the state after \(editor.state.sequence) for that after \(old.editor.state.sequence)")
    var core = self
    core.hasViewContext = old.hasViewContext
    core.isMergeAsked = old.isMergeAsked
    core.takeBackCount = old.takeBackCount
    core.stateChanged()
    return core
  }

  /// Keeps a payload in memory, and says where.
  mutating func keep(
    _ payload: RawSpan, sequence: SequenceNumber, time: JournalTime
  ) -> RowLocation {
    stateChanged()
    return editor.memory.memory.add(payload, sequence: sequence.rawValue, time: time)
  }

  /// Whether readers are not shown a transaction yet.
  func isOnTheWay(_ sequence: SequenceNumber) -> Bool {
    onTheWay.first.map { $0.sequence <= sequence } ?? false
  }

  /// The ticket of a transaction; nil if it is not on its way.
  func ticket(of sequence: SequenceNumber) -> UInt64? {
    onTheWay.first { $0.sequence == sequence }?.ticket
  }

  /// How many transactions readers are not shown yet.
  var onTheWayCount: Int { onTheWay.count }

  /// Shows readers everything up to a transaction, and what was written together with it.
  ///
  /// - Parameter file: Answers with the file through an offset; nil if rows are not read from it.
  mutating func settle(through sequence: SequenceNumber, file: (UInt64) -> ByteView?) {
    var count = onTheWay.prefix { $0.sequence <= sequence }.count
    guard count > 0 else { return }
    while count < onTheWay.count, onTheWay[count].previous.shown == nil { count += 1 }
    let last = onTheWay[count - 1]
    for transaction in onTheWay[..<count] {
      if let key = transaction.key { keys.settle(transaction.sequence, with: key) }
    }
    onTheWay.removeFirst(count)
    editor.memory.settle(
      through: last.sequence.rawValue, file: readsFile ? file(last.end) : nil,
      fileEnd: readsFile ? last.end : 0)
    stateChanged()
    isShownNew = true
  }

  /// Returns the last transaction on its way, up to a sequence number, that is not written together with one after
  /// that number; nil if there is none.
  func lastOfWholeGroup(through sequence: SequenceNumber) -> SequenceNumber? {
    var count = onTheWay.prefix { $0.sequence <= sequence }.count
    while count > 0, count < onTheWay.count, onTheWay[count].previous.shown == nil { count -= 1 }
    return count > 0 ? onTheWay[count - 1].sequence : nil
  }

  /// Whether the main actor is to be asked to merge what has been saved: it has a context, and has not
  /// been asked already.
  mutating func asksForMerge() -> Bool {
    guard hasViewContext, !isMergeAsked else { return false }
    isMergeAsked = true
    return true
  }

  /// Shows the rows of a file through an offset.
  mutating func extend(_ file: ByteView) {
    editor.memory.file = file
    readsFile = true
    stateChanged()
  }

  /// Takes back a transaction that could not be written, and all behind it; nothing if that is done.
  ///
  /// - Returns: The ticket through which everything is settled now.
  mutating func takeBack(from ticket: UInt64) -> UInt64 {
    // One that was taken back with another before it has no part in those that came since.
    guard ticket == 0 || onTheWay.contains(where: { $0.ticket == ticket }) else {
      return settledTicket
    }
    takeBackCount += 1
    while let last = onTheWay.last, last.ticket >= ticket {
      for change in last.changes.reversed() { editor.revert(change) }
      editor.state.head = last.previous.head
      unwrittenLayouts = last.previous.unwrittenLayouts + unwrittenLayouts
      byteCountSinceLayouts = last.previous.byteCountSinceLayouts
      if let key = last.key { keys.takeBack(key) }
      last.noteTakenBack()
      onTheWay.removeLast()
      editor.memory.cut(from: last.sequence.rawValue)
    }
    stateChanged()
    isShownNew = true
    return settledTicket
  }

  /// The ticket through which every transaction has been settled, one way or the other.
  var settledTicket: UInt64 { onTheWay.first.map { $0.ticket - 1 } ?? lastTicket }

  /// The ticket of the last transaction that is on its way.
  var lastOnTheWay: UInt64? { onTheWay.last?.ticket }
}
