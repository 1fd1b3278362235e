import DaybookResults
import DaybookStore
import Testing

extension Projection {
  // Rule 26.
  /// What a step did, also if that is nothing: then the moments before and after are the same, however
  /// they are compared, and otherwise something is in the difference. The invariants hold behind it.
  func told(_ step: (Projection) -> Difference?) -> Difference {
    let before = snapshot
    let difference = step(self)
    checkInvariants()
    guard let difference else { return Difference(from: before, to: snapshot) }
    #expect(!difference.isEmpty)
    return difference
  }
}
