import DaybookJournal
import DaybookPlatform

/// The plan of a repair after a shared log has lost transactions of a replica.
///
/// ```swift
/// if let plan = try await store.repairPlan() {
///   print(plan)
///   try await store.repair(plan)
/// }
/// ```
public struct RepairPlan: Hashable, Sendable {
  /// The actions of a repair.
  public enum Action: Hashable, Sendable {
    /// The log ends before the replica. The same bytes are appended to it again. Several replicas
    /// may do this at the same time, and any number of times.
    case appendAgain
    /// The histories differ after the last common transaction. The replica restarts after it, and
    /// reads what follows it in the log. If no common transaction is known, because the log or the
    /// replica has dropped its older history, the replica restarts from the beginning of the log.
    /// The old file is kept under a different name.
    case restart
  }

  /// The transactions that the log has lost.
  public let divergence: LogDivergence

  /// The action of the repair.
  public var action: Action { divergence.isForked ? .restart : .appendAgain }
}

extension RepairPlan: CustomStringConvertible {
  /// The missing transactions, one in each line, and then the action.
  public var description: String {
    let count = divergence.missingCount
    let transactions = count == 1 ? "1 transaction" : "\(count) transactions"
    var lines = ["The log \(divergence.log) does not contain \(transactions) of this replica:"]
    lines += divergence.missing.map { "  \($0)" }
    if count > divergence.missing.count {
      lines.append("  and \(count - divergence.missing.count) more")
    }
    switch divergence.relation {
    case .shorter:
      lines.append(
        "The log ends after transaction \(divergence.lastInLog). The repair appends the same bytes again."
      )
    case .forked:
      lines.append(
        """
        The log has other transactions after \(divergence.lastCommon), up to \(divergence.lastInLog). The repair \
        keeps the file of the replica under another name, and restarts the replica after \
        \(divergence.lastCommon).
        """)
    case .unknown, .dropped:
      lines.append(
        """
        The log or the replica has dropped its older history, so no transaction is known that both \
        contain. The repair keeps the file of the replica under another name, and restarts the \
        replica from the beginning of the log.
        """)
    }
    if divergence.missing.contains(where: { $0.time == nil }) {
      lines.append(
        """
        This replica does not contain all of these transactions. Repair the other replicas first, because \
        they may contain the missing ones.
        """)
    }
    return lines.joined(separator: "\n")
  }
}

/// The report of a repair.
public struct RepairReport: Hashable, Sendable {
  /// The number of transactions that this machine has appended to the log again.
  public let appendedCount: Int
  /// The path of the replica's old file, if the replica was restarted. The file is a journal that
  /// can be read. It contains the transactions that the log has lost.
  public let keptPath: String?
}

/// The repairs that a store performs without a call of the program.
public enum RepairPolicy: Hashable, Sendable {
  /// No repair. The program calls ``Store/repair(_:)`` with a plan.
  case manual
  /// A repair that only appends bytes of the replica again: ``RepairPlan/Action/appendAgain``. The
  /// replica must contain all transactions that the log has lost. The next pull performs it, of the
  /// program or of the background thread.
  case automatic
}

extension Store {
  /// Compares the replica with its shared log, and returns the plan of a repair. The call changes
  /// nothing.
  ///
  /// - Returns: The plan; nil if the log contains every transaction of the replica, or if the store
  ///   shares no log.
  /// - Throws: ``StoreError`` with `journal`, if the log cannot be reached, or contains a rewritten
  ///   journal.
  public func repairPlan() async throws(StoreError) -> RepairPlan? {
    guard case .file(let journal) = log, journal.link != nil else { return nil }
    let comparison = await journal.workers.value {
      Result { () throws(JournalError) in try journal.compareWithLog() }
    }
    do throws(JournalError) {
      return try comparison.get().map { RepairPlan(divergence: $0) }
    } catch { throw StoreError(.journal(error), path: path) }
  }

