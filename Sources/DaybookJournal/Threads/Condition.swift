import DaybookPlatform

/// Something that threads wait for: a lock, and a signal that what it guards has changed.
//
// Shared state: `value`, guarded by the lock of `condition`.
package final class Condition<Value: Sendable>: @unchecked Sendable {
  private let condition = ConditionVariable()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// Changes the value, and tells all who wait.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    condition.lock()
    let result = body(&value)
    condition.unlock()
    // Whoever is told before that wakes up to wait for the lock.
    condition.broadcast()
    return result
  }

  /// Looks at the value, and wakes nobody.
  package func read<Result>(_ body: (Value) -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body(value)
  }

  /// Waits until the body has an answer: it is asked now, after each change, and when the moment
  /// has come that it last named.
  ///
  /// - Parameter body: Answers, or says until which moment of the machine's uptime to wait at the
  ///   most; nil to wait for a change only.
  package func wait<Result>(for body: (inout Value) -> Answer<Result>) -> Result {
    condition.lock()
    defer { condition.unlock() }
    while true {
      switch body(&value) {
      case .is(let result): return result
      case .notBefore(nil): condition.wait()
      case .notBefore(let moment?): condition.wait(untilUptimeNanoseconds: moment)
      }
    }
  }

  package enum Answer<Result> {
    case `is`(Result)
    case notBefore(Int64?)
  }
}
