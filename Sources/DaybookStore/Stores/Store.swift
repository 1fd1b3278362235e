import DaybookJournal
import DaybookPlatform
import Synchronization

/// A collection of records, and the journal that contains every change of them. The journal is a
/// file or, for a store in memory, a list of transactions.
///
/// ```swift
/// let store = try Store(at: "banks.daybook", records: Bank.self, BankDetails.self)
/// let context = store.makeContext()
/// try context.insert(Bank(name: "First"))
/// try context.saveAndWait()
/// print(try store.snapshot.count(of: Bank.self))
/// ```
///
/// A save has four steps:
///
/// 1. The context passes its changes to the store.
/// 2. The store merges the changes with its newest state. The changes get a transaction number and
///    a position in the journal, and the store applies them to that state. The save holds the
///    store's lock during this step, and not later.
/// 3. The journal writes and syncs the changes, together with the changes of all callers that save
///    at the same time.
/// 4. The store shows the new state to its readers. If the changes cannot be written, the store
///    rolls them back instead.
///
/// A context, a controller, an observed list, and a stream of results that no loop reads yet retain
/// their store. A loop over such a stream retains a store that follows a journal, because the
/// writing process may save. A loop does not retain a store that writes its journal: the loop ends
/// when that store is released.
///
/// A store closes its journal when it is released. Unsaved changes of its contexts are lost; see
/// ``close()``.
public final class Store: Sendable {
  // Shared state
  //
  // - `core`: guarded by its mutex. A save or a read does not call the disk while it holds the
  //   mutex, except to extend the mapping of the file. A recovery reads the file while it holds it.
  // - `viewMerger`: only the main actor uses it.
  //
  // The other properties do not change after `init`, or synchronize themselves.

  package let log: StoreLog
  let core: GuardedCore
  /// The error of an invalid transaction at which the reading of the journal ended; nil if the
  /// whole journal was read.
  ///
  /// The frame of the transaction is intact, so the program that wrote it has made a mistake. Only
  /// a store opened for reading can have such an error. The opening of any other store fails
  /// instead.
  public let readingProblem: StoreError?
  /// The findings of the opening. The records are checked when the program first reads
  /// ``openingReport``.
  let opening: Opening
  /// A counter whose value is the ticket of the last settled transaction. That transaction and all
  /// before it are published or rolled back.
  ///
  /// A save that conflicts with a transaction in flight waits until that transaction is settled. If
  /// the save then fails, readers already see the transaction that it conflicts with. So the caller
  /// can merge that transaction and save again.
  let settled = Signal()
  /// A counter whose value is the number of ended holds; see ``NumberingHold``. A save that arrives
  /// during a hold waits for the end of that hold.
  let releasedHolds = Signal()
  /// The lock that a call of `write` holds while its body runs.
  let writeLock = FairLock()
  /// A counter that increases with every change of the state that readers see. The signal ends when
  /// no change can follow, because the store is closed or following has failed.
  package let publications = Signal()
  /// The keeper that writes checkpoints when they are due; nil if the store keeps no checkpoints.
  let checkpoints: CheckpointKeeper?
  /// The totals in the checkpoint that the store was opened from; nil without such a checkpoint, or
  /// if it has no totals.
  let checkpointTotals: HistoryTotals?
  /// The queue of work that writes the derived files: checkpoints and list caches.
  package let derivedWork: DerivedWork
  /// The context of the main actor; nil until the program uses that context.
  @MainActor var viewMerger: (any ViewMerger)?

  /// The derived files beside the journal, if the store writes any; otherwise nil.
  package var derivedFiles: DerivedFiles? { log.derivedFiles }

  /// The derived files beside the journal. Unlike ``derivedFiles``, a store that only reads the
  /// journal has them too.
  package var filesBeside: DerivedFiles? { log.filesBeside }

  /// The path of the journal, as the caller passed it.
  public var path: String { log.path }

  /// Opens the journal of a store, or creates one.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - types: The types of the records. Other entities of the journal are kept, and can be read
  ///     without a type.
  ///   - options: The options of the journal.
  /// - Throws: ``StoreError``: `journal`, if the journal cannot be opened; `payload`, if a
  ///   transaction is invalid; `schema` or `limit`, if the schemas contradict themselves, each
  ///   other or the journal; `typeChanged`, `identifierChanged` or
  ///   `tooManyLayouts`, if the journal's schema cannot become that of the types; `invalidRecords`,
  ///   if a schema requires the check of its records. No transaction is added to the journal then.
  /// - Complexity: O(*n*), where *n* is the size of the last checkpoint plus the number of bytes in
  ///   the journal after it. Without a checkpoint, *n* is the size of the journal.
  public convenience init(
    at path: String, records types: any Record.Type..., options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(at: path, types: types, options: options)
  }