  /// Carries out the plan of a repair. The store then saves again.
  ///
  /// Without this call, a store with ``RepairPolicy/manual`` repairs nothing. After a restart, each
  /// list receives one `reset`, and unsaved changes of contexts are discarded.
  ///
  /// - Throws: ``StoreError`` with `journal`: `planOutdated`, if the log has changed after the plan
  ///   was made; the errors of the log and of the disk. The call can then be repeated with a new
  ///   plan.
  @discardableResult
  public func repair(_ plan: RepairPlan) async throws(StoreError) -> RepairReport {
    guard case .file(let journal) = log, journal.link != nil else {
      throw StoreError(.readOnly, path: path)
    }
    let repairing = await journal.workers.value {
      Result { () throws(StoreError) in try self.repairAndWait(plan, in: journal) }
    }
    return try repairing.get()
  }

  private func repairAndWait(
    _ plan: RepairPlan, in journal: FileJournal
  ) throws(StoreError) -> RepairReport {
    let repair: RepairDone
    do throws(JournalError) { repair = try journal.repair(plan.divergence) } catch {
      // The replica may have restarted before the failure.
      showAbsorbed()
      throw StoreError(.journal(error), path: path)
    }
    // The repair is complete. If this pull fails, a later one shows the rest of the log.
    _ = try? pullAndWait()
    return RepairReport(appendedCount: repair.appendedCount, keptPath: repair.oldFilePath)
  }

  /// Returns all transactions that a log has lost, with their times and authors.
  /// The property `missing` of a divergence contains only the first of them.
  ///
  /// - Throws: ``StoreError`` with `journal`, if a frame of the replica is damaged.
  /// - Complexity: O(*n*) in the size of the history
  public func missingTransactions(
    of divergence: LogDivergence
  ) throws(StoreError) -> [MissingTransaction] {
    guard case .file(let journal) = log else { return divergence.missing }
    do throws(JournalError) { return try journal.missingTransactions(of: divergence) } catch {
      throw StoreError(.journal(error), path: path)
    }
  }

  /// Performs the repair after a pull has failed, if the policy of the store allows it.
  ///
  /// - Returns: True if the log contains the replica again.
  func repairAutomatically(
    after error: JournalError, in journal: FileJournal
  ) throws(StoreError) -> Bool {
    guard journal.link?.repairsAutomatically == true, case .diverged(let divergence) = error.reason,
      journal.canAppendAgain(divergence)
    else { return false }
    do throws(StoreError) {
      _ = try repairAndWait(RepairPlan(divergence: divergence), in: journal)
      return true
    } catch {
      // A different machine has repaired the log at the same time, so the next pull succeeds.
      guard case .journal(let cause) = error.reason, case .planOutdated = cause.reason else {
        throw error
      }
      return false
    }
  }

  /// Replaces the state of a replica that has restarted: reads its new file from the start.
  func restart(_ core: inout StoreCore, from file: Replay.ReplayedFile) throws(StoreError) {
    var new = core.emptyReplacement()
    new.editor.state.generation = file.restartCount
    try replay(file, from: 1, into: &new)
    core = new.replacing(core)
  }

  /// Returns the authors of transactions of a replica.
  ///
  /// The layouts of their rows are needed to find their metadata, so the method reads the journal
  /// from its start.
  @Sendable static func authors(
    of frames: WrittenFrames, in range: ClosedRange<SequenceNumber>
  ) -> [SequenceNumber: String] {
    var catalog = Catalog()
    var authors: [SequenceNumber: String] = [:]
    var reader = frames.reader
    let last = min(frames.last, range.upperBound)
    while reader.chain.sequence < last || !reader.chain.isPastBase,
      (try? reader.advance()) == true
    {
      let header = reader.header
      guard header.kind == .transaction || header.kind == .base else { continue }
      reader.payload.withSpan { payload in
        for layout in PayloadReader.layouts(in: payload) { _ = catalog.add(layout) }
        guard header.kind == .transaction, range.contains(header.sequence) else { return }
        let metadata = PayloadReader.metadata(in: payload, layouts: catalog.layouts)
        if let author = metadata?.author { authors[header.sequence] = author }
      }
    }
    return authors
  }
}
