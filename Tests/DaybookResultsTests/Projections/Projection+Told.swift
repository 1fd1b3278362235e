import DaybookResults
import DaybookStore
import Testing

extension Projection {
  // Rule 26.
  /// Returns the difference of a step. If there is none, the moments before and after are equal in
  /// every comparison. Otherwise the difference is not empty. The invariants hold after the step.
  func received(_ step: (Projection) -> EditScript?) -> ListDifference<DynamicRecord> {
    let before = snapshot
    let script = step(self)
    checkInvariants()
    guard let script else { return ListDifference(from: before, to: snapshot) }
    #expect(!script.isEmpty)
    return ListDifference(script)
  }
}
