import DaybookJournal

extension JournalOptions {
  /// Returns options for a journal on a simulated disk. With these options, the journal makes the
  /// same calls in every run.
  ///
  /// Only the test advances the clock, and no thread works in the background. The disk's own
  /// generator provides identities and salts. If several tasks save at the same time, the groups of
  /// their saves can still differ in each run.
  public static func simulated(
    on disk: SimulatedDisk, clock: ManualClock = ManualClock()
  ) -> JournalOptions {
    var options = JournalOptions()
    options.disk = disk
    options.clock = clock
    options.random = { disk.random() }
    options.worksInBackground = false
    return options
  }
}
