import DaybookJournal

extension StoreCore {
  /// Returns an empty core, into which a store reads the file that has replaced its journal.
  ///
  /// The empty core has the layouts of this core, because codecs that are in use refer to them.
  func emptyReplacement() -> StoreCore {
    var empty = StoreCore()
    empty.editor = StateEditor(StateReader(catalog: catalog))
    // A restarted replica can lack transactions that contained layouts.
    empty.unwrittenLayouts = isSharing ? catalog.layouts.allAsAdded : unwrittenLayouts
    empty.layoutCount = layoutCount
    empty.isFollowing = isFollowing
    empty.isSharing = isSharing
    empty.editor.state.generation = editor.state.generation + 1
    empty.editor.state.addTables(of: catalog)
    return empty
  }

  /// Returns this core as the replacement of an old one, with the old core's counters and flags.
  /// The caller stores it under the lock, so readers see no state between the two.
  consuming func replacing(_ old: borrowing StoreCore) -> StoreCore {
    precondition(old.inFlight.isEmpty, "\(old.inFlight.count) transactions are in flight")
    precondition(
      old.isSharing || editor.state.sequence >= old.editor.state.sequence,
      "the state after transaction \(editor.state.sequence) cannot replace that after \(old.editor.state.sequence)"
    )
    var core = self
    core.hasViewContext = old.hasViewContext
    core.isMergeRequested = old.isMergeRequested
    core.rollBackCount = old.rollBackCount
    if old.isSharing {
      // A transaction that a save has seen can be missing, as after a rollback.
      core.rollBackCount += 1
      core.lastTicket = old.lastTicket
      core.numberingHold = old.numberingHold
      core.refusal = old.refusal
    }
    core.stateChanged()
    return core
  }
}
