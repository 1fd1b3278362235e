import DaybookJournal
import DaybookPlatform
import Synchronization

/// A collection of records on disk, with a journal of every change to them.
///
/// ```swift
/// let store = try Store(at: "banks.daybook", records: Bank.self, BankDetails.self)
/// let context = store.makeContext()
/// try context.insert(Bank(name: "First"))
/// try context.saveAndWait()
/// print(store.snapshot.count(of: Bank.self))
/// ```
///
/// A save has these steps:
///
/// 1. The context passes its changes to the store.
/// 2. Under the store's lock, the changes are merged with the newest state. They receive a number
///    and a position in the journal, and are applied to that state. Then the lock is released.
/// 3. The journal writes and syncs them, together with the changes of all callers that save at the
///    same time.
/// 4. Readers see the new state. If the changes cannot be written, they are rolled back.
///
/// A store lives while a reference to it exists, or while one of these objects uses it: a context,
/// a controller, an observed list, or a stream of results that is not being read. A loop over a
/// stream retains a store that follows a journal, because another process may save. A store that
/// writes its journal ends the loop when it is released.
///
/// When the store is released, the journal is closed, and unsaved changes of its contexts are lost;
/// see ``close()``.
public final class Store: Sendable {
  // Shared state
  //
  // - `core`: guarded by its mutex, which is never held during a system call of the disk, except to
  //   extend a mapping.
  //
  // The other properties do not change after `init`, or synchronize themselves.

  package let log: StoreLog
  let core: GuardedCore
  /// The error that ended the reading of a journal before its end although its bytes are intact;
  /// otherwise nil.
  ///
  /// Only a store opened for reading can have one. For other stores the opening fails.
  public let readingProblem: StoreError?
  /// The findings of the opening. The records are checked when the report is first read.
  let opening: Opening
  /// The ticket of the last settled transaction: it and all before it are published or rolled back.
  ///
  /// A save that conflicts with a transaction in flight waits for it before it fails. So the caller
  /// can see the transaction that it conflicts with. It does not retry uselessly on a thread that
  /// the other save needs.
  let settled = Signal()
  /// The number of ended holds of the right to number transactions.
  let releasedHolds = Signal()
  /// The lock that a write holds while its body runs.
  let writeLock = FairLock()
  /// The number of changes of the state that readers see. The signal ends when no more will follow.
  package let publications = Signal()
  /// The keeper that writes checkpoints when they are due; nil if the store keeps none.
  let checkpoints: CheckpointKeeper?
  /// The queue that writes the derived files.
  package let derivedWork: DerivedWork
  /// The main actor's context, as the store refers to it; nil until that context is used.
  @MainActor var viewMerger: (any ViewMerger)?

  /// The derived files beside the journal that the store maintains; nil if it maintains none.
  package var derivedFiles: DerivedFiles? { log.derivedFiles }

  /// The derived files beside the journal, even if the store only reads and maintains none.
  package var filesBeside: DerivedFiles? { log.filesBeside }

  /// The journal, as the caller named it.
  public var path: String { log.path }

  /// Opens the journal of a store, or creates one.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - types: The types of the records. Other entities of the journal are kept, and can be read
  ///     without a type.
  ///   - options: The options of the journal.
  /// - Throws: ``StoreError``: `journal`, if the journal cannot be opened; `schema`, if the schemas
  ///   contradict themselves or each other; `typeChanged` or `identifierChanged`, if they
  ///   contradict the journal, which is then left as it is.
  /// - Complexity: O(*n*) in the bytes written after the last checkpoint, plus the size of that
  ///   checkpoint; without one, O(*n*) in the size of the journal
  public convenience init(
    at path: String, records types: any Record.Type..., options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(at: path, types: types, options: options)
  }

  /// Opens the journal of a store, or creates one.
  package convenience init(
    at path: String, types: [any Record.Type], options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
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
    try self.init(.file(journal), types: types, from: checkpoint)
  }

  /// Opens the journal of a store with entities that are only known at run time, or creates one.
  ///
  /// Entities that the journal does not contain, or contains with another definition, receive new
  /// layouts.
  package convenience init(
    at path: String, entities: [EntityDefinition], options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(at: path, types: [], options: options)
    try define(entities)
  }

