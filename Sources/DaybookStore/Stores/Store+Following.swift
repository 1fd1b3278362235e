import DaybookJournal
import DaybookPlatform

extension Store {
  /// Opens a journal that another process writes, for reading, and follows it.
  ///
  /// ```swift
  /// let store = try Store(following: "banks.daybook", records: Bank.self)
  /// ```
  ///
  /// Snapshots show the transactions of the other process shortly after it has saved them. Contexts
  /// can be created and changed, for example to preview changes, but not saved.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - types: The types of its records. A program that has no record types passes none.
  ///   - options: The options of the journal.
  ///   - catchingUp: The mode of reading new transactions: automatically, or when a method is
  ///     called.
  /// - Throws: ``StoreError``, as for opening for writing.
  /// - Complexity: O(*n*) in the size of the journal
  public convenience init(
    following path: String, records types: any Record.Type...,
    options: JournalOptions = JournalOptions(), catchingUp: CatchingUp = .byItself
  ) throws(StoreError) {
    var options = options
    if catchingUp == .whenCalled { options.tendsItself = false }
    try self.init(following: path, types: types, options: options)
  }

  /// The modes of reading the transactions of another process.
  public enum CatchingUp: Hashable, Sendable {
    /// A background thread reads it shortly after it was saved.
    case byItself
    /// Calls of ``Store/catchUp()`` and ``Store/catchUpByOne()`` read it.
    case whenCalled
  }

  /// Opens the journal of a store that another process writes.
  package convenience init(
    following path: String, types: [any Record.Type], options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
    let journal = try FollowedJournal(at: path, options: options)
    try self.init(.following(journal), types: types)
    guard options.tendsItself else { return }
    // The waiting thread retains neither the store nor the file.
    let watch = journal.watch
    SystemThread.detach { [weak self] in
      while true {
        watch.wait(milliseconds: 500)
        // An error (closing the store is one) is kept, and thrown to the next caller that reads.
        guard let self, (try? self.catchUp()) != nil else { return }
      }
    }
  }

  /// Reads everything that the other process has saved.
  ///
  /// A following store does this automatically after a short time. A caller that does not want to
  /// wait calls this method.
  ///
  /// - Returns: True if there were new transactions or a replacement.
  /// - Throws: ``StoreError`` with `journal`, if the journal cannot be read or is no longer the one
  ///   that was read before; or with `payload`.
  @discardableResult
  public func catchUp() throws(StoreError) -> Bool {
    try catchUp { (journal) throws(StoreError) in try fold(journal) }
  }

  /// The error that ended the following of the journal; nil if none occurred, or if the store
  /// follows no journal. After an error the store keeps showing its last state.
  public var followingError: StoreError? {
    guard case .following(let journal) = log else { return nil }
    return journal.error
  }

  /// Reads the next transaction that the other process has saved, if there is one.
  ///
  /// In a store that was opened with ``CatchingUp/whenCalled`` it shows the state after each
  /// transaction. If another file has taken the journal's name, the rest of the old file is read
  /// first.
  ///
  /// - Returns: True if a transaction was read, or if another file has taken the journal's name.
  /// - Throws: ``StoreError``, like ``catchUp()``
  public func catchUpByOne() throws(StoreError) -> Bool {
    try catchUp { (journal) throws(StoreError) in
      let before = snapshot.sequence
      var isNew = false
      while try fold(journal, limit: 1) {
        isNew = true
        if snapshot.sequence > before { break }
      }
      return isNew
    }
  }

  /// Runs a closure that reads the followed journal, and notifies the waiting observers of new
  /// states.
  private func catchUp(
    by read: (FollowedJournal) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard case .following(let journal) = log else { return false }
    do throws(StoreError) {
      let isNew = try read(journal)
      if isNew { announce() }
      return isNew
    } catch {
      // No more states follow: waiting observers end.
      publications.end()
      throw error
    }
  }

  /// Waits until the other process may have saved a transaction, the time has passed, or a signal
  /// has arrived.
  ///
  /// The method blocks its thread. If the store does not follow a journal, it returns at once.
  public func waitForMore(milliseconds: Int) {
    if case .following(let journal) = log { journal.watch.wait(milliseconds: milliseconds) }
  }

  private func fold(
    _ journal: FollowedJournal, limit: Int = .max
  ) throws(StoreError) -> Bool {
    var isNew = false
    // The state that is being read from another file. Readers never see it incomplete.
    var replacement: StoreCore?
    let path = path
    try journal.catchUp(limit: limit) { (step) throws(StoreError) in
      isNew = true
      switch step {
      case .startReplacement:
        core.withLock { replacement = $0.emptyReplacement() }
      case .endReplacement:
        core.withLock { core in
          guard let whole = replacement.take() else {
            preconditionFailure("\(path): a replacement ended that was not started")
          }
          core = whole.replacing(core)
        }
      case .fold(let payload) where replacement != nil:
        try replacement?.fold(payload, path: path)
      case .fold(let payload):
        try core.withLock { (core) throws(StoreError) in try core.fold(payload, path: path) }
      }
    }
    return isNew
  }
}

extension StoreCore {
  /// Performs a step of following a journal, while no reader can see the core.
  mutating func perform(_ step: FollowedJournal.Step, path: String) throws(StoreError) {
    switch step {
    case .startReplacement: self = emptyReplacement()
    case .endReplacement: break
    case .fold(let payload): try fold(payload, path: path)
    }
  }

  /// Applies a payload that another process has written.
  ///
  /// - Throws: ``StoreError`` with `payload` if it does not fit. The state is unchanged then.
  mutating func fold(
    _ placed: FollowedJournal.PlacedPayload, path: String
  ) throws(StoreError) {
    var location: RowLocation?
    let end = placed.offset.map { Frame.end(ofPayload: placed.payload.count, at: $0) }
    if let end, let bytes = placed.file.mapped(through: end) {
      extend(bytes)
      location = placed.offset.map(RowLocation.init(rawValue:))
    }
    let defect = placed.payload.withSpan { bytes in
      replay(
        bytes,
        at: location
          ?? store(bytes, sequence: placed.isBase ? .zero : placed.sequence, time: placed.time),
        sequence: placed.sequence, time: placed.time, isBase: placed.isBase)
    }
    if let defect {
      throw StoreError(defect, in: placed.sequence, path: path)
    }
    try adoptNewLayouts(path: path)
  }
}
