import DaybookJournal
import Synchronization

/// Writes the state of a store to the checkpoints beside its journal, and decides when one is due.
///
/// There are two checkpoint files, and always the older one is written. Whatever happens to that
/// file, the other one remains.
//
// Shared state:
//
// - `state`: guarded by its mutex, which is locked only to read or change it.
// - `writing`: locked while a checkpoint is written, so that one is written at a time.
// - The two offsets: atomic, because every save reads them.
final class CheckpointKeeper: Sendable {
  private struct State {
    var written: SequenceNumber?
    /// The number of bytes in that checkpoint.
    var byteCount = 0
    var writeCount = 0
    var failure: StoreError?
  }

  private let journal: FileJournal
  private let rule: CheckpointRule
  private let state: Mutex<State>
  /// Locked while a checkpoint is written. Contains the index of the older file's name, if it is
  /// known.
  private let writing = Mutex<Int?>(nil)
  /// The transaction of the checkpoint that the store was opened from.
  let openedFrom: SequenceNumber?
  /// From this length of the journal on, a checkpoint is offered: it is written when the store is
  /// closed.
  private let offerOffset: Atomic<UInt64>
  /// The smallest length of the journal that requires a checkpoint at once.
  private let startOffset: Atomic<UInt64>

  /// The name of the work in the queue of derived files.
  static let workName = "checkpoint"

  /// - Returns: nil if the store keeps no checkpoints.
  init?(_ log: StoreLog, from checkpoint: CheckpointFile.Opened?, hasStarted: Bool) {
    guard case .file(let journal) = log, journal.keepsCheckpoints else { return nil }
    self.journal = journal
    rule = journal.checkpointRule
    let used = hasStarted ? checkpoint : nil
    openedFrom = used?.checkpoint.moment.sequence
    let (end, byteCount) = (used?.checkpoint.start.end.endOffset ?? 0, used?.byteCount ?? 0)
    state = Mutex(State(written: openedFrom, byteCount: byteCount))
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
  /// Only one caller receives `.atTheEnd`, and only one receives `.now`. Each of the two is due
  /// again only after `write` has set its threshold.
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

  /// Writes a state, and syncs its transaction first if that is not durable yet.
  ///
  /// - Parameters:
  ///   - source: The state; nil if it cannot be written.
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
      // After a failure, the next attempt is at closing, or after the journal has grown enough.
      offerOffset.store(byteCount == nil ? end + 1 : end + growth.closing, ordering: .relaxed)
      startOffset.store(end + growth.open, ordering: .relaxed)
    }
  }

  /// - Returns: The number of bytes in the checkpoint; nil if nothing new can be written.
  private func write(
    _ source: CheckpointSource, olderName: inout Int?
  ) throws(StoreError) -> Int? {
    let path = journal.path
    do throws(JournalError) {
      let sequence = source.state.sequence
      guard sequence != state.withLock({ $0.written }) else { return nil }
      if journal.head.sequence < sequence { try journal.syncAndWait() }
      guard let start = try journal.start(after: sequence) else { return nil }
      let checkpoint = Checkpoint(
        moment: JournalMoment(
          identity: journal.identity, salt: journal.header.salt, sequence: sequence,
          check: start.end.chain.point.check),
        start: start, base: source.base, layouts: source.layouts, state: source.state,
        byteCountSinceLayouts: source.byteCountSinceLayouts,
        locator: source.frozen.memory.locator, keys: source.keys.written)
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

  /// The checkpoints that were used and written.
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
  /// The transaction of the checkpoint that was last written; until then, of the one that the store
  /// was opened from.
  public var written: SequenceNumber?
  /// The number of checkpoints that were written.
  public var writeCount: Int
  /// The error of the last attempt to write one; nil if it succeeded.
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

  /// Writes the state that readers see to a checkpoint, so that the next opening reads only what
  /// follows it.
  ///
  /// The store does this automatically. Callers use it to choose the time.
  ///
  /// - Complexity: O(*n*) in the records; saves continue meanwhile
  package func writeCheckpoint() {
    guard let checkpoints else { return }
    let (source, end) = core.withLock { core in
      (core.damage == nil ? core.checkpointSource() : nil, core.fileByteCount)
    }
    checkpoints.write(source, at: end)
    // A save during the write found nothing due, so the check is repeated here.
    storeCheckpoint(at: core.withLock { $0.fileByteCount })
  }

  /// The checks that opening the store has postponed; nil if everything was checked.
  package var lateChecks: LateChecks? { core.withLock { $0.editor.memory.lateChecks } }
}
