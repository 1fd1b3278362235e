import Daybook
import Foundation

// What `error.localizedDescription` prints of errors of stores, requests, journals and disks: their own
// sentences, in the one language that they have.

extension StoreError: LocalizedError {
  /// The sentence of its description.
  public var errorDescription: String? { description }
}

extension RequestError: LocalizedError {
  /// The sentence of its description.
  public var errorDescription: String? { description }
}

extension FilterError: LocalizedError {
  /// The sentence of its description.
  public var errorDescription: String? { description }
}

extension JournalError: LocalizedError {
  /// The sentence of its description.
  public var errorDescription: String? { description }
}

extension DiskError: LocalizedError {
  /// The sentence of its description.
  public var errorDescription: String? { description }
}
