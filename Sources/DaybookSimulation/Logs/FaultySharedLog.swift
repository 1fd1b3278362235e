import DaybookJournal
import Synchronization

/// A shared log that passes calls to another log, and injects faults.
///
/// ```swift
/// let log = FaultySharedLog(over: MemorySharedLog(), plan: .random(seed: 7))
/// ```
///
/// The plan decides by the number of a call which fault it has; see ``LogFaultPlan``. Use one
/// wrapper for each machine, because the numbers of concurrent calls depend on their order.
public final class FaultySharedLog: SharedLog {
  // Shared state: `state`, guarded by its mutex.

  private struct State {
    var plan: LogFaultPlan
    var counts: [LogOperation: Int] = [:]
    var faultCount = 0
    /// The number of consecutive calls of each operation that had a fault, up to the last call.
    var consecutiveFaultCounts: [LogOperation: Int] = [:]
    /// The number of further calls that throw `unavailable`, because the connection is down.
    var outageCallCount = 0
    /// The appends that the log performs late, each with the number of calls before it.
    var lateRequests: [(callCount: Int, group: FrameGroup)] = []
    var isClosed = false
    var earlierHead: SharedHead??

    func planned(_ operation: LogOperation) -> LogFault? {
      plan.fault(
        in: operation, counts: counts,
        consecutiveFaultCount: consecutiveFaultCounts[operation, default: 0])
    }

    mutating func record(_ fault: LogFault?, in operation: LogOperation) {
      if fault == nil {
        consecutiveFaultCounts[operation] = 0
      } else {
        faultCount += 1
        consecutiveFaultCounts[operation, default: 0] += 1
      }
    }
  }

  private let base: any SharedLog
  private let state: Mutex<State>

  /// Creates a wrapper of a log.
  public init(over base: any SharedLog, plan: LogFaultPlan = .none) {
    self.base = base
    state = Mutex(State(plan: plan))
  }

  /// The name of the log.
  public var name: String { base.name }

  /// The time on the clock of the log's server; nil if the log does not know it.
  public var serverTime: JournalTime? { base.serverTime }

  /// The number of servers that have a group on disk; nil if the log does not know it.
  public var serverCount: Int? { base.serverCount }

  /// The faults of later calls.
  public var plan: LogFaultPlan {
    get { state.withLock { $0.plan } }
    set { state.withLock { $0.plan = newValue } }
  }

  /// The number of calls, including hints.
  public var callCount: Int { state.withLock { $0.counts.values.reduce(0, +) } }

  /// The number of calls with a fault, including hints.
  public var faultCount: Int { state.withLock { $0.faultCount } }

  /// Returns the head of the log.
  public func head() async throws(SharedLogError) -> SharedHead? {
    try await perform(.head) { (fault) async throws(SharedLogError) in
      let head = try await base.head()
      let earlier = state.withLock { state in
        defer { state.earlierHead = head }
        return state.earlierHead
      }
      return fault == .staleHead ? earlier ?? head : head
    }
  }

