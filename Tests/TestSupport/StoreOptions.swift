import DaybookJournal
import DaybookStore
import DaybookTesting

extension JournalOptions {
  /// A journal on a simulated disk, whose clock stands still.
  package static func simulated(_ disk: SimulatedDisk) -> JournalOptions {
    Audit.start()
    return .simulated(on: disk)
  }
}
