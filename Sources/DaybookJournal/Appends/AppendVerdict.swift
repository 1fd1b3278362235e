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
