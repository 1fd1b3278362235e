import Daybook
import Foundation

// The texts of `error.localizedDescription`: the descriptions of the errors, which exist in one
// language.

extension StoreError: LocalizedError {
  /// The description of the error.
  public var errorDescription: String? { description }
}

extension RequestError: LocalizedError {
  /// The description of the error.
  public var errorDescription: String? { description }
}

extension FilterError: LocalizedError {
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
