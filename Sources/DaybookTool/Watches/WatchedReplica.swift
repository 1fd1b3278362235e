import DaybookJournal
import DaybookStore

/// A replica that is open while a list of it is watched, so that the transactions of other machines
/// get into its file.
final class WatchedReplica {
  private let name: String
  private let store: Store
  private var status = SharingStatus.connected

  /// Opens the replica.
  ///
  /// - Returns: nil if the journal is no replica, or another process has it open.
  init?(_ name: String) throws {
    guard let address = try OpenJournal.sharedLogAddress(of: name) else { return nil }
    guard SharedLogs.isSupported else {
      StandardError.write(
        "\(name): the tool was built without PostgreSQL, so only other processes read the log.")
      return nil
    }
    self.name = name
    let log = try SharedLogs.log(at: address, for: "watch")
    do throws(StoreError) {
      store = try OpenJournal.store(at: name, sharing: log, options: .tool(reading: name))
    } catch {
      if case .journal(let cause) = error.reason, case .locked = cause.reason { return nil }
      throw ToolError(error)
    }
    report()
  }

  /// Prints the status if it has changed.
  func report() {
    guard let now = store.sharingStatus, now != status else { return }
    status = now
    StandardError.write("\(name): \(now)")
  }

  func close() { try? store.closeAndWait() }
}
