@_spi(Tools) import DaybookJournal
import DaybookPlatform
import DaybookStore

/// A replica that is open while a list of it is watched, so that the transactions of other machines
/// get into its file.
///
/// If another process has the replica open, that process reads the log. When it ends, the watch
/// opens the replica.
final class WatchedReplica {
  private let name: String
  private let address: String
  /// The store; nil while another process has the replica open.
  private var store: Store?
  private var status = SharingStatus.connected
  /// The time of the next attempt to open the replica.
  private var nextAttempt: Int64 = 0

  /// The time between two attempts to open the replica, in nanoseconds.
  private static let attemptInterval: Int64 = 1_000_000_000

  /// Opens the replica.
  ///
  /// - Returns: nil if the journal is no replica, or if the process may not write it.
  init?(_ name: String) throws {
    guard let address = try OpenJournal.sharedLogAddress(of: name) else { return nil }
    guard SharedLogs.isSupported else {
      StandardError.write(
        "\(name): the tool was built without PostgreSQL, so only other processes read the log.")
      return nil
    }
    (self.name, self.address) = (name, address)
    do { try openUnlessLocked() } catch let error as StoreError {
      guard WatchedReplica.isRefused(error) else { throw ToolError(error) }
      StandardError.write(
        "\(name): this user cannot write the replica, so only other processes read the log.")
      return nil
    }
    try report()
  }

  /// Returns whether the system does not allow the process to write the replica.
  private static func isRefused(_ error: StoreError) -> Bool {
    guard case .journal(let cause) = error.reason, case .system(let disk) = cause.reason else {
      return false
    }
    return [Errno.accessDenied, Errno.notPermitted, Errno.readOnlyFileSystem].contains(disk.code)
  }

  private func openUnlessLocked() throws {
    nextAttempt = MachineClock().uptimeNanoseconds + WatchedReplica.attemptInterval
    let log = try SharedLogs.log(at: address, for: "watch")
    var options = JournalOptions.tool(reading: name)
    options.receivesHints = true
    do throws(StoreError) {
      store = try OpenJournal.store(at: name, sharing: log, options: options)
    } catch {
      guard case .journal(let cause) = error.reason, case .locked = cause.reason else {
        throw error
      }
    }
  }

  /// Opens the replica if the process that had it open has ended. Prints the status if it has
  /// changed.
  func report() throws {
    if store == nil, MachineClock().uptimeNanoseconds >= nextAttempt {
      do { try openUnlessLocked() } catch let error as StoreError { throw ToolError(error) }
    }
    guard let now = store?.sharingStatus, now != status else { return }
    status = now
    StandardError.write("\(name): \(now)")
  }

  func close() { try? store?.closeAndWait() }
}
