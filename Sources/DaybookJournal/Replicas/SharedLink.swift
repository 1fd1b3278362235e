import DaybookPlatform
import Synchronization

/// The connection between one replica and its shared log, with the state of the protocol.
///
/// A method that calls the log blocks its thread until the call returns. Only the leader of the
/// journal, and threads that recover it, open it or confirm a transaction call such methods. A
/// thread of Swift's concurrency pool can be one of them, so the calls of the log run on
/// ``LogExecutor``.
package final class SharedLink: Sendable {
  // Shared state
  //
  // - `state`: guarded by its mutex, which is not locked while the log is called.
  // - `hints`: a thread-safe counter of the hints of the log.

  /// The name of the log, without a password.
  package let name: String
  /// The text that the replica keeps to find the log again, without a password.
  let address: String
  /// A counter that increases when the log may have grown. It ends when the link is closed.
  package let hints = Signal()
  private let log: any SharedLog
  private let state = Mutex(State())

  private struct State {
    var status = SharingStatus.connected
    /// The last group that was sent to the log, until the group is in the replica or was refused.
    var pending: FrameGroup? { didSet { (pendingOutcome, pendingStop) = (nil, nil) } }
    /// The outcome of the pending group: appended or a conflict; nil if it is unknown.
    var pendingOutcome: SharedAppendOutcome?
    /// The index of the recovery that could not resolve the pending group; nil without one.
    var pendingStop: Int?
    /// The counts of the link. The last transaction of the replica is not one of them.
    var statistics = SharingStatistics()
    /// The number of servers that had the last appended group on disk.
    var serverCount = 1
    /// A Boolean value that indicates whether the log has contained the end of the replica.
    var isVerified = false
    /// The last position that the file beside the replica records; nil before it is read.
    var acknowledged: SharedHead?
    /// The reason for which the last pull failed; nil if it succeeded.
    var pullFailure: JournalError.Reason?
    var refusalPauses = RetryPauses(from: 500_000, to: 50_000_000)
    /// The repair that the leader performs, or the last result.
    var repairWork: RepairWork?
    var restart: ReplicaRestart?
    var listeners: [Int: AsyncStream<SharingStatus>.Continuation] = [:]
    var listenerCount = 0
    var hintTask: Task<Void, Never>?
    var isClosed = false
  }

  /// A function that returns the authors of transactions of a replica, as far as they have one. It
  /// gets all frames of the replica.
  package typealias Authors =
    @Sendable (WrittenFrames, ClosedRange<SequenceNumber>) -> [SequenceNumber: String]

  /// The function that reads authors. A journal does not interpret its payloads.
  let authors: Authors

  /// A Boolean value that indicates whether the store appends lost transactions again without a
  /// call of the program.
  package let repairsAutomatically: Bool

  package init(
    _ log: any SharedLog, repairsAutomatically: Bool = false,
    authors: @escaping Authors = { _, _ in [:] }
  ) {
    self.log = log
    self.repairsAutomatically = repairsAutomatically
    self.authors = authors
    name = log.name
    address = log.address
  }

  /// The last position that the file beside the replica records as acknowledged; nil before the
  /// file is read.
  var acknowledged: SharedHead? {
    get { state.withLock { $0.acknowledged } }
    set { state.withLock { $0.acknowledged = newValue } }
  }

  /// A Boolean value that indicates whether the log has contained the end of the replica after the
  /// connection was made.
  var isVerified: Bool {
    get { state.withLock { $0.isVerified } }
    set { state.withLock { $0.isVerified = newValue } }
  }

  /// The group whose outcome is unknown; nil if every outcome is known.
  var pending: FrameGroup? {
    get { state.withLock { $0.pending } }
    set { state.withLock { $0.pending = newValue } }
  }

  /// The outcome of ``pending``: appended or a conflict; nil if it is unknown.
  var pendingOutcome: SharedAppendOutcome? { state.withLock { $0.pendingOutcome } }

  /// The index of the recovery that could not resolve ``pending``, because the log had lost
  /// transactions; nil without one. A later pull resolves the group.
  var pendingStop: Int? {
    get { state.withLock { $0.pendingStop } }
    set { state.withLock { $0.pendingStop = newValue } }
  }

  /// The reason for which the last pull failed; nil if it succeeded.
  var pullFailure: JournalError.Reason? {
    get { state.withLock { $0.pullFailure } }
    set { state.withLock { $0.pullFailure = newValue } }
  }

  /// The repair that the leader performs, or the last result.
  var repairWork: RepairWork? {
    get { state.withLock { $0.repairWork } }
    set { state.withLock { $0.repairWork = newValue } }
  }

  /// The last restart of the replica from a base of the log; nil if there was none.
  package var restart: ReplicaRestart? {
    get { state.withLock { $0.restart } }
    set { state.withLock { $0.restart = newValue } }
  }

  /// The time on the clock of the log's server; nil if the log does not know it.
  package var serverTime: JournalTime? { log.serverTime }

  /// The number of servers that have a group on disk when an append returns; nil if the log does
  /// not know it.
  package var serverCount: Int? { log.serverCount }

  /// The safety of a transaction that was appended earlier.
  package var safety: Receipt.Safety {
    .shared(serverCount: serverCount ?? state.withLock { $0.serverCount })
  }

  /// A Boolean value that indicates whether the connection was closed.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: Status

  package var status: SharingStatus { state.withLock { $0.status } }

  /// The reason for which nothing may be appended; nil if the log and the replica agree.
  var refusal: JournalError.Reason? {
    if case .diverged(let divergence) = status { .diverged(divergence) } else { nil }
  }

  /// Records that the log does not contain the frames of the replica. The status stays until a pull
  /// or a repair finds that the log contains them again.
  func diverge(_ divergence: LogDivergence) { change(to: .diverged(divergence)) }

  /// Records that a pull or an append has succeeded.
  func connect() { change(to: .connected) }

  /// Records that the log cannot be used at present.
  func report(_ error: SharedLogError) { change(to: .unavailable(error)) }

  /// Records that the log contains the whole replica again.
  func reconcile() { change(to: .connected, isRepaired: true) }

  private func change(to status: SharingStatus, isRepaired: Bool = false) {
    let listeners: [AsyncStream<SharingStatus>.Continuation] = state.withLock { state in
      guard state.status != status else { return [] }
      // The status stays `diverged`, although the log can be reached. A later comparison can find
      // other missing transactions.
      if case .diverged = state.status, !isRepaired {
        guard case .diverged = status else { return [] }
      }
      if case .unavailable = state.status, status == .connected {
        state.statistics.reconnectionCount += 1
      }
      state.status = status
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(status) }
  }

  /// Returns a stream of the current status and of its later changes. A reader that is slow gets
  /// only the newest status. The stream ends when the link is closed.
  package func statuses() -> AsyncStream<SharingStatus> {
    let (stream, continuation) = AsyncStream<SharingStatus>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      continuation.yield(state.status)
      if state.isClosed { return nil }
      state.listenerCount += 1
      state.listeners[state.listenerCount] = continuation
      return state.listenerCount
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      // The continuation is released after the lock, because its release can call this closure.
      let ended = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
      withExtendedLifetime(ended) {}
    }
    return stream
  }

  // MARK: Statistics

  /// Returns the statistics of a replica that ends with a transaction.
  func statistics(through last: SequenceNumber) -> SharingStatistics {
    var statistics = state.withLock { $0.statistics }
    statistics.lastInReplica = last
    return statistics
  }

  /// Counts transactions that were read from the log, except those that this machine has appended.
  func countPulled(after first: SequenceNumber, through last: SequenceNumber) {
    state.withLock { state in
      var count = Int(clamping: last.rawValue - first.rawValue)
      if let own = state.pending, case .appended = state.pendingOutcome {
        let (start, end) = (max(own.first, first.next), min(own.end.last, last))
        if start <= end { count -= Int(clamping: end.rawValue - start.rawValue) + 1 }
      }
      state.statistics.pulledTransactionCount += count
    }
  }

  /// Records that the replica ended with a transaction at a time, if the log did too.
  func agree(at time: JournalTime, through last: SequenceNumber) {
    state.withLock { state in
      if state.statistics.lastInLog == last { state.statistics.lastAgreement = time }
    }
  }

  // MARK: Calls of the log

  /// The largest difference by which the clock of a machine may be ahead of the log's server.
  private static let clockLeadNanosecondsMax: Int64 = 300_000_000_000

  /// Returns the error for an append by a machine whose clock is ahead of the log's server; nil if
  /// it is not. No later transaction of any machine would have an earlier time.
  func clockError(at time: JournalTime) -> SharedLogError? {
    guard let serverTime,
      serverTime.nanoseconds(until: time) > SharedLink.clockLeadNanosecondsMax
    else { return nil }
    return SharedLogError(
      .refused(
        """
        the clock of the machine \(CurrentProcess.hostName) shows \(time), and the clock of the \
        log's server \(serverTime). Set the clock of the machine
        """), log: name)
  }

  func head() throws(SharedLogError) -> SharedHead? {
    let log = log
    let head = try result { () async throws(SharedLogError) in try await log.head() }
    state.withLock { $0.statistics.lastInLog = head?.last ?? .zero }
    return head
  }

  func append(_ group: FrameGroup) throws(SharedLogError) -> SharedAppendOutcome {
    let log = log
    let outcome: SharedAppendOutcome
    do throws(SharedLogError) {
      outcome = try result { () async throws(SharedLogError) in try await log.append(group) }
    } catch {
      if case .unknown = error.reason {
        state.withLock { $0.statistics.unansweredAppendCount += 1 }
      }
      throw error
    }
    state.withLock { state in
      if case .appended(let count) = outcome {
        state.serverCount = count
        state.refusalPauses.reset()
        state.statistics.see(group.end.last)
      }
      // A recovery can append the group again after its outcome is known. The beginning of a
      // journal, and the groups of a repair, are never pending.
      guard state.pending?.nonce == group.nonce, state.pendingOutcome == nil,
        outcome != .missingPredecessor
      else { return }
      state.pendingOutcome = outcome
      state.statistics.count(outcome, of: group)
    }
    return outcome
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) throws(SharedLogError) -> [FrameGroup] {
    let log = log
    let groups = try result { () async throws(SharedLogError) in
      try await log.read(from: first, byteCount: byteCount)
    }
    if let last = groups.last { state.withLock { $0.statistics.see(last.end.last) } }
    return groups
  }

  /// Appends the group that contains a transaction again, which waits until it is durable. A base
  /// is durable.
  func confirm(_ sequence: SequenceNumber) throws(SharedLogError) {
    guard let group = try read(from: sequence, byteCount: 1).first else {
      throw SharedLogError(.unavailable("it does not return transaction \(sequence)"), log: name)
    }
    if group.first == .zero { return }
    guard case .appended = try append(group) else {
      throw SharedLogError(.unavailable("it has changed during a read"), log: name)
    }
  }

  func replaceGroups(with base: FrameGroup) throws(SharedLogError) -> Bool {
    let log = log
    return try result { () async throws(SharedLogError) in try await log.replaceGroups(with: base) }
  }

  /// Blocks the thread until a call of the log has returned, and records a failure.
  private func result<Value: Sendable>(
    _ call: @escaping @Sendable () async throws(SharedLogError) -> Value
  ) throws(SharedLogError) -> Value {
    let promise = Promise<Result<Value, SharedLogError>>()
    Task.detached(executorPreference: LogExecutor.shared) {
      do throws(SharedLogError) {
        promise.fulfill(.success(try await call()))
      } catch {
        promise.fulfill(.failure(error))
      }
    }
    switch promise.wait() {
    case .success(let value): return value
    case .failure(let error):
      change(to: .unavailable(error))
      throw error
    }
  }

  // MARK: Hints and closing

  /// Starts to count the hints of the log in ``hints``.
  package func startHints() {
    let (stream, hints) = (log.changes(), hints)
    let task = Task.detached(executorPreference: LogExecutor.shared) {
      for await _ in stream { hints.increase() }
    }
    state.withLock { $0.hintTask = task }
  }

  /// Returns the pause after a save was refused, in nanoseconds.
  ///
  /// Each of several refusals in a row takes longer than the one before it. So a program that saves
  /// again and again does not use a whole processor.
  package func nextRefusalPause(_ random: UInt64) -> Int64 {
    state.withLock { $0.refusalPauses.next(random) }
  }

  /// Blocks the thread until the log gives a hint, or for a time.
  func waitForHint(milliseconds: Int64) {
    hints.wait(
      until: hints.count + 1,
      deadline: SystemClock.uptimeNanoseconds + milliseconds * 1_000_000)
  }

  /// Closes the connection to the log. A call of the log that is in progress is not waited for.
  package func close() {
    let (isFirst, task, listeners) = state.withLock { state in
      let ended = (!state.isClosed, state.hintTask, Array(state.listeners.values))
      state.isClosed = true
      state.listeners = [:]
      return ended
    }
    // A log is closed once.
    guard isFirst else { return }
    hints.end()
    task?.cancel()
    for listener in listeners { listener.finish() }
    let log = log
    Task.detached(executorPreference: LogExecutor.shared) { await log.close() }
  }
}
