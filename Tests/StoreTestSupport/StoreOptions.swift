import DaybookJournal
import DaybookSimulation
import DaybookStore

extension JournalOptions {
  /// Returns options for a journal on a simulated disk with a clock that does not advance.
  package static func simulated(_ disk: SimulatedDisk) -> JournalOptions {
    Audit.start()
    return .simulated(on: disk)
  }
}
