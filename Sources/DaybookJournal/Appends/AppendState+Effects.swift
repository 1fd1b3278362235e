extension AppendState {
  /// What became of the group that was taken.
  enum Effect {
    case synced(at: Int64)
    case written(at: Int64)
    case refused(JournalError.Reason)
    case failed(DiskError)

    var isRefused: Bool {
      if case .refused = self { true } else { false }
    }
  }

  /// What the leader knows of the file when a group has been carried out.
  struct WriterStatus {
    /// The last transaction that a mark tells of.
    var marked: SequenceNumber
    /// Whether the space filled with zeros is running out.
    var wantsFill: Bool
    /// How often the committed end could not be published.
    var unpublishedEndCount: Int
  }

  /// Who is to be told what, once the lock is released, and whether the lead goes on.
  struct Announcement {
    var settlement: Settlement
    var waiters: [AppendWaiter]
    /// Waiters of the forming group, which cannot follow a group that was not appended.
    var alsoRefused: (reason: JournalError.Reason, waiters: [AppendWaiter])?
    /// Appends that were enlisted and cannot be made by the leader, as it leads no more: their callers begin them.
    var returned: [Enlistment] = []
    /// Whether others wait for the forming group: the lead is to be kept, or handed to one of them.
    var isLedOn: Bool

    /// Resumes them all. Nothing of it may be done with the lock held.
    func tell() {
      for waiter in waiters { waiter.resume(.settled(settlement)) }
      for enlistment in returned { enlistment.waiter.resume(returning: false) }
      guard let alsoRefused else { return }
      for waiter in alsoRefused.waiters { waiter.resume(.settled(.refused(alsoRefused.reason))) }
    }
  }
}
