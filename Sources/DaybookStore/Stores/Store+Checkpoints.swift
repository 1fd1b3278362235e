import DaybookJournal

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
