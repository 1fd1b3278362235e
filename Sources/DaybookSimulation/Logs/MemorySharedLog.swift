import DaybookJournal
import Synchronization

/// A shared log in memory, for tests of programs whose stores share a log.
///
/// The log obeys every rule of `SharedLog`, and never fails. Each store needs a connection of its
/// own, because a store closes its connection when the store is closed:
///
/// ```swift
/// let log = MemorySharedLog(name: "banks")
/// let first = try await Store(at: "first.daybook", sharing: log.connect(), records: Bank.self)
/// let second = try await Store(at: "second.daybook", sharing: log.connect(), records: Bank.self)
/// ```
public final class MemorySharedLog: SharedLog {
  // Shared state: `contents` and `isClosed`, each guarded by its own mutex. `contents` is shared by
  // all connections.

  private let contents: Contents
  private let isClosed = Mutex(false)

  /// The groups of the log, which all connections to it share.
  private final class Contents: Sendable {
    let name: String
    let state = Mutex(State())

    init(name: String) { self.name = name }
  }

  private struct State {
    var groups: [FrameGroup] = []
    /// The streams of hints, each with the number of its connection's stream.
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var listenerCount = 0

    /// Appends a group if it continues the log.
    ///
    /// - Returns: The outcome, and a Boolean value that indicates whether the log has grown.
    mutating func append(_ group: FrameGroup) -> (SharedAppendOutcome, isNew: Bool) {
      let end = groups.last?.end ?? SharedHead(next: .zero, checksum: 0)
      if group.first == end.next, group.previousChecksum == end.checksum {
        groups.append(group)
        return (.appended(serverCount: 1), true)
      }
      guard let index = index(of: group.first), groups[index].first == group.first else {
        return (.missingPredecessor, false)
      }
      return (groups[index] == group ? .appended(serverCount: 1) : .conflict, false)
    }

    /// Replaces the first groups by a base, if one of them ends where the base ends.
    mutating func replaceGroups(with base: FrameGroup) -> Bool {
      guard base.first == .zero, let index = groups.firstIndex(where: { $0.end == base.end })
      else { return false }
      if index > 0 { groups.replaceSubrange(...index, with: [base]) }
      return true
    }

    func read(from first: SequenceNumber, byteCount: Int) -> [FrameGroup] {
      guard let start = index(of: first) else { return [] }
      var read: [FrameGroup] = []
      var readByteCount = 0
      for group in groups[start...] {
        if readByteCount >= byteCount, !read.isEmpty { break }
        read.append(group)
        readByteCount += group.bytes.count
      }
      return read
    }

    /// Returns the index of the group that contains a number; nil if no group does.
    private func index(of number: SequenceNumber) -> Int? {
      guard let end = groups.last?.next, number < end else { return nil }
      var low = 0
      var high = groups.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if groups[middle].first <= number { low = middle } else { high = middle }
      }
      return low
    }
  }

  /// Creates an empty log.
  public convenience init(name: String = "memory") {
    self.init(Contents(name: name))
  }

  private init(_ contents: Contents) { self.contents = contents }

  /// Returns a new connection to the same log.
  public func connect() -> MemorySharedLog { MemorySharedLog(contents) }

  /// The name of the log in messages.
  public var name: String { contents.name }

  /// The groups of the log, in order.
  public var groups: [FrameGroup] { contents.state.withLock { $0.groups } }

  /// Replaces the groups of the log, for tests of a server that has lost acknowledged groups.
  ///
  /// A failover to a server that lacked the newest groups, and the restoration of a backup, have
  /// this effect.
  public func replaceGroups(_ groups: [FrameGroup]) {
    contents.state.withLock { $0.groups = groups }
    notify()
  }

  /// Returns the head of the log; nil if the log contains no group.
  public func head() async throws(SharedLogError) -> SharedHead? {
    try checkOpen()
    return contents.state.withLock { $0.groups.last?.end }
  }

  /// Appends a group, if the log ends directly before it.
  public func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try checkOpen()
    let (outcome, isNew) = contents.state.withLock { $0.append(group) }
    if isNew { notify() }
    return outcome
  }

  /// Returns consecutive groups, starting with the group that contains a number.
  public func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    try checkOpen()
    return contents.state.withLock { $0.read(from: first, byteCount: byteCount) }
  }

  /// Replaces the first groups by one group, which ends where one of them ends.
  public func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
    try checkOpen()
    return contents.state.withLock { $0.replaceGroups(with: base) }
  }

  /// Returns a stream that gets an element after each append.
  public func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let number = contents.state.withLock { state in
      state.listenerCount += 1
      state.listeners[state.listenerCount] = continuation
      return state.listenerCount
    }
    continuation.onTermination = { [contents] _ in
      // The continuation is released after the lock, because its release can call this closure.
      let ended = contents.state.withLock { $0.listeners.removeValue(forKey: number) }
      withExtendedLifetime(ended) {}
    }
    return stream
  }

  /// Closes this connection. The other connections stay open.
  public func close() async { isClosed.withLock { $0 = true } }

  private func checkOpen() throws(SharedLogError) {
    if isClosed.withLock({ $0 }) { throw SharedLogError(.closed, log: name) }
  }

  /// Sends a hint to each stream, outside the lock.
  private func notify() {
    let listeners = contents.state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield() }
  }
}