  /// Appends a group, or fails.
  public func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try await perform(.append, sending: group) { (fault) async throws(SharedLogError) in
      switch fault {
      case .requestRepeated:
        let first = try await base.append(group)
        let second: SharedAppendOutcome
        do throws(SharedLogError) { second = try await base.append(group) } catch {
          // The first request was sent, so the outcome is not `unavailable`.
          guard case .unavailable(let why) = error.reason else { throw error }
          throw SharedLogError(.unknown(why), log: name)
        }
        // A base has replaced the group between the requests. The second answer alone does not say
        // that the group was in the log.
        if second == .missingPredecessor, first != second {
          throw SharedLogError(
            .unknown("the request was repeated, and the log has dropped its history"), log: name)
        }
        return second
      case .requestRepeatedLate(let callCount):
        do throws(SharedLogError) {
          let outcome = try await base.append(group)
          performLate(group, callCount: callCount)
          return outcome
        } catch {
          // If nothing was sent, nothing arrives late.
          if case .unknown = error.reason { performLate(group, callCount: callCount) }
          throw error
        }
      default: return try await base.append(group)
      }
    }
  }

  /// Returns groups, or fails.
  public func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    try await perform(.read) { (fault) async throws(SharedLogError) in
      let groups = try await base.read(from: first, byteCount: byteCount)
      return switch fault {
      case .stale: groups.dropLast(1 + groups.count / 2)
      case .reordered: groups.reversed()
      default: groups
      }
    }
  }

  /// Replaces the first groups, or fails.
  public func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
    try await perform(.replaceGroups) { (fault) async throws(SharedLogError) in
      if case .requestRepeated = fault { _ = try await self.base.replaceGroups(with: base) }
      return try await self.base.replaceGroups(with: base)
    }
  }

  /// Returns a stream of hints, of which some are lost or repeated.
  public func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(
      bufferingPolicy: .bufferingNewest(16))
    let hints = base.changes()
    let task = Task {
      for await _ in hints {
        switch begin(.hint).fault {
        case .unavailable, .requestLost, .answerLost, .disconnected: break
        case .requestRepeated:
          continuation.yield()
          continuation.yield()
        default: continuation.yield()
        }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Performs the late appends, and closes the log.
  public func close() async {
    await performLateRequests()
    state.withLock { $0.isClosed = true }
    await base.close()
  }

  /// Performs all late appends that are not performed yet.
  public func performLateRequests() async {
    let late = state.withLock { state in
      defer { state.lateRequests = [] }
      return state.lateRequests
    }
    for request in late { _ = try? await base.append(request.group) }
  }

  private func performLate(_ group: FrameGroup, callCount: Int) {
    state.withLock { $0.lateRequests.append((callCount, group)) }
  }

  /// Counts a call, and returns its fault and the late appends that are due before it.
  private func begin(_ operation: LogOperation) -> (fault: LogFault?, due: [FrameGroup]) {
    state.withLock { state in
      state.counts[operation, default: 0] += 1
      if operation == .hint {
        let fault = state.planned(.hint)
        state.record(fault, in: .hint)
        return (fault, [])
      }
      for index in state.lateRequests.indices { state.lateRequests[index].callCount -= 1 }
      let due = state.lateRequests.filter { $0.callCount < 0 }.map(\.group)
      state.lateRequests.removeAll { $0.callCount < 0 }
      // A closed log has no connection that can fail.
      if state.isClosed { return (nil, due) }
      var fault = state.planned(operation)
      if case .disconnected(let callCount) = fault {
        state.outageCallCount = callCount
      } else if state.outageCallCount > 0 {
        state.outageCallCount -= 1
        fault = .unavailable
      }
      state.record(fault, in: operation)
      return (fault, due)
    }
  }

  /// Performs a call with its fault.
  private func perform<Value: Sendable>(
    _ operation: LogOperation, sending group: FrameGroup? = nil,
    body: (LogFault?) async throws(SharedLogError) -> Value
  ) async throws(SharedLogError) -> Value {
    let (fault, due) = begin(operation)
    for group in due { _ = try? await base.append(group) }
    func failure(_ why: String) -> SharedLogError {
      SharedLogError(group == nil ? .unavailable(why) : .unknown(why), log: name)
    }
    switch fault {
    case .unavailable, .disconnected:
      throw SharedLogError(.unavailable("the connection was refused"), log: name)
    case .requestLost: throw failure("the request was lost")
    case .answerLost:
      _ = try await body(fault)
      throw failure("the answer was lost")
    case .requestLate(let callCount):
      if let group { performLate(group, callCount: callCount) }
      throw failure("the request is late")
    case .delayed(let yieldCount):
      for _ in 0..<yieldCount { await Task.yield() }
      let value = try await body(fault)
      for _ in 0..<yieldCount { await Task.yield() }
      return value
    default: return try await body(fault)
    }
  }
}
