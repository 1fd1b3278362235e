import DaybookJournal

/// The mutable part of a store: the newest state, and the transactions in flight. ``GuardedCore``
/// contains it and its lock.
///
/// The newest state is called the *accepted* state. A transaction is applied to it as soon as the
/// transaction has its number, so that the next save is checked against the result. Readers see the
/// state before the first transaction in flight. If a transaction cannot be written, the core rolls
/// back that transaction and all transactions after it, the newest first.
struct StoreCore: ~Copyable, Sendable {
  /// The accepted state, in an editable form.
  var editor = StateEditor()
  /// The layouts that no transaction contains yet.
  var unwrittenLayouts: [Layout] = []
  /// The transactions that are applied to the accepted state and that readers do not see yet, in
  /// the order of their numbers.
  private(set) var inFlight: [InFlight] = []
  /// The ticket of the last transaction that was added. Tickets are never used again.
  var lastTicket: UInt64 = 0
  /// The number of rollbacks.
  var rollBackCount = 0
  /// The last transaction before the recorded history; 0 if the history is complete.
  var base: SequenceNumber { editor.state.base }
  /// A Boolean value that indicates whether the store only reads the journal: it follows a writing
  /// process, or was opened for reading.
  var isFollowing = false
  /// A Boolean value that indicates whether the journal is a replica of a shared log.
  var isSharing = false
  /// The number of absorptions that the accepted state contains; see `FileJournal.absorbed`. It is
  /// 0 if the journal is not shared.
  var absorptionCount = 0
  /// The number of restarts of the replica that the accepted state contains.
  var restartCount: Int { editor.state.generation }
  /// The number of layouts when the record types were last installed. A store that receives
  /// transactions of other processes installs them again when the journal has introduced a layout.
  var layoutCount = 0
  /// The accepted state as an immutable version; nil if no caller has requested it after the last
  /// change.
  private var frozen: FrozenState?
  /// A Boolean value that indicates whether the state that readers see has changed after
  /// ``GuardedCore`` last copied it. `GuardedCore` sets the value to false.
  var hasNewPublished = false
  /// The number of payload bytes after the last payload that contains all layouts.
  private(set) var byteCountSinceLayouts = 0

  /// The idempotency keys of saved transactions and of those in flight.
  var keys = IdempotencyKeys()
  /// The versions that the data has had.
  private(set) var versions = DataVersions()
  /// The reason for which every save is refused; nil if saves are allowed.
  var refusal: StoreError.Reason?
  /// A Boolean value that indicates whether rows are read from a mapping of the journal's file.
  /// Otherwise they are kept in memory.
  private(set) var readsFile = false

  /// Two Boolean values. The first indicates whether the program uses the main actor's context, and
  /// the second whether a merge of that context is already scheduled.
  var hasViewContext = false
  var isMergeRequested = false

  /// The exclusive right to number transactions, which a `write` may hold.
  var numberingHold = NumberingHold()

  private static let layoutInterval = 4 << 20

  // MARK: Reading

  var catalog: Catalog { editor.reader.catalog }

  /// Returns the state that readers see.
  mutating func published() -> FrozenState {
    guard let first = inFlight.first else { return accepted() }
    guard let before = first.previous.published else {
      preconditionFailure("a part of a group would become visible to readers")
    }
    return before
  }

  /// The state that readers see, if it exists; nil if ``published()`` must create it first.
  var knownPublished: FrozenState? {
    inFlight.isEmpty ? frozen : inFlight.first?.previous.published
  }

  /// Returns the accepted state as an immutable version. The core caches that version until the
  /// state changes.
  mutating func accepted() -> FrozenState {
    if let frozen { return frozen }
    let now = editor.frozen(published: inFlight.isEmpty ? nil : published())
    frozen = now
    return now
  }

  /// Invalidates the cached version of the accepted state. If no transaction is in flight, the
  /// state that readers see has changed too.
  mutating func stateChanged() {
    frozen = nil
    if inFlight.isEmpty { hasNewPublished = true }
  }

