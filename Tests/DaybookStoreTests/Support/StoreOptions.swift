import DaybookJournal
import DaybookStore
import DaybookTesting

extension JournalOptions {
  /// A journal on a simulated disk, which nobody tends.
  static func simulated(_ disk: SimulatedDisk) -> JournalOptions {
    Audit.start()
    var options = JournalOptions()
    options.disk = disk
    options.tendsItself = false
    return options
  }
}
