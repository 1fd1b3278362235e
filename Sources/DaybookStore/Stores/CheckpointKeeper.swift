import DaybookJournal
import Synchronization

/// Writes the state of a store to the checkpoints beside its journal, and decides when one is due.
/// Each store that writes a file has a keeper, unless its options disable checkpoints.
///
/// There are two checkpoint files, and the keeper always replaces the older one. If the write fails
/// or the file is damaged, the newer checkpoint remains.
//
// Shared state:
//
// - `state`: guarded by its mutex, which is locked only to read or change it.
// - `writing`: locked while a checkpoint is written, so that two threads never write one at the
//   same time.
// - The two offsets: atomic, because every save reads them.
final class CheckpointKeeper: Sendable {
  /// The results of the last write.
  private struct State {
    /// The transaction of the last checkpoint; nil if there is no valid one.
    var written: SequenceNumber?
    /// The number of bytes in the last checkpoint.
    var byteCount = 0
    var writeCount = 0
    /// The error of the last write; nil if it succeeded.
    var failure: StoreError?
    /// The totals of the history up to the last checkpoint. The next checkpoint continues them.
    var totals: HistoryTotals?
    /// The number of restarts of the replica that the other values are valid for.
    var generation = 0

    /// Removes the values of a file that a restart of the replica has replaced.
    mutating func move(to new: Int) {
      guard new != generation else { return }
      (written, totals, generation) = (nil, nil, new)
    }
  }

  private let journal: FileJournal
  private let rule: CheckpointRule
  private let state: Mutex<State>
  /// The index, in `checkpointNames`, of the name of the older checkpoint file; nil until the
  /// keeper has read both files.
  private let writing = Mutex<Int?>(nil)
  /// The transaction of the checkpoint that the store was opened from.
  let openedFrom: SequenceNumber?
  /// A length of the journal. When the journal has reached it, a checkpoint is due at the closing
  /// of the store.
  private let offerOffset: Atomic<UInt64>
  /// A greater length of the journal. When the journal has reached it, a checkpoint is due at once.
  private let startOffset: Atomic<UInt64>

  /// The name of a checkpoint's work in the queue ``DerivedWork``.
  static let workName = "checkpoint"

  /// - Returns: Nil if the store keeps no checkpoints.
  init?(_ log: StoreLog, from checkpoint: CheckpointFile.Opened?, hasStarted: Bool) {
    guard case .file(let journal) = log, journal.keepsCheckpoints else { return nil }
    self.journal = journal
    rule = journal.checkpointRule
    let used = hasStarted ? checkpoint : nil
    openedFrom = used?.checkpoint.moment.sequence
    let (end, byteCount) = (used?.checkpoint.start.end.endOffset ?? 0, used?.byteCount ?? 0)
    state = Mutex(
      State(written: openedFrom, byteCount: byteCount, totals: used?.checkpoint.totals))
    let growth = rule.growth(after: byteCount)
    offerOffset = Atomic(end + growth.closing)
    startOffset = Atomic(end + growth.open)
  }

  // MARK: Due times

  /// The checkpoint that is due at a length of the journal: none, one when the store is closed, or
  /// one at once.
  enum Due { case nothing, atTheEnd, now }

  /// Returns the checkpoint that is due at a length of the journal.
  ///
  /// Of all callers that pass a threshold, only one receives `.atTheEnd`, and only one receives
  /// `.now`. So a checkpoint is scheduled once. The method `write` sets new thresholds.
  func due(at end: UInt64) -> Due {
    if end >= startOffset.load(ordering: .relaxed) {
      return startOffset.exchange(.max, ordering: .relaxed) == .max ? .nothing : .now
    }
    if end >= offerOffset.load(ordering: .relaxed) {
      return offerOffset.exchange(.max, ordering: .relaxed) == .max ? .nothing : .atTheEnd
    }
    return .nothing
  }

  // MARK: Writing

  /// Writes a state to the older checkpoint file, and sets the next thresholds. If the last
  /// transaction of the state is not durable yet, the method syncs the journal first.
  ///
  /// - Parameters:
  ///   - source: The data of the checkpoint; nil if the store has none that can be written.
  ///   - end: The length of the journal.
  func write(_ source: CheckpointSource?, at end: UInt64) {
    writing.withLock { olderName in
      var byteCount: Int?
      var failure: StoreError?
      do throws(StoreError) {
        if let source { byteCount = try write(source, olderName: &olderName) }
      } catch {
        failure = error
      }
      let known = state.withLock { state in
        if let failure { state.failure = failure }
        if let byteCount {
          state.failure = nil
          state.byteCount = byteCount
          state.writeCount += 1
          state.written = source?.state.sequence
        }
        return state.byteCount
      }
      let growth = rule.growth(after: known)
      // If nothing was written, the next attempt is made at closing, if the journal has grown, or
      // as soon as it has grown enough.
      offerOffset.store(byteCount == nil ? end + 1 : end + growth.closing, ordering: .relaxed)
      startOffset.store(end + growth.open, ordering: .relaxed)
    }
  }

