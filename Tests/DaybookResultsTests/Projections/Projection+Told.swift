import DaybookResults
import DaybookStore
import Testing

extension Projection {
  // Rule 26.
  /// What a step did, also if that is nothing: then the moments before and after are the same, however
  /// they are compared, and otherwise something is in the difference. The invariants hold behind it.
  func told(_ step: (Projection) -> EditScript?) -> ListDifference<DynamicRecord> {
    let before = snapshot
    let script = step(self)
    checkInvariants()
    guard let script else { return ListDifference(from: before, to: snapshot) }
    #expect(!script.isEmpty)
    return ListDifference(script)
  }
}
