import DaybookJournal
import DaybookSimulation
import DaybookStore

extension Store {
  /// Opens or creates a store on a simulated disk, for tests that count calls of the disk.
  ///
  /// ```swift
  /// let disk = SimulatedDisk()
  /// let store = try Store.simulated(records: Bank.self, on: disk)
  /// disk.plan = .fail(call: disk.callCount + 3, with: EIO)
  /// ```
  ///
  /// A fault plan selects the same call in every run, because the store makes the same calls; see
  /// `JournalOptions.simulated(on:clock:)`. The store does not sync or write
  /// checkpoints and caches in the background. A simulated store does this work only in
  /// ``performDueWork()``, and when it closes.
  ///
  /// - Parameters:
  ///   - types: The types of the records.
  ///   - migrations: The migration steps.
  ///   - path: The path of the journal on the disk.
  ///   - disk: The disk. Several stores may share it.
  ///   - clock: The clock of the journal, which the test advances.
  /// - Throws: ``DaybookStore/StoreError``, in the same cases as opening any store
  public static func simulated(
    records types: any Record.Type..., migrations: [Migration] = [],
    at path: String = "store.daybook", on disk: SimulatedDisk = SimulatedDisk(),
    clock: ManualClock = ManualClock()
  ) throws(StoreError) -> Store {
    try Store(
      at: path, types: types, migrations: migrations, options: .simulated(on: disk, clock: clock))
  }

  /// Performs the work that is due by the store's clock: syncs, durability marks, zero fill,
  /// checkpoints and caches. A store that is not simulated performs this work on background
  /// threads.
  public func performDueWork() { tend() }
}