  /// - Returns: The number of bytes in the checkpoint; nil if the last checkpoint has the same
  ///   state, or if the journal does not contain the transaction.
  private func write(
    _ source: CheckpointSource, olderName: inout Int?
  ) throws(StoreError) -> Int? {
    let path = journal.path
    do throws(JournalError) {
      let sequence = source.state.sequence
      let written = state.withLock { state in
        state.move(to: source.state.generation)
        return state.written
      }
      guard sequence != written else { return nil }
      if journal.head.sequence < sequence { try journal.syncAndWait() }
      guard let start = try journal.start(after: sequence) else { return nil }
      // After a restart of a replica, the transaction with this number can be a different one.
      guard source.state.generation == journal.restartCount else { return nil }
      let checkpoint = Checkpoint(
        moment: JournalMoment(
          identity: journal.identity, salt: journal.header.salt, sequence: sequence,
          checksum: start.end.chain.point.checksum),
        start: start, base: source.base, layouts: source.layouts, state: source.state,
        byteCountSinceLayouts: source.byteCountSinceLayouts,
        locator: source.frozen.memory.locator, keys: source.keys.written,
        versions: source.versions, totals: totals(of: source))
      let files = journal.derivedFiles
      let name = olderName ?? CheckpointFile.olderName(beside: files, of: journal.header)
      var byteCount = 0
      let origin = DerivedFiles.Origin(checkpoint.moment, endOffset: start.end.endOffset)
      try files.write(DerivedFiles.checkpointNames[name], from: origin) {
        (file) throws(DiskError) in
        // The frozen state keeps the pages unchanged.
        byteCount = try withExtendedLifetime(source.frozen) { () throws(DiskError) -> Int in
          try CheckpointFile.write(checkpoint, pages: source.frozen.space, to: file)
        }
      }
      olderName = 1 - name
      return byteCount
    } catch {
      throw StoreError(.journal(error), path: path)
    }
  }

  /// Returns the totals of the history up to a state, which is durable; nil if a frame of the
  /// journal is damaged.
  private func totals(of source: CheckpointSource) -> HistoryTotals? {
    // Only the thread that writes a checkpoint reads or changes the totals.
    var totals = state.withLock { $0.totals } ?? HistoryTotals()
    precondition(
      totals.sequence <= source.state.sequence.rawValue,
      "the totals of transaction \(totals.sequence) are after \(source.state.sequence)")
    do throws(HistoryDefect) {
      try totals.advance(to: source.frozen, base: source.base)
    } catch {
      state.withLock { $0.totals = nil }
      return nil
    }
    state.withLock { $0.totals = totals }
    return totals
  }

  /// The numbers of the checkpoints that the store has used and written.
  var statistics: CheckpointStatistics {
    state.withLock { state in
      CheckpointStatistics(
        openedFrom: openedFrom, written: state.written, writeCount: state.writeCount,
        failure: state.failure)
    }
  }
}

/// Statistics of the checkpoints of a store.
public struct CheckpointStatistics: Hashable, Sendable {
  /// The transaction of the checkpoint that the store was opened from; nil if none was used.
  public var openedFrom: SequenceNumber?
  /// The transaction of the last checkpoint that was written. Until the store writes one, it is the
  /// transaction of the checkpoint that the store was opened from, or nil.
  public var written: SequenceNumber?
  /// The number of checkpoints that were written.
  public var writeCount: Int
  /// The error of the last attempt to write a checkpoint; nil if that attempt succeeded, or if the
  /// store has not tried yet.
  public var failure: StoreError?
}

extension Store {
  /// Schedules a checkpoint if one is due: at once in the background, or when the store is closed.
  ///
  /// - Parameter end: The length of the part of the journal that readers see.
  func storeCheckpoint(at end: UInt64) {
    guard let checkpoints else { return }
    switch checkpoints.due(at: end) {
    case .nothing: return
    case .atTheEnd:
      derivedWork.offer(CheckpointKeeper.workName) { [weak self] in self?.writeCheckpoint() }
    case .now:
      derivedWork.start(CheckpointKeeper.workName) { [weak self] in self?.writeCheckpoint() }
    }
  }

  /// Writes the state that readers see to a checkpoint. The next opening reads only the
  /// transactions after it.
  ///
  /// The store writes checkpoints automatically when they are due. A caller uses this method to
  /// choose the time.
  ///
  /// - Complexity: O(*n*) in the records; saves continue meanwhile
  @_spi(Tools) public func writeCheckpoint() {
    guard let checkpoints else { return }
    let (source, end) = core.withLock { core in
      (core.damage == nil ? core.checkpointSource() : nil, core.fileByteCount)
    }
    checkpoints.write(source, at: end)
    // During the write, saves find that nothing is due. So the method checks again after it.
    storeCheckpoint(at: core.withLock { $0.fileByteCount })
  }

  /// The checks that the opening of the store has postponed; nil if it has postponed none.
  package var lateChecks: LateChecks? { core.withLock { $0.editor.memory.lateChecks } }
}
