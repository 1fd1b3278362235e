import DaybookJournal

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
  /// - Throws: ``StoreError``, as for opening for writing.
  /// - Complexity: O(*n*) in the size of the journal
  public convenience init(
    following path: String, records types: any Record.Type...,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(following: path, types, options)
  }

  /// Opens the journal of a store that another process writes.
  package convenience init(
    following path: String, _ types: [any Record.Type], _ options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
    let journal = try FollowedJournal(path, options)
    try self.init(.following(journal), types)
    guard options.tendsItself else { return }
    journal.housekeeper.begin { [weak self, weak journal] in
      journal?.wait()
      guard let self else { return .gone }
      // An error is kept, and thrown to whoever asks.
      return (try? self.catchUp()) == nil ? .gone : .done(next: 0)
    }
    journal.housekeeper.expect(after: 0)
  }

  /// Takes in what the other process has saved by now. A store that follows does this by itself,
  /// moments later; it is for those who do not want to wait for that.
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: ``StoreError`` with `journal`, if the journal cannot be read any more or is no longer
  ///   the one that was read; or with `payload`.
  @discardableResult
  public func catchUp() throws(StoreError) -> Bool {
    guard case .following(let journal) = log else { return false }
    do throws(StoreError) {
      let isNew = try fold(journal)
      if isNew { announce() }
      return isNew
    } catch {
      // Who waits for more has nothing to wait for any more.
      shownWaiters.end()
      throw error
    }
  }

  /// Why it cannot follow its journal any more: what it shows then stays. Nil if it can, or follows none.
  public var followingError: StoreError? {
    guard case .following(let journal) = log else { return nil }
    return journal.error
  }

  /// Takes in the next transaction that the other process has saved, if there is one by now. Where another
  /// file has taken the name, all that was known of the old one is read first.
  ///
  /// It is for whoever wants to see the state after each, of a store that does not tend itself.
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: ``StoreError``, as ``catchUp()`` does
  package func catchUpByOne() throws(StoreError) -> Bool {
    guard case .following(let journal) = log else { return false }
    let before = snapshot.sequence
    var isNew = false
    while try fold(journal, limit: 1) {
      isNew = true
      if snapshot.sequence > before { break }
    }
    return isNew
  }

  /// Waits until there may be more to take in, or some time is over, or a signal has come.
  package func waitForMore(milliseconds: Int) {
    if case .following(let journal) = log { journal.wait(milliseconds: milliseconds) }
  }

  private func fold(
    _ journal: FollowedJournal, limit: Int = .max
  ) throws(StoreError) -> Bool {
    var isNew = false
    try journal.catchUp(limit: limit) { (step) throws(StoreError) in
      isNew = true
      let path = path
      let misfit = try core.withLock { (core) throws(StoreError) in
        let misfit = core.take(step)
        if misfit == nil { try core.adoptNewLayouts(path: path) }
        return misfit
      }
      guard let misfit else { return }
      throw StoreError(
        .payload(sequence: misfit.sequence, offset: misfit.payload.offset), path: path)
    }
    return isNew
  }
}

extension StoreCore {
  /// Does what following the journal of another process asks for.
  mutating func take(
    _ step: FollowedJournal.Step
  ) -> (sequence: SequenceNumber, payload: PayloadMisfit)? {
    switch step {
    case .beginAnew:
      beginAnew()
      return nil
    case .fold(let payload, let offset, let file, let sequence, let time):
      var location: RowLocation?
      if let offset,
        let bytes = file.mapped(through: Frame.end(ofPayload: payload.count, at: offset))
      {
        extend(bytes)
        location = RowLocation(rawValue: offset)
      }
      let misfit = payload.withSpan { bytes in
        replay(
          bytes,
          at: location
            ?? keep(bytes, sequence: offset == nil ? .zero : sequence, time: time),
          sequence: sequence, time: time, isBase: offset == nil)
      }
      return misfit.map { (sequence, $0) }
    }
  }
}