  // MARK: Checkpoints

  /// Replaces the empty state by that of a checkpoint. The caller then applies the transactions
  /// after it.
  ///
  /// - Parameter file: The journal's file up to the end of the checkpoint's transaction.
  mutating func start(
    with checkpoint: Checkpoint, in space: PageSpace, file: ByteView, lateChecks: LateChecks
  ) {
    precondition(
      editor.state.sequence == .zero && catalog.names.isEmpty,
      "a checkpoint cannot be loaded into a store at transaction \(editor.state.sequence)")
    var catalog = Catalog()
    for layout in checkpoint.layouts {
      let addition = catalog.add(layout)
      precondition(addition == .new, "layout \(layout.number) already exists")
    }
    let memory = RowMemory(
      file: file, locator: checkpoint.locator,
      lateRows: LateRows(lateChecks, source: checkpoint.substitutes(in: space)))
    editor = StateEditor(
      StateReader(checkpoint.state, catalog: catalog, memory: memory, space: space))
    readsFile = true
    versions = checkpoint.versions
    byteCountSinceLayouts = checkpoint.byteCountSinceLayouts
    keys = IdempotencyKeys(checkpoint.keys)
    stateChanged()
  }

  /// The damage that a read of rows has found; nil if none was found.
  var damage: JournalError? { editor.memory.damage }

  /// The number of bytes of the journal's file up to the last transaction that readers see; 0 if
  /// rows are not read from the file.
  var fileByteCount: UInt64 { UInt64(editor.memory.file.count) }

  // MARK: Layouts

  /// Makes a layout the newest of its entity. The next transaction contains the layout.
  mutating func add(_ layout: Layout) {
    let addition = editor.add(layout)
    precondition(addition == .new, "layout \(layout.number) already exists")
    unwrittenLayouts.append(layout)
    stateChanged()
  }

  /// Installs the record types of a program, and makes their layouts the newest.
  mutating func use(_ adoption: RecordTypes.Adoption) {
    editor.types = adoption.types
    for layout in adoption.newLayouts { add(layout) }
    layoutCount = catalog.layouts.count
    stateChanged()
  }

  /// The layouts that the next transaction must contain. Normally these are the new ones. The first
  /// transaction, and one after every 4 MiB of payloads, contains all layouts.
  var layoutsToTell: PayloadLayouts {
    byteCountSinceLayouts >= StoreCore.layoutInterval || editor.state.sequence == .zero
      ? PayloadLayouts(catalog.layouts.allAsAdded, isComplete: true)
      : PayloadLayouts(unwrittenLayouts)
  }

  // MARK: Folding

  /// Prepares the empty core for a replay, before any reader sees the core.
  ///
  /// - Parameter isBlind: A Boolean value that indicates whether inserts are applied without a
  ///   search for an existing record. Such a replay is much faster. ``hasDuplicates`` then reports
  ///   that some record was inserted twice, but not the transaction.
  mutating func startReplay(isBlind: Bool) {
    editor.deferIndexes()
    if isBlind { editor.state.deferSlots() }
  }

  /// A Boolean value that indicates whether the replay inserted a record that already existed.
  var hasDuplicates: Bool { editor.state.hasDuplicates }

  /// Ends a replay, and builds the indexes.
  mutating func endReplay() {
    editor.buildIndexes()
    stateChanged()
  }