  /// Adds entities, or attributes to entities. The next transaction contains them.
  ///
  /// An attribute with a changed type has no value in older rows: only a program's record types can
  /// convert.
  @_spi(Tools) public func define(_ entities: [EntityDefinition]) throws(StoreError) {
    let path = path
    try core.withLock { (core) throws(StoreError) in
      for entity in entities {
        if let index = core.catalog.index(of: entity.name) {
          let known = core.catalog.newest(index).entity
          if known == entity { continue }
          guard known.identifierKind == entity.identifierKind else {
            throw StoreError(
              .identifierChanged(
                entity: entity.name, from: known.identifierKind, to: entity.identifierKind),
              path: path)
          }
        }
        let layoutCount = core.catalog.layouts.layoutCount(of: entity.name)
        let entityCount = core.catalog.layouts.entityCount
        if let excess = SchemaExcess(entity, after: layoutCount)
          ?? (layoutCount == 0 ? SchemaExcess(entity: entity.name, after: entityCount) : nil)
        {
          throw StoreError(.limit(excess, in: nil), path: path)
        }
        guard let number = core.catalog.layouts.nextNumber else {
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

  /// Creates a store in memory with a journal in memory.
  package static func inMemory(
    types: [any Record.Type], journal: MemoryJournal = MemoryJournal()
  ) throws(StoreError) -> Store {
    try RecordTypes.check(types, path: StoreLog.memory(journal).path)
    return try Store(.memory(journal), types: types)
  }

  init(
    _ log: StoreLog, types: [any Record.Type], from checkpoint: CheckpointFile.Opened? = nil
  ) throws(StoreError) {
    self.log = log
    derivedWork = DerivedWork(runsInBackground: log.tendsItself)
    var core = StoreCore()
    var problem: StoreError?
    do throws(StoreError) { try Replay.run(log, from: checkpoint, into: &core) } catch {
      // A store opened for reading shows the intact part.
      guard case .reading = log, case .payload = error.reason else { throw error }
      problem = error
    }
    readingProblem = problem
    core.isFollowing = !log.isWritten
    opening = Opening(try core.adopt(RecordTypes(types), path: log.path))
    try core.accepted().checkAtOpening(log.path)
    checkpoints = CheckpointKeeper(
      log, from: checkpoint, hasStarted: core.editor.memory.hasLateRows)
    let end = core.fileByteCount
    self.core = GuardedCore(core)
    storeCheckpoint(at: end)
  }

  // A save in flight retains the store, so none exists here.
  deinit {
    Store.audit(self)
    publications.end()
    if case .following(let journal) = log { journal.close() }
  }

  /// A snapshot after the last transaction that is as durable as the store's options require.
  ///
  /// - Complexity: O(1)
  public var snapshot: StoreSnapshot {
    // Never inlined into a caller of another module: the Swift 6.3.1 compiler crashes when it
    // optimizes an asynchronous function that calls throwing functions after this getter.
    @inline(never)
    get { StoreSnapshot(core.published(), path: path) }
  }

  /// Merges new transactions of other contexts into the context of the main actor, if there is one.
  @MainActor func mergeIntoViewContext() {
    core.withLock { $0.isMergeAsked = false }
    viewMerger?.mergeChanges(of: self)
  }

  /// Notifies waiting observers that readers see a new state, and requests the main actor to merge
  /// if its context needs that.
  func announce() {
    publications.increase()
    if core.withLock({ $0.asksForMerge() }) { mergeLater() }
  }

  /// Merges in a task of the main actor.
  func mergeLater() { Task { @MainActor [weak self] in self?.mergeIntoViewContext() } }

  /// Merges at once, for a caller that has saved on the main actor.
  func mergeNow(on isolation: (any Actor)?) {
    guard isolation === MainActor.shared else { return }
    MainActor.assumeIsolated { mergeIntoViewContext() }
  }

  /// Copies the journal up to its last durable transaction. Saves continue meanwhile.
  ///
  /// - Throws: ``StoreError`` with `journal`, if a file of that name exists or the disk fails, and
  ///   with `inMemory` if the store has no file.
  /// - Complexity: O(*n*) in the size of the journal
  public func backup(to path: String) throws(StoreError) {
    guard case .file(let journal) = log else {
      throw StoreError(.inMemory, path: self.path)
    }
    do throws(JournalError) { _ = try journal.backup(to: path) } catch {
      throw StoreError(.journal(error), path: self.path)
    }
  }

  /// Syncs all saved transactions, writes outdated caches, and closes the journal.
  ///
  /// When the method returns, the file is unlocked and its descriptors are closed. Snapshots can
  /// still be read: they retain the mapping of the file. If the file is read by copying, they keep
  /// the parts that have been read, and reading other parts fails with `closed`.
  ///
  /// A store that is released without being closed also closes its journal, after the operations in
  /// flight have ended. It writes no caches. Transactions that its durability has not synced yet
  /// are synced by a thread of the journal, never by the thread that released the store.
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

/// The main actor's context, as its store refers to it.
@MainActor protocol ViewMerger: AnyObject {
  /// Merges the new transactions of the store into the context.
  func mergeChanges(of store: Store)
}
