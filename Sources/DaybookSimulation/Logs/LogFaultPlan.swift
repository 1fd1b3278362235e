/// A fault of one call of a ``FaultySharedLog``, or of one hint.
///
/// All faults except ``staleHead`` and ``reordered`` can occur with a log that obeys its rules.
public enum LogFault: Hashable, Sendable {
  /// The call sends nothing and throws `unavailable`. A hint is lost.
  case unavailable
  /// The request is lost. An append throws `unknown`, and other calls throw `unavailable`. A hint
  /// is lost.
  case requestLost
  /// The log performs the call, and the answer is lost. An append throws `unknown`, and other calls
  /// throw `unavailable`. A hint is lost.
  case answerLost
  /// An append throws `unknown`. The log performs the append before a later call: after the given
  /// number of calls. Other calls throw `unavailable`.
  case requestLate(callCount: Int)
  /// The log performs an append twice, and the answer is the second one. If a base has replaced the
  /// group between both, the append throws `unknown`. A hint arrives twice.
  case requestRepeated
  /// The log performs an append, and performs it again before a later call: after the given number
  /// of calls.
  case requestRepeatedLate(callCount: Int)
  /// This call and the given number of later calls send nothing and throw `unavailable`.
  case disconnected(callCount: Int)
  /// The call suspends before and after the log performs it. The number is that of yields to other
  /// tasks.
  case delayed(yieldCount: Int)
  /// `read` does not return the last groups, as a replica of a server that is late.
  case stale
  /// `head` returns an earlier head. This breaks the rules of a shared log.
  case staleHead
  /// `read` returns its groups in the reverse order. This breaks the rules of a shared log.
  case reordered

  /// The faults that a random plan uses.
  public static let lawful: [LogFault] = [
    .unavailable, .requestLost, .answerLost, .requestLate(callCount: 1), .requestLate(callCount: 5),
    .requestRepeated, .requestRepeatedLate(callCount: 3), .disconnected(callCount: 2),
    .delayed(yieldCount: 10), .stale,
  ]
}

/// The operations of a shared log that a ``FaultySharedLog`` counts.
public enum LogOperation: Hashable, Sendable, CaseIterable {
  /// The call `head`.
  case head
  /// The call `append`.
  case append
  /// The call `read`.
  case read
  /// The call `replaceGroups`.
  case replaceGroups
  /// An element of the stream of changes.
  case hint
}

/// The calls of a ``FaultySharedLog`` that fail, and the kinds of their faults.
///
/// Every call of `head`, `append`, `read` and `replaceGroups`, and every hint, has a number,
/// starting at 1. A test can therefore run a script once to count its calls, and then once for each
/// call:
///
/// ```swift
/// let log = FaultySharedLog(over: MemorySharedLog())
/// try await run(on: log)
/// for call in 1...log.callCount {
///   let plan = LogFaultPlan.fault(.answerLost, call: call)
///   try await run(on: FaultySharedLog(over: MemorySharedLog(), plan: plan))
/// }
/// ```
///
/// With `only:`, a plan counts only the given operations: `.fault(.answerLost, call: 3, only:
/// [.append])` selects the third append.
public struct LogFaultPlan: Hashable, Sendable {
  private enum Selection: Hashable {
    case call(Int, LogFault)
    case random(seed: UInt64, percent: Int, [LogFault])
  }

  private struct Rule: Hashable {
    let selection: Selection
    let operations: Set<LogOperation>
  }

  private var rules: [Rule] = []

  /// A plan without faults.
  public static let none = LogFaultPlan()

  /// Returns a plan for one call.
  public static func fault(
    _ fault: LogFault, call: Int, only operations: Set<LogOperation> = Set(LogOperation.allCases)
  ) -> LogFaultPlan {
    precondition(call >= 1, "calls are numbered from 1, and this is call \(call)")
    return LogFaultPlan(rules: [Rule(selection: .call(call, fault), operations: operations)])
  }

  /// The largest number of consecutive calls of one operation that get a fault by chance.
  static let consecutiveFaultCountMax = 8

  /// Returns a plan that gives a fault to a share of the calls. The seed and the number of a call
  /// determine its fault.
  ///
  /// After eight consecutive calls of one operation with a fault, the next call has none. So a
  /// caller that repeats a call reaches the log. With 100 percent, every call has a fault.
  ///
  /// - Parameters:
  ///   - seed: The seed of the random numbers.
  ///   - percent: The share of calls, from 0 to 100.
  ///   - faults: The faults, each with the same probability.
  ///   - operations: The operations whose calls are counted and can have a fault.
  public static func random(
    seed: UInt64, percent: Int = 25, from faults: [LogFault] = LogFault.lawful,
    only operations: Set<LogOperation> = Set(LogOperation.allCases)
  ) -> LogFaultPlan {
    precondition((0...100).contains(percent), "\(percent) percent of the calls")
    precondition(!faults.isEmpty, "a random plan without faults")
    let selection = Selection.random(seed: seed, percent: percent, faults)
    return LogFaultPlan(rules: [Rule(selection: selection, operations: operations)])
  }

  /// Returns a plan with the faults of both plans. If both plans select a call, this plan applies.
  public func combined(with other: LogFaultPlan) -> LogFaultPlan {
    LogFaultPlan(rules: rules + other.rules)
  }

  /// Returns the fault of a call; nil if the plan does not select the call. The counts already
  /// include the call.
  ///
  /// - Parameter consecutiveFaultCount: The number of calls of the operation with a fault directly
  ///   before this call.
  func fault(
    in operation: LogOperation, counts: [LogOperation: Int], consecutiveFaultCount: Int
  ) -> LogFault? {
    for rule in rules where rule.operations.contains(operation) {
      let number = rule.operations.reduce(0) { $0 + counts[$1, default: 0] }
      switch rule.selection {
      case .call(let call, let fault) where call == number: return fault
      case .call: continue
      case .random(_, let percent, _)
      where percent < 100 && consecutiveFaultCount >= LogFaultPlan.consecutiveFaultCountMax:
        continue
      case .random(let seed, let percent, let faults):
        var random = SplitMix64(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        guard random.below(100) < percent else { continue }
        return faults[random.below(faults.count)]
      }
    }
    return nil
  }
}
