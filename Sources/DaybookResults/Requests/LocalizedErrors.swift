import DaybookEssentials

// With these conformances, `error.localizedDescription` returns the description of the error. The
// descriptions exist only in English.

extension RequestError: LocalizedError {
  /// The description of the error.
  public var errorDescription: String? { description }
}

extension FilterError: LocalizedError {
  /// The description of the error.
  public var errorDescription: String? { description }
}