  /// Applies a transaction that the journal contains.
  ///
  /// - Parameter dropped: The number of the frame, if the payload is a piece of the base: the
  ///   dropped transaction of a shared log whose parts it contains, or 0. Nil for a transaction.
  mutating func replay(
    _ payload: RawSpan, at location: RowLocation, sequence: SequenceNumber, time: JournalTime,
    base dropped: SequenceNumber? = nil
  ) -> PayloadDefect? {
    if dropped == nil, PayloadReader.hasGaps(payload) {
      return PayloadDefect(offset: 0, kind: .version(PayloadWriter.versionWithGaps))
    }
    precondition(
      inFlight.isEmpty, "a replay started while \(inFlight.count) transactions are in flight")
    stateChanged()
    var changes: [RowChange]?
    let defect = editor.fold(payload, at: location, changes: &changes)
    guard defect == nil else { return defect }
    editor.state.sequence = sequence
    editor.state.time = time
    if let dropped {
      editor.state.base = sequence
      editor.memory.recordBase(at: location, of: dropped.rawValue)
    } else {
      editor.memory.record(sequence.rawValue, at: location)
    }
    record(payload)
    if !unwrittenLayouts.isEmpty {
      let written = Set(PayloadReader.layouts(in: payload).map(\.number))
      unwrittenLayouts.removeAll { written.contains($0.number) }
    }
    recordKeys(of: payload, isBase: dropped != nil)
    return nil
  }

  /// Records the idempotency key of a replayed transaction, or those of the transactions before a
  /// base.
  private mutating func recordKeys(of payload: RawSpan, isBase: Bool) {
    guard PayloadReader.hasKey(payload) else { return }
    var reader = PayloadReader(payload, layouts: catalog.layouts)
    while reader.next(in: payload) != nil {}
    let metadata = reader.metadata(in: payload)
    if isBase {
      keys.record(metadata.retainedKeys, through: editor.state.base)
    } else if let key = metadata.idempotencyKey {
      keys.record(editor.state.sequence, with: key)
    }
  }

  /// Applies a transaction to the accepted state, and adds it to the transactions in flight.
  ///
  /// - Returns: The ticket of the transaction. The caller passes it to `rollBack(from:)` if the
  ///   transaction cannot be written.
  mutating func add(_ transaction: NumberedTransaction) -> UInt64 {
    let payload = transaction.payload
    let location = transaction.location
    let previous = InFlight.Previous(
      published: transaction.isTogether && !inFlight.isEmpty ? nil : accepted(),
      head: editor.state.head,
      unwrittenLayouts: unwrittenLayouts, byteCountSinceLayouts: byteCountSinceLayouts)
    frozen = nil
    editor.memory.record(
      transaction.sequence.rawValue, at: location,
      inFlight: location.region == .file ? payload : nil)
    var changes: [RowChange]? = []
    let defect = editor.fold(payload.span.bytes, at: location, changes: &changes)
    precondition(defect == nil, "a transaction of this store is invalid: \(defect as Any)")
    editor.state.sequence = transaction.sequence
    editor.state.time = transaction.time
    lastTicket += 1
    inFlight.append(
      InFlight(transaction, ticket: lastTicket, after: previous, changes: changes ?? []))
    unwrittenLayouts = []
    if let key = transaction.key { keys.start(transaction.sequence, with: key) }
    record(payload.span.bytes)
    return lastTicket
  }

  private mutating func record(_ payload: RawSpan) {
    versions.record(editor.state.sequence, payload: payload, layouts: catalog.layouts)
    let hasAllLayouts = (payload.number(at: 1, as: UInt8.self) ?? 0) & 8 != 0
    byteCountSinceLayouts = hasAllLayouts ? 0 : byteCountSinceLayouts + payload.byteCount
  }

  /// The identity of the accepted state.
  var acceptedMark: AcceptedMark {
    AcceptedMark(sequence: editor.state.sequence, rollBackCount: rollBackCount, last: inFlight.last)
  }

  /// Returns whether transactions were numbered or rolled back after the state that a mark
  /// identifies.
  func isNewer(than mark: AcceptedMark) -> Bool {
    editor.state.sequence != mark.sequence || rollBackCount != mark.rollBackCount
  }

  /// Stores a payload in memory, and returns its location.
  mutating func store(
    _ payload: RawSpan, sequence: SequenceNumber, time: JournalTime
  ) -> RowLocation {
    stateChanged()
    return editor.memory.memory.add(payload, sequence: sequence.rawValue, time: time)
  }

  /// Returns whether a transaction is not visible to readers yet.
  func isInFlight(_ sequence: SequenceNumber) -> Bool {
    inFlight.first.map { $0.sequence <= sequence } ?? false
  }

