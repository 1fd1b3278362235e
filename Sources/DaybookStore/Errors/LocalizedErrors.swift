import DaybookEssentials
import DaybookJournal
import DaybookPlatform

// With these conformances, `error.localizedDescription` returns the description of the error. The
// descriptions exist only in English.

extension StoreError: LocalizedError {
  /// The description of the error.
  public var errorDescription: String? { description }
}

extension JournalError: LocalizedError {
  /// The description of the error.
  public var errorDescription: String? { description }
}

extension DiskError: LocalizedError {
  /// The description of the error.
  public var errorDescription: String? { description }
}
