import DaybookJournal
import DaybookPlatform
import Synchronization

/// A queue that writes the files derived from a journal, one after another, in the background.
///
/// Work is in one of two states:
///
/// - *Begun* work runs as soon as the work that was started before it is done.
/// - *Offered* work waits until it is started, or until the store is closed.
///
/// Work has a name, and replaces the waiting work of the same name.
///
/// If no background thread is available, started work runs on a thread that waits for it or that
/// finishes the queue.
//
// Shared state: `state`, guarded by its mutex. The mutex is not locked while work runs. Each end of
// a piece of work increases the count of `changes`, so that waiting threads look at the state
// again.
package final class DerivedWork: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    var offered: [String: Work] = [:]
    var started: [(name: String, work: Work)] = []
    /// The name of the work that is running.
    var running: String?
    /// A Boolean value that indicates whether a thread has been started for the started work.
    var hasThread = false
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let changes = Signal()
  /// Starts a thread, and returns false if no thread can be started.
  private let startThread: @Sendable (_ body: @escaping Work) -> Bool

  package convenience init(runsInBackground: Bool = true) {
    self.init(startThread: { body in runsInBackground && ScheduledThreads.derivedFiles.run(body) })
  }

  package init(startThread: @escaping @Sendable (_ body: @escaping Work) -> Bool) {
    self.startThread = startThread
  }

  /// Adds work that waits until it is started, or until the queue is finished.
  package func offer(_ name: String, work: @escaping Work) {
    state.withLock { state in
      if !state.hasEnded { state.offered[name] = work }
    }
  }

  /// Adds work and starts it as soon as possible.
  package func start(_ name: String, work: @escaping Work) {
    offer(name, work: work)
    start(name)
  }

  /// Starts offered work as soon as possible.
  package func start(_ name: String) {
    let needsThread = state.withLock { state in
      guard let work = state.offered.removeValue(forKey: name) else { return false }
      state.started.removeAll { $0.name == name }
      state.started.append((name, work))
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard needsThread else { return }
    // A thread and not a task: the work waits for the disk, and the threads of tasks must not
    // block.
    let isStarted = startThread {
      self.run()
      self.endThread()
    }
    // The next work that is started tries to start a thread again.
    if !isStarted { state.withLock { $0.hasThread = false } }
  }

  /// Ends the thread, after running the work that was started after its last look at the queue.
  private func endThread() {
    while state.withLock({ state in
      let isIdle = state.started.isEmpty || state.running != nil
      if isIdle { state.hasThread = false }
      return !isIdle
    }) { run() }
  }

  /// Discards the waiting work with matching names, and waits for running work with a matching
  /// name.
  package func cancel(where isMeant: @escaping (String) -> Bool) {
    wait { state in
      state.offered = state.offered.filter { !isMeant($0.key) }
      state.started.removeAll { isMeant($0.name) }
      return !(state.running.map(isMeant) ?? false)
    }
  }

  /// Waits until all started work is done.
  ///
  /// The caller's thread runs work that no other thread has started.
  package func waitUntilIdle() {
    while true {
      let count = changes.count
      run()
      if state.withLock({ $0.running == nil && $0.started.isEmpty }) { return }
      changes.wait(until: count + 1)
    }
  }

  /// Waits until a condition is true. The condition is tested first, and again after each piece of
  /// work.
  private func wait(until isTrue: (inout State) -> Bool) {
    while true {
      let count = changes.count
      if state.withLock({ isTrue(&$0) }) { return }
      changes.wait(until: count + 1)
    }
  }

  /// Runs all offered and started work, and the work that it offers, and waits for running work.
  ///
  /// Later offers are ignored.
  package func finish() {
    finishOffered(isLast: false)
    finishOffered(isLast: true)
  }

  /// Runs all started work and the work that has been offered.
  ///
  /// - Parameter isLast: A Boolean value that indicates whether later offers are ignored. The last
  ///   round sets it, so that the caller does not wait forever for work that keeps offering more
  ///   work.
  private func finishOffered(isLast: Bool) {
    state.withLock { state in
      if state.hasEnded { return }
      state.hasEnded = isLast
      let offered = state.offered.sorted { $0.key < $1.key }
      state.started.removeAll { started in offered.contains { $0.key == started.name } }
      state.started += offered.map { (name: $0.key, work: $0.value) }
      state.offered = [:]
    }
    waitUntilIdle()
  }

  /// Runs started work until none is left or another thread is running some.
  private func run() {
    while true {
      let next: Work? = state.withLock { state in
        guard state.running == nil, !state.started.isEmpty else { return nil }
        let first = state.started.removeFirst()
        state.running = first.name
        return first.work
      }
      guard let next else { return }
      next()
      state.withLock { $0.running = nil }
      changes.increase()
    }
  }
}
