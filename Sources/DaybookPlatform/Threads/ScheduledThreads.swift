import Synchronization

/// A limited number of threads that perform work at scheduled times, shared by all parts of the
/// process.
///
/// ```swift
/// ScheduledThreads.maintenance.run(at: SystemClock.uptimeNanoseconds + 50_000_000) {
///   journal.tend()
/// }
/// ```
///
/// Work that is due at the same time is performed in the order of scheduling. If all threads are
/// busy, work that is due waits. So work must not wait for other work of the same threads.
///
/// A thread starts when work is scheduled and no other thread waits for work. A thread that has
/// waited for a second without work ends, unless it is the only thread that waits for scheduled
/// work.
//
// Shared state: `state`, guarded by its mutex, which is not locked while work is performed.
// `changes` is a counter. This counter increases when new work is due before all other work, so
// that the waiting threads examine `state` again.
package final class ScheduledThreads: Sendable {
  package typealias Work = @Sendable () -> Void

  /// The threads that sync, mark and preallocate the journals of the process.
  package static let maintenance = ScheduledThreads(threadCountMax: 4)
  /// The threads that write checkpoints and caches. Such work takes long, and a sync must not wait
  /// for it.
  package static let derivedFiles = ScheduledThreads(threadCountMax: 4)

  /// The time that a thread waits for work before it ends.
  private static let idleNanoseconds: Int64 = 1_000_000_000

  private struct Entry {
    let due: Int64
    let number: UInt64
    let work: Work

    func precedes(_ other: Entry) -> Bool { (due, number) < (other.due, other.number) }
  }

  /// The next action of a thread.
  private enum Step {
    /// The thread performs work. If `needsThread` is true, this thread first starts a new thread,
    /// so that a thread waits for the remaining work.
    case work(Work, needsThread: Bool)
    case wait(deadline: Int64)
    case end
  }

  private struct State {
    /// A binary heap: no entry precedes its parent.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    let threadCountMax: Int
    private(set) var threadCount = 0
    /// The number of threads that wait for work.
    private var waitingCount = 0

    init(threadCountMax: Int) { self.threadCountMax = threadCountMax }

    /// Adds work. Returns the number of the work, and a Boolean value that indicates whether it is
    /// due before all other work.
    mutating func add(_ work: @escaping Work, at due: Int64) -> (number: UInt64, isFirst: Bool) {
      lastNumber += 1
      let entry = Entry(due: due, number: lastNumber, work: work)
      let isFirst = entries.first.map { entry.precedes($0) } ?? true
      entries.append(entry)
      var index = entries.count - 1
      while index > 0, entries[index].precedes(entries[(index - 1) / 2]) {
        entries.swapAt(index, (index - 1) / 2)
        index = (index - 1) / 2
      }
      return (lastNumber, isFirst)
    }

    /// Returns the next action of a thread that waits.
    mutating func nextStep(at now: Int64, idleUntil: Int64) -> Step {
      if let first = entries.first, first.due <= now {
        removeFirst()
        waitingCount -= 1
        return .work(first.work, needsThread: !entries.isEmpty && reserveThread())
      }
      let isNeeded = !entries.isEmpty && waitingCount == 1
      if !isNeeded, now >= idleUntil {
        waitingCount -= 1
        threadCount -= 1
        return .end
      }
      let due = entries.first?.due ?? .max
      return .wait(deadline: isNeeded ? due : min(due, idleUntil))
    }

    /// Counts a new thread, if no thread waits and the limit allows a further thread. Returns true
    /// if the caller must start the thread.
    mutating func reserveThread() -> Bool {
      guard waitingCount == 0, threadCount < threadCountMax else { return false }
      threadCount += 1
      return true
    }

    /// Counts a thread that has started, or has performed its work, and waits for more.
    mutating func addWaiting() { waitingCount += 1 }

    /// Releases the count of a thread that the system could not start.
    mutating func returnThread() { threadCount -= 1 }

    mutating func remove(_ number: UInt64) {
      let others = entries.filter { $0.number != number }
      // A sorted array is a heap.
      entries = others.sorted { $0.precedes($1) }
    }

    private mutating func removeFirst() {
      entries.swapAt(0, entries.count - 1)
      entries.removeLast()
      var index = 0
      while true {
        let children = (index * 2 + 1..<index * 2 + 3).filter { $0 < entries.count }
        guard let least = children.min(by: { entries[$0].precedes(entries[$1]) }),
          entries[least].precedes(entries[index])
        else { return }
        entries.swapAt(index, least)
        index = least
      }
    }
  }

  private let state: Mutex<State>
  private let changes = Signal()
  /// A function that starts a thread, and returns false if the system cannot create one.
  private let startThread: @Sendable (_ body: @escaping Work) -> Bool

  package init(
    threadCountMax: Int,
    startThread: @escaping @Sendable (_ body: @escaping Work) -> Bool = { SystemThread.detach($0) }
  ) {
    state = Mutex(State(threadCountMax: threadCountMax))
    self.startThread = startThread
  }

  /// The number of threads.
  package var threadCount: Int { state.withLock { $0.threadCount } }

  /// Schedules a closure.
  ///
  /// - Parameters:
  ///   - due: The due time of the work, on the clock ``SystemClock/uptimeNanoseconds``. By default
  ///     it is due at once.
  ///   - work: The closure.
  /// - Returns: False if the closure will not run, because the system cannot create a thread.
  @discardableResult
  package func run(at due: Int64 = .min, _ work: @escaping Work) -> Bool {
    let (number, isFirst, needsThread) = state.withLock { state in
      let (number, isFirst) = state.add(work, at: due)
      return (number, isFirst, state.reserveThread())
    }
    if isFirst { changes.increase() }
    if !needsThread || start() { return true }
    return state.withLock { state in
      // If other threads exist, one of those threads performs the work later.
      if state.threadCount > 0 { return true }
      state.remove(number)
      return false
    }
  }

  /// Starts a thread that the state counts already.
  private func start() -> Bool {
    let isStarted = startThread { self.performWork() }
    if !isStarted { state.withLock { $0.returnThread() } }
    return isStarted
  }

  /// Performs work until the thread ends. This is the body of each thread.
  private func performWork() {
    state.withLock { $0.addWaiting() }
    var idleUntil = SystemClock.uptimeNanoseconds + ScheduledThreads.idleNanoseconds
    while true {
      let count = changes.count
      let now = SystemClock.uptimeNanoseconds
      switch state.withLock({ $0.nextStep(at: now, idleUntil: idleUntil) }) {
      case .work(let work, let needsThread):
        // If no other thread can start, the remaining work waits for this thread.
        if needsThread { _ = start() }
        work()
        state.withLock { $0.addWaiting() }
        idleUntil = SystemClock.uptimeNanoseconds + ScheduledThreads.idleNanoseconds
      case .wait(let deadline): changes.wait(until: count + 1, deadline: deadline)
      case .end: return
      }
    }
  }
}