  /// Opens the journal of a store, or creates one.
  ///
  /// - Parameter version: The version of the data that the program declares. If it is above the
  ///   version in the journal, the caller runs the migration steps next.
  package convenience init(
    at path: String, types: [any Record.Type], version: Int = 0, options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
    if (try? options.disk.status(of: path)) == nil {
      // A new journal must satisfy rules that an existing one may break. If the types are refused,
      // no empty journal is left.
      var core = StoreCore()
      _ = try core.adopt(RecordTypes(types), path: path)
    }
    var checkpoint: CheckpointFile.Opened?
    let journal: FileJournal
    do {
      journal = try FileJournal(at: path, options: options) { files, header, fits in
        guard options.keepsCheckpoints else { return nil }
        checkpoint = CheckpointFile.newest(beside: files, of: header, fits: fits)
        return checkpoint?.checkpoint.start
      }
    } catch {
      throw StoreError(.journal(error), path: path)
    }
    try self.init(.file(journal), types: types, version: version, from: checkpoint)
  }

  /// Opens the journal of a store with entities that are only known at run time, or creates one.
  ///
  /// An entity receives a new layout if the journal does not contain it, or contains a different
  /// definition of it.
  package convenience init(
    at path: String, entities: [EntityDefinition], options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(at: path, types: [], options: options)
    try define(entities)
  }

  /// Adds layouts for entities that are new or have a different definition. The next transaction
  /// contains the layouts.
  ///
  /// An attribute with a changed type reads as nil in older rows, because only the record types of
  /// a program can convert values.
  @_spi(Tools) public func define(_ entities: [EntityDefinition]) throws(StoreError) {
    let path = path
    try core.withLock { (core) throws(StoreError) in
      for entity in entities {
        let layouts = core.catalog.layouts
        let name = try layouts.name(ofEntityDefinedBy: entity, path: path)
        if let known = name.flatMap({ layouts.newest(of: $0) })?.entity {
          if known == entity { continue }
          guard known.identifierKind == entity.identifierKind else {
            throw StoreError(
              .identifierChanged(
                entity: entity.name, from: known.identifierKind, to: entity.identifierKind),
              path: path)
          }
        }
        let layoutCount = name.map { layouts.layoutCount(of: $0) } ?? 0
        let entityCount = layouts.entityCount
        if let excess = SchemaExcess(entity, after: layoutCount)
          ?? (layoutCount == 0 ? SchemaExcess(entity: entity.name, after: entityCount) : nil)
        {
          throw StoreError(.limit(excess, in: nil), path: path)
        }
        guard let number = core.isSharing ? layouts.sharedNumber(of: entity) : layouts.nextNumber
        else {
          throw StoreError(.tooManyLayouts, path: path)
        }
        core.add(Layout(number: number, of: entity))
      }
    }
  }

  /// Creates a store in memory, for tests, previews and temporary data.
  public static func inMemory(records types: any Record.Type...) throws(StoreError) -> Store {
    try inMemory(types: types)
  }

  /// Creates a store in memory, with a new or an existing journal in memory.
  package static func inMemory(
    types: [any Record.Type], version: Int = 0, journal: MemoryJournal = MemoryJournal()
  ) throws(StoreError) -> Store {
    try RecordTypes.check(types, path: StoreLog.memory(journal).path)
    return try Store(.memory(journal), types: types, version: version)
  }

  init(
    _ log: StoreLog, types: [any Record.Type], version: Int = 0,
    from checkpoint: CheckpointFile.Opened? = nil
  ) throws(StoreError) {
    self.log = log
    derivedWork = DerivedWork(runsInBackground: log.worksInBackground)
    var core = StoreCore()
    var problem: StoreError?
    do throws(StoreError) { try Replay.run(log, from: checkpoint, into: &core) } catch {
      // A store opened for reading shows the records up to the invalid payload.
      guard case .reading = log, case .payload = error.reason else { throw error }
      problem = error
    }
    readingProblem = problem
    core.isFollowing = !log.isWritten
    if case .file(let journal) = log, journal.link != nil {
      core.isSharing = true
      core.absorptionCount = journal.absorbed.count
      core.editor.state.generation = journal.restartCount
    }
    var recordTypes = RecordTypes(types)
    recordTypes.isMigrating = version > core.versions.newest.number
    var report = try core.adopt(recordTypes, path: log.path)
    // A program without record types, such as a tool, understands data of every version.
    if log.isWritten, !types.isEmpty { report.newerVersion = core.refuseSaves(of: version) }
    opening = Opening(report)
    if !recordTypes.isMigrating { try core.accepted().checkAtOpening(log.path) }
    let hasStarted = core.editor.memory.hasLateRows
    checkpoints = CheckpointKeeper(log, from: checkpoint, hasStarted: hasStarted)
    checkpointTotals = hasStarted ? checkpoint?.checkpoint.totals : nil
    let end = core.fileByteCount
    self.core = GuardedCore(core)
    storeCheckpoint(at: end)
  }

