import DaybookJournal
import DaybookPlatform

extension Store {
  /// Opens the journal of a store that another process writes, for reading, and follows it.
  ///
  /// ```swift
  /// let store = try Store(following: "banks.daybook", records: Bank.self)
  /// ```
  ///
  /// Snapshots show what the other process has saved, moments after it has. Contexts can be made and
  /// changed, to see what would be, and cannot be saved.
  ///
  /// - Parameters:
  ///   - path: The journal.
  ///   - types: The types of its records. A program that does not know them names none.
  ///   - options: The options of the journal.
  ///   - catchingUp: Whether the store reads by itself what the other process saves.
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

  /// The ways in which a store that follows a journal reads what the other process saves.
  public enum CatchingUp: Hashable, Sendable {
    /// A thread reads it, moments after it was saved.
    case byItself
    /// ``Store/catchUp()`` and ``Store/catchUpByOne()`` read it.
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
    // The thread that waits keeps neither the store nor the file.
    let watch = journal.watch
    SystemThread.detach { [weak self] in
      while true {
        watch.wait(milliseconds: 500)
        // An error, also that the store is closed, is kept, and thrown to a caller that reads on.
        guard let self, (try? self.catchUp()) != nil else { return }
      }
    }
  }

  /// Takes in what the other process has saved by now. A store that follows does this by itself,
  /// moments later; it is for those who do not want to wait for that.
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: ``StoreError`` with `journal`, if the journal cannot be read any more or is no longer
  ///   the one that was read; or with `payload`.
  @discardableResult
  public func catchUp() throws(StoreError) -> Bool {
    try catchUp { (journal) throws(StoreError) in try fold(journal) }
  }

  /// Why it cannot follow its journal any more: what it shows then stays. Nil if it can, or follows none.
  public var followingError: StoreError? {
    guard case .following(let journal) = log else { return nil }
    return journal.error
  }

  /// Reads the next transaction that the other process has saved, if there is one yet. If another file has
  /// taken the journal's name, the rest of the old one is read first.
  ///
  /// It shows the state after each transaction, in a store that was opened with ``CatchingUp/whenCalled``.
  ///
  /// - Returns: Whether a transaction was read, or another file has taken the journal's name.
  /// - Throws: ``StoreError``, as ``catchUp()`` does
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

  /// Takes in what a closure reads of the journal that is followed, and tells those who wait for more.
  private func catchUp(
    by read: (FollowedJournal) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard case .following(let journal) = log else { return false }
    do throws(StoreError) {
      let isNew = try read(journal)
      if isNew { announce() }
      return isNew
    } catch {
      // Who waits for more has nothing to wait for any more.
      shownWaiters.end()
      throw error
    }
  }

  /// Waits until the other process may have saved something, a time has passed, or a signal has arrived.
  ///
  /// It blocks its thread. A store that does not follow a journal does not wait.
  public func waitForMore(milliseconds: Int) {
    if case .following(let journal) = log { journal.watch.wait(milliseconds: milliseconds) }
  }

  private func fold(
    _ journal: FollowedJournal, limit: Int = .max
  ) throws(StoreError) -> Bool {
    var isNew = false
    // A state that is being read from another file. Readers are not shown parts of it.
    var replacement: StoreCore?
    let path = path
    try journal.catchUp(limit: limit) { (step) throws(StoreError) in
      isNew = true
      switch step {
      case .beginReplacement:
        core.withLock { replacement = $0.emptyReplacement() }
      case .endReplacement:
        core.withLock { core in
          guard let whole = replacement.take() else {
            preconditionFailure("\(path): a replacement ends that has not begun")
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
  /// Performs what following the journal of another process requires, where no reader sees the core yet.
  mutating func perform(_ step: FollowedJournal.Step, path: String) throws(StoreError) {
    switch step {
    case .beginReplacement: self = emptyReplacement()
    case .endReplacement: break
    case .fold(let payload): try fold(payload, path: path)
    }
  }

  /// Folds a payload that another process has written.
  ///
  /// - Throws: ``StoreError`` with `payload` if it does not fit. The state is then as before.
  mutating func fold(
    _ placed: FollowedJournal.PlacedPayload, path: String
  ) throws(StoreError) {
    var location: RowLocation?
    let end = placed.offset.map { Frame.end(ofPayload: placed.payload.count, at: $0) }
    if let end, let bytes = placed.file.mapped(through: end) {
      extend(bytes)
      location = placed.offset.map(RowLocation.init(rawValue:))
    }
    let misfit = placed.payload.withSpan { bytes in
      replay(
        bytes,
        at: location
          ?? keep(bytes, sequence: placed.isBase ? .zero : placed.sequence, time: placed.time),
        sequence: placed.sequence, time: placed.time, isBase: placed.isBase)
    }
    if let misfit {
      throw StoreError(misfit, in: placed.sequence, path: path)
    }
    try adoptNewLayouts(path: path)
  }
}
