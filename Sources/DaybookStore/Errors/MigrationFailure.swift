/// The failure of a migration step.
public struct MigrationFailure: Error, Hashable, Sendable {
  /// The step that threw the error.
  public let step: MigrationStep
  /// The error that the step threw.
  public let error: any Error

  init(_ step: MigrationStep, error: any Error) {
    self.step = step
    self.error = error
  }

  /// Returns whether two failures have the same step, and errors with the same description.
  public static func == (one: MigrationFailure, other: MigrationFailure) -> Bool {
    one.step == other.step && "\(one.error)" == "\(other.error)"
  }

  /// Hashes the step and the description of the error.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(step)
    hasher.combine("\(error)")
  }
}
