import DaybookJournal
import DaybookPlatform

/// The making of files that are derived from a journal: behind everybody's back, one after another.
///
/// What is *begun* is done as soon as what was begun before it is. What is *offered* waits until the store
/// is closed, or until it is begun. Work has a name, and takes the place of what waits under the same.
///
/// Where no thread works in the background, or the system has none to give, what is begun is done by
/// whoever waits for it or finishes.
//
// Shared state: `state`, guarded by its condition, which is not held while work is done.
package final class DerivedWork: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    var offered: [String: Work] = [:]
    var begun: [(name: String, work: Work)] = []
    /// Under which name work is done now.
    var underway: String?
    var hasEnded = false
  }

  private let state = Condition(State())

  private let runsInBackground: Bool

  package init(runsInBackground: Bool = true) { self.runsInBackground = runsInBackground }

  /// Leaves work for later.
  package func offer(_ name: String, _ work: @escaping Work) {
    state.withLock { state in
      if !state.hasEnded { state.offered[name] = work }
    }
  }

  /// Has work done now.
  package func begin(_ name: String, _ work: @escaping Work) {
    offer(name, work)
    begin(name)
  }

  /// Has work done now that was offered.
  package func begin(_ name: String) {
    let isFirst = state.withLock { state in
      guard let work = state.offered.removeValue(forKey: name) else { return false }
      state.begun.removeAll { $0.name == name }
      state.begun.append((name, work))
      return state.underway == nil && state.begun.count == 1
    }
    // A thread of its own, as the work waits for the disk, and the threads of tasks must not wait.
    if isFirst, runsInBackground { SystemThread.detach { self.run() } }
  }

  /// Throws away what waits under some names, and waits for what is being done under one of them.
  package func cancel(where isMeant: @escaping (String) -> Bool) {
    state.wait { state in
      state.offered = state.offered.filter { !isMeant($0.key) }
      state.begun.removeAll { isMeant($0.name) }
      return state.underway.map(isMeant) ?? false ? .notBefore(nil) : .is(())
    }
  }

  /// Waits until everything that was begun is done.
  ///
  /// The caller does what no thread has started yet.
  package func waitUntilIdle() {
    run()
    state.wait { $0.underway == nil && $0.begun.isEmpty ? .is(()) : .notBefore(nil) }
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
      state.begun += offered.map { (name: $0.key, work: $0.value) }
      state.offered = [:]
    }
    run()
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
    }
  }
}
