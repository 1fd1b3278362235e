import DaybookJournal
import DaybookStore

extension JournalOptions {
  /// Returns options by which a journal on a simulated disk makes the same calls in every run.
  ///
  /// The clock stands still, no thread works in the background, and identities and salts come from the disk's own
  /// generator. What saves of several tasks at a time write together still depends on the tasks.
  public static func simulated(
    on disk: SimulatedDisk, clock: ManualClock = ManualClock()
  ) -> JournalOptions {
    var options = JournalOptions()
    options.disk = disk
    options.clock = clock
    options.random = { disk.random() }
    options.tendsItself = false
    return options
  }
}

extension Store {
  /// Opens a store on a simulated disk, or makes one, for tests that count calls of the disk.
  ///
  /// ```swift
  /// let disk = SimulatedDisk()
  /// let store = try Store.simulated(records: Bank.self, on: disk)
  /// disk.plan = .fail(call: disk.callCount + 3, with: EIO)
  /// ```
  ///
  /// A plan meets the same call in every run, whatever else the machine does: see
  /// ``DaybookJournal/JournalOptions/simulated(on:clock:)``. What is due after an interval, and files derived from the
  /// journal, are written by ``performDueWork()`` and at the end.
  ///
  /// - Parameters:
  ///   - types: The types of the records.
  ///   - path: The journal on the disk.
  ///   - disk: The disk, which other stores may share.
  ///   - clock: The clock, which the test advances.
  /// - Throws: ``DaybookStore/StoreError``, as opening a store does.
  public static func simulated(
    records types: any Record.Type..., at path: String = "store.daybook",
    on disk: SimulatedDisk = SimulatedDisk(), clock: ManualClock = ManualClock()
  ) throws(StoreError) -> Store {
    try Store(at: path, types: types, options: .simulated(on: disk, clock: clock))
  }

  /// Performs the work that is due by the store's clock and that a thread performs in a store that is not simulated:
  /// it syncs, marks, fills space ahead, and writes checkpoints and caches.
  public func performDueWork() { tend() }
}
