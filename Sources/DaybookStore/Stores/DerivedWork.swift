import DaybookJournal
import DaybookPlatform
import Synchronization

/// A queue of closures that write the files derived from a journal: checkpoints and list caches.
/// The queue runs one closure at a time, in the background. Each store has one queue.
///
/// A closure is called *work* here. Waiting work is in one of two states:
///
/// - *Started* work runs as soon as the work that was started before it is done.
/// - *Offered* work runs when a caller starts it, or else when the store is closed.
///
/// Work has a name. New work replaces waiting work of the same name, because it writes a newer
/// version of the same file.
///
/// If no background thread is available, the work runs on a thread that calls `waitUntilIdle()` or
/// `finish()`.
//
// Shared state: `state`, guarded by its mutex. The mutex is not locked while work runs. The queue
// increases `changes` after each piece of work, so that waiting threads check the state again.
package final class DerivedWork: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    /// The offered work, by name.
    var offered: [String: Work] = [:]
    /// The started work that waits, in the order of the starts.
    var started: [(name: String, work: Work)] = []
    /// The name of the work that is running.
    var running: String?
    /// A Boolean value that indicates whether a background thread runs the started work.
    var hasThread = false
    /// A Boolean value that indicates whether the queue is finished and ignores new work.
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let changes = Signal()
  /// Starts a background thread; returns false if none can be started.
  private let startThread: @Sendable (_ body: @escaping Work) -> Bool

  package convenience init(runsInBackground: Bool = true) {
    self.init(startThread: { body in runsInBackground && ScheduledThreads.derivedFiles.run(body) })
  }

  package init(startThread: @escaping @Sendable (_ body: @escaping Work) -> Bool) {
    self.startThread = startThread
  }

  /// Adds work that waits until a caller starts it, or until the queue is finished.
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
    // The queue uses a thread and not a task, because the work waits for the disk, and a task must
    // not block its thread.
    let isStarted = startThread {
      self.run()
      self.endThread()
    }
    // The next call of this method tries again to start a thread.
    if !isStarted { state.withLock { $0.hasThread = false } }
  }

  /// Ends the use of the background thread. Work may have been started after the thread last
  /// checked the queue, so the thread runs that work first.
  private func endThread() {
    while state.withLock({ state in
      let isIdle = state.started.isEmpty || state.running != nil
      if isIdle { state.hasThread = false }
      return !isIdle
    }) { run() }
  }

  /// Discards the waiting work whose name satisfies a condition. If running work has such a name,
  /// waits until it is done.
  package func cancel(where isMeant: @escaping (String) -> Bool) {
    wait { state in
      state.offered = state.offered.filter { !isMeant($0.key) }
      state.started.removeAll { isMeant($0.name) }
      return !(state.running.map(isMeant) ?? false)
    }
  }

  /// Waits until all started work is done.
  ///
  /// The caller's thread runs work itself while no other thread does.
  package func waitUntilIdle() {
    while true {
      let count = changes.count
      run()
      if state.withLock({ $0.running == nil && $0.started.isEmpty }) { return }
      changes.wait(until: count + 1)
    }
  }

  /// Waits until a condition is true. The method tests the condition first, and again after each
  /// piece of work.
  private func wait(until isTrue: (inout State) -> Bool) {
    while true {
      let count = changes.count
      if state.withLock({ isTrue(&$0) }) { return }
      changes.wait(until: count + 1)
    }
  }

  /// Runs all offered and started work, then the work that these have offered, and waits until all
  /// of it is done.
  ///
  /// Later offers are ignored.
  package func finish() {
    finishOffered(isLast: false)
    finishOffered(isLast: true)
  }

  /// Runs all started work and all offered work.
  ///
  /// - Parameter isLast: A Boolean value that indicates whether later offers are ignored. The last
  ///   round passes true. Otherwise work that always offers more work would keep the caller waiting
  ///   forever.
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

  /// Runs started work until no work is left, or until a second thread runs work.
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
