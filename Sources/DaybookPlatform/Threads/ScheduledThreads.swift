import Synchronization

/// A few threads that perform work when it is due, for all parts of the process.
///
/// ```swift
/// ScheduledThreads.maintenance.run(at: SystemClock.uptimeNanoseconds + 50_000_000) { journal.tend() }
/// ```
///
/// Work that is due at the same time is performed in the order in which it was scheduled. While every thread performs
/// work, more that is due waits. So work must not wait for other work of the same threads.
///
/// A thread starts when work is scheduled and no thread waits, and ends when it has waited for ``idleNanoseconds``
/// without any work scheduled.
//
// Shared state: `state`, guarded by its mutex, which is not held while work is performed. Each change that a waiting
// thread has to look at increases the count of `changes`.
package final class ScheduledThreads: Sendable {
  package typealias Work = @Sendable () -> Void

  /// The threads that sync, mark and fill the journals of the process.
  package static let maintenance = ScheduledThreads(threadCountMax: 4)
  /// The threads that write checkpoints and caches. Such work is long, and a sync must not wait for it.
  package static let derivedFiles = ScheduledThreads(threadCountMax: 4)

  /// The time for which a thread waits without work before it ends.
  private static let idleNanoseconds: Int64 = 1_000_000_000

  private struct Entry {
    let due: Int64
    let number: UInt64
    let work: Work

    func precedes(_ other: Entry) -> Bool { (due, number) < (other.due, other.number) }
  }

  /// The next step of a thread.
  private enum Step {
    /// The thread performs work. First it starts another thread, if no other thread waits for work.
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
    /// The number of threads that perform no work.
    private var waitingCount = 0

    init(threadCountMax: Int) { self.threadCountMax = threadCountMax }

    /// Adds work, and returns its number, and whether no other work is due before it.
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

    /// Returns the step of a thread that waits.
    mutating func nextStep(at now: Int64, idleUntil: Int64) -> Step {
      if let first = entries.first, first.due <= now {
        removeFirst()
        waitingCount -= 1
        return .work(first.work, needsThread: !entries.isEmpty && takeThread())
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

    /// Counts a thread that is to be started, if no thread waits and there may be one more.
    mutating func takeThread() -> Bool {
      guard waitingCount == 0, threadCount < threadCountMax else { return false }
      threadCount += 1
      return true
    }

    /// Notes that a thread has started, or has performed work, and waits.
    mutating func noteWaiting() { waitingCount += 1 }

    /// Notes that the system has no thread to give.
    mutating func returnThread() { threadCount -= 1 }

    mutating func remove(_ number: UInt64) {
      let others = entries.filter { $0.number != number }
      // An array in order is a heap.
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
  /// Starts a thread, and returns false if there is none to start.
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
  /// - Parameter due: The time at which it is due, of ``SystemClock/uptimeNanoseconds``; at once by default.
  /// - Returns: False if the closure will not run, because the system has no thread to give.
  @discardableResult
  package func run(at due: Int64 = .min, _ work: @escaping Work) -> Bool {
    let (number, isFirst, needsThread) = state.withLock { state in
      let (number, isFirst) = state.add(work, at: due)
      return (number, isFirst, state.takeThread())
    }
    if isFirst { changes.increase() }
    if !needsThread || start() { return true }
    return state.withLock { state in
      // Other threads perform it, if there are any.
      if state.threadCount > 0 { return true }
      state.remove(number)
      return false
    }
  }

  /// Starts a thread that is counted already.
  private func start() -> Bool {
    let isStarted = startThread { self.performWork() }
    if !isStarted { state.withLock { $0.returnThread() } }
    return isStarted
  }

  /// The body of a thread.
  private func performWork() {
    state.withLock { $0.noteWaiting() }
    var idleUntil = SystemClock.uptimeNanoseconds + ScheduledThreads.idleNanoseconds
    while true {
      let count = changes.count
      let now = SystemClock.uptimeNanoseconds
      switch state.withLock({ $0.nextStep(at: now, idleUntil: idleUntil) }) {
      case .work(let work, let needsThread):
        // Without another thread, the work that is left waits for this one.
        if needsThread { _ = start() }
        work()
        state.withLock { $0.noteWaiting() }
        idleUntil = SystemClock.uptimeNanoseconds + ScheduledThreads.idleNanoseconds
      case .wait(let deadline): changes.wait(until: count + 1, deadline: deadline)
      case .end: return
      }
    }
  }
}
