/// What a waiter is told.
enum AppendVerdict: Sendable {
  /// The group is yours: write it.
  case lead
  case settled(Settlement)
}

/// What became of a group.
enum Settlement: Sendable {
  case done(Receipt.Safety)
  /// A call failed while the group was written or synced.
  case unknown(DiskError, stop: Int)
  /// Nothing of the group was written.
  case refused(JournalError.Reason)
}

/// Whose thread it is that leads.
enum Leader {
  /// A task's, which others could do their work on.
  case task
  /// That of a caller, who sleeps on it until it is done.
  case caller
  /// The journal's own, which leads for many.
  case thread
}
