import DaybookResults
import DaybookStore
import Testing

extension Projection {
  // Rule 26.
  /// What a step did, also if that is nothing: then the moments before and after are the same, however
  /// they are compared, and otherwise something is in the difference.
  func told(_ step: (Projection) -> Difference?) -> Difference {
    let before = snapshot
    guard let difference = step(self) else { return Difference(from: before, to: snapshot) }
    #expect(!difference.isEmpty)
    return difference
  }
}
