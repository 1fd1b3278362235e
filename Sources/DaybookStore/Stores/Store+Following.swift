import DaybookJournal
import DaybookPlatform

extension Store {
  /// Opens a journal that a different process writes, for reading, and follows it.
  ///
  /// ```swift
  /// let store = try Store(following: "banks.daybook", records: Bank.self)
  /// ```
  ///
  /// Snapshots show the transactions of the writing process shortly after it has saved them. A
  /// program can create and change contexts, for example to preview changes, but it cannot save
  /// them.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - types: The types of the journal's records. A program without record types passes no type.
  ///   - options: The options of the journal.
  ///   - mode: The mode of reading new transactions: in the background, or when the program calls a
  ///     method.
  /// - Throws: ``StoreError``, as for opening for writing.
  /// - Complexity: O(*n*) in the size of the journal
  public convenience init(
    following path: String, records types: any Record.Type...,
    options: JournalOptions = JournalOptions(), mode: FollowMode = .automatic
  ) throws(StoreError) {
    var options = options
    if mode == .manual { options.worksInBackground = false }
    try self.init(following: path, types: types, options: options)
  }

  /// The modes of reading the transactions of the writing process.
  public enum FollowMode: Hashable, Sendable {
    /// A background thread reads each transaction shortly after it was saved.
    case automatic
    /// The store reads transactions only when the program calls ``Store/catchUp()`` or
    /// ``Store/readNextTransaction()``.
    case manual
  }

  /// Opens and follows the journal of a store that a different process writes.
  package convenience init(
    following path: String, types: [any Record.Type], options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
    let journal = try FollowedJournal(at: path, options: options)
    try self.init(.following(journal), types: types)
    guard options.worksInBackground else { return }
    // The waiting thread retains neither the store nor the file.
    let watch = journal.watch
    SystemThread.detach { [weak self] in
      while true {
        watch.wait(milliseconds: 500)
        // The journal keeps the error and throws it at the next call of `catchUp()`. Closing the
        // store has this effect too.
        guard let self, (try? self.catchUp()) != nil else { return }
      }
    }
  }

  /// Reads all transactions that the writing process has saved.
  ///
  /// With ``FollowMode/automatic``, a background thread does this after a short time. A caller that
  /// does not want to wait calls this method. A store that follows no journal reads nothing.
  ///
  /// - Returns: True if there were new transactions, or if a new file has replaced the journal.
  /// - Throws: ``StoreError`` with `journal`, if the journal cannot be read or is not a
  ///   continuation of the one that was read before; with `payload`, if a transaction is invalid;
  ///   and the errors of opening, if a transaction contains a new schema that contradicts the
  ///   record types.
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

  /// Reads the next transaction that the writing process has saved, if there is one.
  ///
  /// In a store that was opened with ``FollowMode/manual``, a program can use this method to
  /// see the state after each single transaction. If a new file has replaced the journal, the
  /// method reads the rest of the old file first.
  ///
  /// - Returns: True if a transaction was read, or if a new file has replaced the journal.
  /// - Throws: ``StoreError``, like ``catchUp()``
  public func readNextTransaction() throws(StoreError) -> Bool {
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

  /// Runs a closure that reads the followed journal, and then wakes the tasks and threads that wait
  /// for a new state.
  private func catchUp(
    by read: (FollowedJournal) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard case .following(let journal) = log else { return false }
    do throws(StoreError) {
      let isNew = try read(journal)
      if isNew { announce() }
      return isNew
    } catch {
      // No more states follow, so the tasks and threads that wait for them must stop waiting.
      publications.end()
      throw error
    }
  }

  /// Waits until the writing process may have saved a transaction, or until a time has passed. The
  /// wait can also end earlier.
  ///
  /// The method blocks its thread. If the store does not follow a journal, it returns at once.
  ///
  /// - Parameter timeout: The longest wait, in whole milliseconds, of at most one day.
  public func waitForTransactions(timeout: Duration) {
    guard case .following(let journal) = log else { return }
    let (seconds, attoseconds) = min(max(.zero, timeout), .seconds(86_400)).components
    journal.watch.wait(milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  private func fold(
    _ journal: FollowedJournal, limit: Int = .max
  ) throws(StoreError) -> Bool {
    var isNew = false
    // The state that is being read from the new file. Readers do not see it before it is complete.
    var replacement: StoreCore?
    let path = path
    try journal.catchUp(limit: limit) { (step) throws(StoreError) in
      isNew = true
      switch step {
      case .startReplacement:
        core.withLock { replacement = $0.emptyReplacement() }
      case .endReplacement:
        core.withLock { core in
          guard let newCore = replacement.take() else {
            preconditionFailure("\(path): a replacement ended that was not started")
          }
          core = newCore.replacing(core)
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
  /// Performs a step of following a journal at opening, when no reader can see the core yet.
  mutating func perform(_ step: FollowedJournal.Step, path: String) throws(StoreError) {
    switch step {
    case .startReplacement: self = emptyReplacement()
    case .endReplacement: break
    case .fold(let payload): try fold(payload, path: path)
    }
  }

  /// Applies a payload that the writing process has written.
  ///
  /// - Throws: ``StoreError`` with `payload` or `limit`, if the payload is invalid; the records are
  ///   unchanged then. And the errors of ``adoptNewLayouts(path:)``.
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
          ?? store(bytes, sequence: placed.base ?? placed.sequence, time: placed.time),
        sequence: placed.sequence, time: placed.time, base: placed.base)
    }
    if let defect {
      throw StoreError(defect, in: placed.sequence, path: path)
    }
    try adoptNewLayouts(path: path)
  }
}
