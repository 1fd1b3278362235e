import DaybookJournal
import DaybookPlatform
import Synchronization

/// Records on disk, and the journal of every change to them.
///
/// ```swift
/// let store = try Store(at: "banks.daybook", records: Bank.self, BankDetails.self)
/// let context = store.makeContext()
/// try context.insert(Bank(name: "First"))
/// try context.saveAndWait()
/// print(store.snapshot.count(of: Bank.self))
/// ```
///
/// The story of one save. The context hands over what has changed. Under the store's lock, which is
/// held for no longer than that, the changes are merged onto the newest state, get a number and
/// their place in the journal, and are folded into that state. The journal writes and
/// syncs them, with those of all who save at the same time, and readers are shown the new state.
/// If they cannot be written, they are taken back.
///
/// A store lives as long as somebody holds it, or something that uses it: a context, a controller, an observed
/// list or a stream of results that is not being read. A loop over a stream holds a store that follows, as
/// another process may save; a store that writes its journal itself ends the loop when it goes. What is not
/// saved in any context goes with it, and the journal is closed; see ``close()``.
public final class Store: Sendable {
  // Shared state
  //
  // - `core`: guarded by its mutex, which is never held during a call of the disk but for the growing of a
  //   mapping.
  //
  // Nothing else here changes after `init`, or guards itself what does.

  package let log: StoreLog
  let core: GuardedCore
  /// The error that ended the reading of a journal before its end, although its bytes are whole; nil if there was
  /// none. Only a store that reads a journal has one: others cannot be opened then.
  public let readingProblem: StoreError?
  /// The report of the opening; the records are checked when it is first read.
  let opening: Opening
  /// The ticket through which all transactions are settled: written, or taken back.
  ///
  /// A save that is in conflict with one on its way waits for that before it fails. So the caller can see the
  /// transaction that it was in conflict with, and does not try again in vain on a thread that the other needs.
  let settled = Signal()
  /// The number of holds of the numbering that have ended: those of bodies of a write that alone might number.
  let releasedHolds = Signal()
  /// Held by the write whose body runs.
  let writeLock = FairLock()
  /// The number of times that readers were shown something else. It ends when they will be shown nothing else.
  package let shownWaiters = Signal()
  /// When the state was written down last, and is to be the next time; nil if it is not.
  let checkpoints: CheckpointKeeper?
  /// Who makes files of what is in the journal.
  package let derivedWork: DerivedWork
  /// The main actor's context, as the store knows it; nil until that context is used.
  @MainActor var viewMerger: (any ViewMerger)?

  /// The files beside the journal that are made of it; nil if the store has no file.
  package var derivedFiles: DerivedFiles? { log.derivedFiles }

  /// The same, also of a store that only reads and makes none itself.
  package var filesBeside: DerivedFiles? { log.filesBeside }

  /// The journal, as the caller named it.
  public var path: String { log.path }

  /// Opens the journal of a store, or makes one.
  ///
  /// - Parameters:
  ///   - types: The types of the records. Entities that the journal has beside them are kept, and
  ///     can be read without a type.
  /// - Throws: ``StoreError``: `journal`, if the journal cannot be opened; `schema`, if the schemas
  ///   contradict themselves or each other; `typeChanged` or `identifierChanged`, if they
  ///   contradict the journal, which is then left as it is.
  /// - Complexity: O(*n*) in what was written since the last checkpoint, and in the size of that; without one,
  ///   in the size of the journal
  public convenience init(
    at path: String, records types: any Record.Type..., options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(at: path, types: types, options: options)
  }

  /// Opens the journal of a store, or makes one.
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

  /// Opens the journal of a store whose entities are only known now, or makes one: entities that the
  /// journal does not have, or has otherwise, get new layouts.
  package convenience init(
    at path: String, entities: [EntityDefinition], options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(at: path, types: [], options: options)
    try define(entities)
  }

  /// Adds entities, or attributes to them, that the next transaction will tell of. An attribute of
  /// another type than before has no value in rows of before: only a program's types can convert.
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

