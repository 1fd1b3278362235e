import DaybookJournal
import DaybookPlatform
import Synchronization

/// The making of files that are derived from a journal: behind everybody's back, one after another.
///
/// What is *begun* is done as soon as what was begun before it is. What is *offered* waits until the store
/// is closed, or until it is begun. Work has a name, and takes the place of what waits under the same.
///
/// Where no thread works in the background, or the system has none to give, what is begun is done by
/// whoever waits for it or finishes.
//
// Shared state: `state`, guarded by its mutex, which is not held while work is done. Each change of it that a thread
// may wait for increases the count of `changes`.
package final class DerivedWork: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    var offered: [String: Work] = [:]
    var begun: [(name: String, work: Work)] = []
    /// Under which name work is done now.
    var underway: String?
    /// A Boolean value that indicates whether a thread has been started that will do what is begun.
    var hasThread = false
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let changes = Signal()
  /// Starts a thread, and returns false if there is none to start.
  private let startThread: @Sendable (_ body: @escaping Work) -> Bool

  package convenience init(runsInBackground: Bool = true) {
    self.init(startThread: { body in runsInBackground && ScheduledThreads.derivedFiles.run(body) })
  }

  package init(startThread: @escaping @Sendable (_ body: @escaping Work) -> Bool) {
    self.startThread = startThread
  }

  /// Leaves work for later.
  package func offer(_ name: String, work: @escaping Work) {
    state.withLock { state in
      if !state.hasEnded { state.offered[name] = work }
    }
  }

  /// Has work done now.
  package func begin(_ name: String, work: @escaping Work) {
    offer(name, work: work)
    begin(name)
  }

  /// Has work done now that was offered.
  package func begin(_ name: String) {
    let needsThread = state.withLock { state in
      guard let work = state.offered.removeValue(forKey: name) else { return false }
      state.begun.removeAll { $0.name == name }
      state.begun.append((name, work))
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard needsThread else { return }
    // Not a task, as the work waits for the disk, and the threads of tasks must not wait.
    let isStarted = startThread {
      self.run()
      self.endThread()
    }
    // The next work that is begun tries again.
    if !isStarted { state.withLock { $0.hasThread = false } }
  }

  /// Ends the part of the thread, and does what was begun after it last looked.
  private func endThread() {
    while state.withLock({ state in
      let isIdle = state.begun.isEmpty || state.underway != nil
      if isIdle { state.hasThread = false }
      return !isIdle
    }) { run() }
  }

  /// Throws away what waits under some names, and waits for what is being done under one of them.
  package func cancel(where isMeant: @escaping (String) -> Bool) {
    wait { state in
      state.offered = state.offered.filter { !isMeant($0.key) }
      state.begun.removeAll { isMeant($0.name) }
      return !(state.underway.map(isMeant) ?? false)
    }
  }

  /// Waits until everything that was begun is done.
  ///
  /// The caller does what no thread has started yet.
  package func waitUntilIdle() {
    while true {
      let count = changes.count
      run()
      if state.withLock({ $0.underway == nil && $0.begun.isEmpty }) { return }
      changes.wait(until: count + 1)
    }
  }

  /// Waits until a condition is true: it is checked first, and after each piece of work.
  private func wait(until isTrue: (inout State) -> Bool) {
    while true {
      let count = changes.count
      if state.withLock({ isTrue(&$0) }) { return }
      changes.wait(until: count + 1)
    }
  }

  /// Does what was offered and begun, and what was offered by those who did it, and waits for what is being done.
  /// Nothing is done any more afterwards.
  package func finish() {
    finishOffered(isLast: false)
    finishOffered(isLast: true)
  }

  /// - Parameter isLast: Whether what is offered from now on is too late, so that whoever finishes does not wait
  ///   for others as long as they go on.
  private func finishOffered(isLast: Bool) {
    state.withLock { state in
      if state.hasEnded { return }
      state.hasEnded = isLast
      let offered = state.offered.sorted { $0.key < $1.key }
      state.begun.removeAll { begun in offered.contains { $0.key == begun.name } }
      state.begun += offered.map { (name: $0.key, work: $0.value) }
      state.offered = [:]
    }
    waitUntilIdle()
  }

  /// Does what was begun, unless somebody else does.
  private func run() {
    while true {
      let next: Work? = state.withLock { state in
        guard state.underway == nil, !state.begun.isEmpty else { return nil }
        let first = state.begun.removeFirst()
        state.underway = first.name
        return first.work
      }
      guard let next else { return }
      next()
      state.withLock { $0.underway = nil }
      changes.increase()
    }
  }
}