  // A save retains the store until it ends, so no save is under way here.
  deinit {
    Store.audit(self)
    core.withLock { $0.catalog.attachment }.release()
    publications.end()
    if case .following(let journal) = log { journal.close() }
  }

  /// A snapshot of the records after the last transaction that is as durable as the store's options
  /// require.
  ///
  /// - Complexity: O(1)
  public var snapshot: StoreSnapshot {
    // The getter is never inlined into a caller of a different module. The Swift 6.3.1 compiler
    // crashes when it optimizes an asynchronous function that calls throwing functions after the
    // inlined getter.
    @inline(never)
    get { StoreSnapshot(core.published(), path: path) }
  }

  /// Merges new transactions into the context of the main actor, if the program uses that context.
  @MainActor func mergeIntoViewContext() {
    core.withLock { $0.isMergeRequested = false }
    viewMerger?.mergeChanges(of: self)
  }

  /// Wakes the tasks and threads that wait for a new state. If the main actor has a context, also
  /// schedules its merge.
  func announce() {
    publications.increase()
    if core.withLock({ $0.asksForMerge() }) { mergeLater() }
  }

  /// Merges into the main actor's context in a new task of that actor.
  func mergeLater() { Task { @MainActor [weak self] in self?.mergeIntoViewContext() } }

  /// Merges into the main actor's context at once, if the caller runs on the main actor.
  func mergeNow(on isolation: (any Actor)?) {
    guard isolation === MainActor.shared else { return }
    MainActor.assumeIsolated { mergeIntoViewContext() }
  }

  /// Copies the journal, up to its last durable transaction, to a new file. Saves continue
  /// meanwhile.
  ///
  /// - Throws: ``StoreError`` with `journal`, if a file of that name exists or the disk fails, and
  ///   with `inMemory` if the store does not write a file.
  /// - Complexity: O(*n*) in the size of the journal
  public func backup(to path: String) throws(StoreError) {
    guard case .file(let journal) = log else {
      throw StoreError(.inMemory, path: self.path)
    }
    do throws(JournalError) { _ = try journal.backup(to: path) } catch {
      throw StoreError(.journal(error), path: self.path)
    }
  }

  /// Syncs all saved transactions, writes the checkpoint and the list caches that are out of date,
  /// and closes the journal.
  ///
  /// When the method returns, the file is unlocked and its descriptors are closed. Snapshots can
  /// still be read, because they retain the memory mapping of the file. If the file is read by
  /// copying instead of mapping, a snapshot retains the parts that were read before. Reading other
  /// parts then fails with `closed`.
  ///
  /// If the program releases the store without closing it, the store closes its journal after the
  /// operations in flight have ended. In this case the store writes no checkpoint and no caches. A
  /// thread of the journal syncs the transactions that are not durable yet. The thread that
  /// released the store never waits for that sync.
  ///
  /// - Throws: ``StoreError`` with `journal`
  public func close() async throws(StoreError) {
    startClosing()
    let closing = await WorkerThreads.shared.value {
      Result { () throws(StoreError) in try self.finishClosing() }
    }
    try closing.get()
  }

  /// Closes the store like ``close()``, for programs without tasks: the calling thread sleeps.
  @available(
    *, noasync, message: "use close, which does not block a thread of the cooperative pool"
  )
  public func closeAndWait() throws(StoreError) {
    startClosing()
    try finishClosing()
  }

  private func startClosing() {
    Store.audit(self)
    publications.end()
  }

  private func finishClosing() throws(StoreError) {
    derivedWork.finish()
    do {
      switch log {
      case .file(let journal): try journal.closeAndWait()
      case .memory(let journal): journal.closeAndWait()
      case .following(let journal): journal.close()
      case .reading(let journal): journal.close()
      }
    } catch { throw StoreError(.journal(error), path: path) }
  }
}

extension LayoutTable {
  /// Returns the current name of the entity that a definition belongs to; nil if it is new.
  ///
  /// - Throws: ``StoreError`` with `schema` if a name would belong to two entities
  fileprivate func name(
    ofEntityDefinedBy entity: EntityDefinition, path: String
  ) throws(StoreError) -> String? {
    switch EntityMembership(entity, currentName: currentName) {
    case .new: return nil
    case .of(let name):
      guard name == entity.name || name == entity.earlierName else {
        throw StoreError(.schema(.entityRenamedAway(entity: entity.name, to: name)), path: path)
      }
      return name
    case .contradicts:
      throw StoreError(
        .schema(
          .entityRenamedToUsedName(entity: entity.name, earlier: entity.earlierName ?? "")),
        path: path)
    }
  }
}

/// The part of the main actor's context that its store uses. `Contexts` contains the type that
/// conforms, so that `Store` does not depend on it.
@MainActor protocol ViewMerger: AnyObject {
  /// Merges the new transactions of the store into the context.
  func mergeChanges(of store: Store)
}
