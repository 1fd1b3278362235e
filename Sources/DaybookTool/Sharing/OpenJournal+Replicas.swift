@_spi(Tools) import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore
@_spi(Tools) import DaybookText

extension OpenJournal {
  /// Opens a replica for writing. The transactions that other machines have saved are read first.
  ///
  /// If another process has the replica open, the command writes to a copy of it. Both are replicas
  /// of one log, so the other process reads the transactions from the log.
  ///
  /// - Parameters:
  ///   - name: The path of the replica.
  ///   - address: The address of its log.
  ///   - purpose: The beginning of the sentence for a build without support for shared logs.
  ///   - clock: The clock for the times of the transactions.
  ///   - copies: A Boolean value that indicates whether a locked replica is copied. If the value is
  ///     false, the opening fails.
  init(
    replica name: String, of address: String, for purpose: String,
    clock: any JournalClock = MachineClock(), copiesIfLocked copies: Bool = true
  ) throws {
    let log = try SharedLogs.log(at: address, for: purpose)
    var options = JournalOptions.tool(reading: name)
    options.clock = clock
    do throws(StoreError) {
      let store = try OpenJournal.store(at: name, sharing: log, options: options)
      self.init(name, replica: store)
      return
    } catch {
      guard copies, case .journal(let cause) = error.reason, case .locked = cause.reason else {
        throw ToolError(error)
      }
    }
    let folder = try TemporaryFolder()
    let copy = OpenJournal.copyPath(in: folder)
    do throws(JournalError) {
      try JournalReader(at: name, options: options).backup(to: copy)
      try JournalReader.copySharing(from: name, to: copy)
    } catch {
      var refusal = ToolError(StoreError(.journal(error), path: name))
      refusal.replace(copy, with: name)
      throw refusal
    }
    // The store that was not opened has closed its connection.
    let second = try SharedLogs.log(at: address, for: purpose)
    do throws(StoreError) {
      let store = try OpenJournal.store(
        at: copy, sharing: second, options: options, isCopy: true)
      self.init(name, replica: store, in: folder)
    } catch {
      var refusal = ToolError(error)
      refusal.replace(copy, with: name)
      throw refusal
    }
  }

  /// Returns the path of a copy of a replica in a temporary directory.
  static func copyPath(in folder: TemporaryFolder) -> String {
    FilePaths.join(folder.path, name: "replica.daybook")
  }

  /// Opens a replica, or creates it, and blocks the thread until it is open. Prints a sentence if
  /// the replica has restarted from the base of its log.
  ///
  /// - Parameter isCopy: A Boolean value that indicates whether the file is a copy that the command
  ///   removes. The restart of a copy is not printed.
  static func store(
    at path: String, sharing log: any SharedLog, options: JournalOptions, isCopy: Bool = false
  ) throws(StoreError) -> Store {
    let store = try Waiting.value { () async throws(StoreError) in
      try await Store(at: path, sharing: log, options: options)
    }
    if let restart = store.replicaRestart, !isCopy {
      StandardError.write(
        "\(path): the log starts after transaction \(restart.base), and the replica ended before "
          + "it. So the replica has restarted there. The old file is \(restart.oldFilePath).")
    }
    return store
  }

  /// Returns the address of the log whose replica a journal is; nil if it is no replica.
  static func sharedLogAddress(of name: String) throws(ToolError) -> String? {
    guard SystemDisk().exists(name) else { return nil }
    do throws(JournalError) { return try JournalReader.sharedLogAddress(at: name) } catch {
      throw ToolError(StoreError(.journal(error), path: name))
    }
  }

  /// Saves, and waits for the outcome if the log does not answer.
  ///
  /// - Returns: The number of the transaction and whether it was there before; nil if there is
  ///   nothing to save.
  /// - Throws: ``StoreError``; with `unknown` for a replica, if its log has dropped the history
  ///   that would show the outcome
  func saving(
    _ body: () throws(StoreError) -> Receipt?
  ) throws(StoreError) -> WriteReceipt.Saved? {
    while true {
      do throws(StoreError) { return try body().map { WriteReceipt.Saved($0) } } catch {
        guard store.sharingStatus != nil, case .unknown(let append) = error.reason else {
          throw error
        }
        StandardError.write(
          "\(name): the log has not answered. The command sends the transaction again until it does."
        )
        waitForAnswer()
        guard let isIncluded = store.isIncluded(append) else { throw error }
        if isIncluded { return WriteReceipt.Saved(append.sequence) }
      }
    }
  }

  /// Recovers the store until the log answers.
  private func waitForAnswer() {
    while true {
      do throws(StoreError) {
        _ = try store.recoverAndWait()
        return
      } catch { SystemThread.sleep(seconds: OpenJournal.retryInterval) }
    }
  }

  /// Waits until the process that has the replica open has written a transaction to it.
  ///
  /// Before that, only the log contains the transaction. If the log loses it, no file of this
  /// machine shows the loss.
  func waitForReplica(through last: SequenceNumber) {
    let clock = MachineClock()
    let deadline = clock.uptimeNanoseconds + OpenJournal.replicaWaitNanoseconds
    while true {
      if let head = try? JournalReader(at: name).head.sequence, head >= last { return }
      if clock.uptimeNanoseconds >= deadline { break }
      SystemThread.sleep(seconds: OpenJournal.replicaCheckInterval)
    }
    StandardError.write(
      "\(name): the process that has the replica open has not read transaction \(last) yet. Until "
        + "it does, this machine does not notice if the log loses the transaction.")
  }

  /// The longest time to wait for the process that has the replica open.
  private static let replicaWaitNanoseconds: Int64 = 5_000_000_000
  /// The time between two readings of the replica, in seconds.
  private static let replicaCheckInterval = 0.1

  /// The time between two attempts to get an answer from the log, in seconds.
  private static let retryInterval = 0.2
}
