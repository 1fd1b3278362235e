import DaybookJournal
import DaybookStore

extension JournalOptions {
  /// Returns options that let a journal on a simulated disk make the same calls in every run.
  ///
  /// Only the test advances the clock, and no thread works in the background. Identities and salts
  /// are from the disk's own generator. If several tasks save at the same time, the grouping of
  /// their saves still depends on the tasks.
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
  /// Opens or creates a store on a simulated disk, for tests that count calls of the disk.
  ///
  /// ```swift
  /// let disk = SimulatedDisk()
  /// let store = try Store.simulated(records: Bank.self, on: disk)
  /// disk.plan = .fail(call: disk.callCount + 3, with: EIO)
  /// ```
  ///
  /// A fault plan reaches the same call in every run, independent of the machine's load: see
  /// ``DaybookJournal/JournalOptions/simulated(on:clock:)``. Work that is due after an interval,
  /// and files derived from the journal, are written by ``performDueWork()`` and when the store
  /// closes.
  ///
  /// - Parameters:
  ///   - types: The types of the records.
  ///   - path: The path of the journal on the disk.
  ///   - disk: The disk. Several stores may share it.
  ///   - clock: The clock. The test advances it.
  /// - Throws: ``DaybookStore/StoreError``, as opening a store does.
  public static func simulated(
    records types: any Record.Type..., at path: String = "store.daybook",
    on disk: SimulatedDisk = SimulatedDisk(), clock: ManualClock = ManualClock()
  ) throws(StoreError) -> Store {
    try Store(at: path, types: types, options: .simulated(on: disk, clock: clock))
  }

  /// Performs the work that is due by the store's clock: syncs, durability marks, preallocation,
  /// checkpoints and caches. A store that is not simulated performs it on a thread.
  public func performDueWork() { tend() }
}
