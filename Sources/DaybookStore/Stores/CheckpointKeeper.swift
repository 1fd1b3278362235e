import DaybookJournal
import Synchronization

/// Writes the state of a store to the checkpoints beside its journal, on whatever thread is asked to, and knows
/// when it is time to.
///
/// There are two files, and the older one is written: whatever becomes of that, the other one is there.
//
// Shared state: `state`, guarded by its mutex for as long as it is read or changed; `writing`, held while a
// checkpoint is written, so that one is written at a time; the two offsets, which are read for each save.
final class CheckpointKeeper: Sendable {
  private struct State {
    var written: SequenceNumber?
    /// How many bytes that has.
    var byteCount = 0
    var writeCount = 0
    var failure: StoreError?
  }

  private let journal: FileJournal
  private let rule: CheckpointRule
  private let state: Mutex<State>
  /// Which of the names is the older one's, as far as is known.
  private let writing = Mutex<Int?>(nil)
  /// The transaction from whose checkpoint the store was opened.
  let openedFrom: SequenceNumber?
  /// How long the journal is when a checkpoint is worth its while at the store's end.
  private let offerOffset: Atomic<UInt64>
  /// How long it is when one is to be written at once.
  private let beginOffset: Atomic<UInt64>

  /// What the work is called.
  static let workName = "checkpoint"

  /// - Returns: nil if the store keeps none.
  init?(_ log: StoreLog, from checkpoint: CheckpointFile.Opened?, hasBegun: Bool) {
    guard case .file(let journal) = log, journal.keepsCheckpoints else { return nil }
    self.journal = journal
    rule = journal.checkpointRule
    let used = hasBegun ? checkpoint : nil
    openedFrom = used?.checkpoint.moment.sequence
    let (end, byteCount) = (used?.checkpoint.start.end.endOffset ?? 0, used?.byteCount ?? 0)
    state = Mutex(State(written: openedFrom, byteCount: byteCount))
    let growth = rule.growth(after: byteCount)
    offerOffset = Atomic(end + growth.closing)
    beginOffset = Atomic(end + growth.open)
  }

  // MARK: Due times

  /// What there is to do about a journal that is so long now.
  enum Due { case nothing, atTheEnd, now }

  /// What there is to do, told once: until that is done, or has come to nothing, nothing is due any more.
  func due(at end: UInt64) -> Due {
    if end >= beginOffset.load(ordering: .relaxed) {
      return beginOffset.exchange(.max, ordering: .relaxed) == .max ? .nothing : .now
    }
    if end >= offerOffset.load(ordering: .relaxed) {
      return offerOffset.exchange(.max, ordering: .relaxed) == .max ? .nothing : .atTheEnd
    }
    return .nothing
  }

  // MARK: Writing

  /// Writes a state, if its transaction is on the disk.
  ///
  /// - Parameters:
  ///   - source: nil if there is none that could be written now.
  ///   - end: How long the journal is now.
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
      // What came to nothing is tried again at the end, and before that not behind every save.
      offerOffset.store(byteCount == nil ? end + 1 : end + growth.closing, ordering: .relaxed)
      beginOffset.store(end + growth.open, ordering: .relaxed)
    }
  }

  /// - Returns: How many bytes the checkpoint has; nil if there is nothing new to write.
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
        // The frozen state keeps the pages as they are.
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

  /// What has been done.
  var statistics: CheckpointStatistics {
    state.withLock { state in
      CheckpointStatistics(
        openedFrom: openedFrom, written: state.written, writeCount: state.writeCount,
        failure: state.failure)
    }
  }
}

/// What checkpoints were good for, and what was done about them.
public struct CheckpointStatistics: Hashable, Sendable {
  /// The transaction from whose checkpoint the store was opened; nil if all of the journal was read.
  public var openedFrom: SequenceNumber?
  /// The transaction of the newest one that can be used, as far as this process has seen.
  public var written: SequenceNumber?
  /// How many were written.
  public var writeCount: Int
  /// Why the last one could not be written; nil if it could.
  public var failure: StoreError?
}

extension Store {
  /// Sees to it that a checkpoint is written when it is time: at once, behind everybody's back, or when the store
  /// is closed.
  ///
  /// - Parameter end: How long the journal is that readers are shown.
  func keepCheckpoint(at end: UInt64) {
    guard let checkpoints else { return }
    switch checkpoints.due(at: end) {
    case .nothing: return
    case .atTheEnd:
      derivedWork.offer(CheckpointKeeper.workName) { [weak self] in self?.writeCheckpoint() }
    case .now:
      derivedWork.begin(CheckpointKeeper.workName) { [weak self] in self?.writeCheckpoint() }
    }
  }

  /// Writes down the state that readers are shown, so that the next opening reads no further back. It happens by
  /// itself; this is for whoever knows better when.
  ///
  /// - Complexity: O(*n*) in the records; saves go on meanwhile
  package func writeCheckpoint() {
    guard let checkpoints else { return }
    let (source, end) = core.withLock { core in
      (core.damage == nil ? core.checkpointSource() : nil, core.fileByteCount)
    }
    checkpoints.write(source, at: end)
    // What was saved meanwhile may have been told that nothing was due.
    keepCheckpoint(at: core.withLock { $0.fileByteCount })
  }

  /// What was not looked at when the store was opened; nil if all was.
  package var lateChecks: LateChecks? { core.withLock { $0.editor.memory.lateChecks } }
}