  /// Returns the ticket of a transaction; nil if it is not in flight.
  func ticket(of sequence: SequenceNumber) -> UInt64? {
    inFlight.first { $0.sequence == sequence }?.ticket
  }

  /// The number of transactions that readers do not see yet.
  var inFlightCount: Int { inFlight.count }

  /// Makes all transactions up to a sequence number visible to readers. If the last of them is in
  /// the middle of a group, makes the rest of that group visible too.
  ///
  /// - Parameter file: A closure that returns the mapped bytes of the file up to an offset. The
  ///   closure is called only if rows are read from the file.
  mutating func publish(through sequence: SequenceNumber, file: (UInt64) -> ByteView?) {
    var count = inFlight.prefix { $0.sequence <= sequence }.count
    guard count > 0 else { return }
    while count < inFlight.count, inFlight[count].previous.published == nil { count += 1 }
    let last = inFlight[count - 1]
    for transaction in inFlight[..<count] {
      if let key = transaction.key { keys.confirm(transaction.sequence, with: key) }
    }
    inFlight.removeFirst(count)
    editor.memory.moveToFile(
      through: last.sequence.rawValue, file: readsFile ? file(last.end) : nil,
      fileEnd: readsFile ? last.end : 0)
    stateChanged()
    hasNewPublished = true
  }

  /// Returns the last transaction in flight that ends a whole group and whose number is at most a
  /// given one; nil if no transaction does.
  func lastOfCompleteGroup(through sequence: SequenceNumber) -> SequenceNumber? {
    var count = inFlight.prefix { $0.sequence <= sequence }.count
    while count > 0, count < inFlight.count, inFlight[count].previous.published == nil {
      count -= 1
    }
    return count > 0 ? inFlight[count - 1].sequence : nil
  }

  /// Returns whether the caller must schedule a merge of the main actor's context, and if so,
  /// records that it is scheduled. The result is false if there is no such context, or if a merge
  /// is already scheduled.
  mutating func asksForMerge() -> Bool {
    guard hasViewContext, !isMergeRequested else { return false }
    isMergeRequested = true
    return true
  }

  /// Installs a longer mapping of the journal's file, so that rows up to its end can be read.
  mutating func extend(_ file: ByteView) {
    editor.memory.file = file
    readsFile = true
    stateChanged()
  }

  /// Rolls back a transaction that could not be written, and all transactions after it. Changes
  /// nothing if the transaction is not in flight.
  ///
  /// - Parameter ticket: The ticket of the transaction; 0 for all transactions in flight.
  /// - Returns: The ticket of the last settled transaction.
  mutating func rollBack(from ticket: UInt64) -> UInt64 {
    // Each save of a failed group calls this method. The first call rolls back the whole group. A
    // later call must not roll back transactions that were added after that.
    guard ticket == 0 || inFlight.contains(where: { $0.ticket == ticket }) else {
      return settledTicket
    }
    rollBackCount += 1
    while let last = inFlight.last, last.ticket >= ticket {
      for change in last.changes.reversed() { editor.revert(change) }
      editor.state.head = last.previous.head
      unwrittenLayouts = last.previous.unwrittenLayouts + unwrittenLayouts
      byteCountSinceLayouts = last.previous.byteCountSinceLayouts
      if let key = last.key { keys.rollBack(key) }
      last.markRolledBack()
      inFlight.removeLast()
      editor.memory.cut(from: last.sequence.rawValue)
    }
    versions = versions.through(editor.state.sequence)
    stateChanged()
    hasNewPublished = true
    return settledTicket
  }

  /// The ticket of the last settled transaction. That transaction and all before it are published
  /// or rolled back.
  var settledTicket: UInt64 { inFlight.first.map { $0.ticket - 1 } ?? lastTicket }

  /// The ticket of the last transaction in flight; nil if none is in flight.
  var lastInFlight: UInt64? { inFlight.last?.ticket }
}