  /// A store in memory, for tests, previews and what need not last.
  public static func inMemory(records types: any Record.Type...) throws(StoreError) -> Store {
    try inMemory(types: types)
  }

  /// A store in memory, of a journal in memory.
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
      // Who only reads is shown what is intact.
      guard case .reading = log, case .payload = error.reason else { throw error }
      problem = error
    }
    readingProblem = problem
    core.isFollowing = !log.isWritten
    opening = Opening(try core.adopt(RecordTypes(types), path: log.path))
    try core.accepted().checkAtOpening(log.path)
    checkpoints = CheckpointKeeper(log, from: checkpoint, hasBegun: core.editor.memory.hasLateRows)
    let end = core.fileByteCount
    self.core = GuardedCore(core)
    keepCheckpoint(at: end)
  }

  // Whoever saves holds the store, so that no save is in flight here.
  deinit {
    Store.audit(self)
    shownWaiters.end()
    if case .following(let journal) = log { journal.close() }
  }

  /// The state after the last transaction that is as durable as the store's durability says.
  ///
  /// - Complexity: O(1)
  public var snapshot: StoreSnapshot {
    // Never a part of the caller, if that is in another module: Swift 6.3.1 ends with a fault when it optimizes an
    // asynchronous function that calls throwing ones behind this.
    @inline(never)
    get { StoreSnapshot(core.shown(), path: path) }
  }

  /// Merges what others have saved into the context of the main actor, if there is one.
  @MainActor func mergeIntoViewContext() {
    core.withLock { $0.isMergeAsked = false }
    viewMerger?.mergeChanges(of: self)
  }

  /// Says that readers are shown something else: to those who wait for it, and to the main actor, if its
  /// context wants to hear of it.
  func announce() {
    shownWaiters.increase()
    if core.withLock({ $0.asksForMerge() }) { mergeLater() }
  }

  /// Merges when the main actor comes to it.
  func mergeLater() { Task { @MainActor [weak self] in self?.mergeIntoViewContext() } }

  /// Merges at once, for whoever has saved on the main actor.
  func mergeNow(on isolation: (any Actor)?) {
    guard isolation === MainActor.shared else { return }
    MainActor.assumeIsolated { mergeIntoViewContext() }
  }

  /// Copies the journal, up to the last durable transaction, while others go on saving.
  ///
  /// - Throws: ``StoreError`` with `journal`, if there is a file of that name or the disk refuses,
  ///   and with `inMemory` if the store has no file.
  /// - Complexity: O(*n*) in the size of the journal
  public func backup(to path: String) throws(StoreError) {
    guard case .file(let journal) = log else {
      throw StoreError(.inMemory, path: self.path)
    }
    do throws(JournalError) { _ = try journal.backup(to: path) } catch {
      throw StoreError(.journal(error), path: self.path)
    }
  }

  /// Makes everything saved durable, writes the caches that are behind, and closes the journal.
  ///
  /// When it returns, the file is unlocked and its descriptors are closed. Snapshots can still be read: they
  /// keep the mapping of the file. Where the file is read by copying they keep what has been read, and
  /// what they need beyond that fails with `closed`.
  ///
  /// A store that is released without being closed closes its journal as well, as soon as what is in flight has
  /// ended. It does not write caches, and what its durability has not synced yet is synced by a thread of
  /// the journal's own, never by the one that released the store.
  ///
  /// - Throws: ``StoreError`` with `journal`
  public func close() async throws(StoreError) {
    beginClosing()
    let closing = await WorkerThreads.shared.value {
      Result { () throws(StoreError) in try self.finishClosing() }
    }
    try closing.get()
  }

  /// ``close()`` for programs without tasks: the thread sleeps.
  @available(*, noasync, message: "use close, so that no thread sleeps that tasks need")
  public func closeAndWait() throws(StoreError) {
    beginClosing()
    try finishClosing()
  }

  private func beginClosing() {
    Store.audit(self)
    shownWaiters.end()
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

/// The main actor's context, as its store knows it.
@MainActor protocol ViewMerger: AnyObject {
  /// Merges what others have saved in the store into the context.
  func mergeChanges(of store: Store)
}
