import Synchronization

/// Tasks that wait until a store shows its readers something else.
///
/// Each time it does there is one *announcement* more. Whoever looks first asks how many there were,
/// then looks, and then waits for one more: so none is missed.
package final class ShownWaiters: Sendable {
  private struct State {
    var count: UInt64 = 0
    var isEnded = false
    var nextID: UInt64 = 0
    var waiters: [UInt64: UnsafeContinuation<Bool, Never>] = [:]

    mutating func takeWaiters() -> [UnsafeContinuation<Bool, Never>] {
      defer { waiters = [:] }
      return Array(waiters.values)
    }
  }

  private let state = Mutex(State())

  /// How many announcements there were.
  package var count: UInt64 { state.withLock { $0.count } }

  /// How many wait.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Waits until there were more announcements than so many.
  ///
  /// - Returns: false if there will be none any more, or if the task was cancelled.
  package func wait(beyond count: UInt64) async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if state.count > count { return true }
          // Whoever cancels later finds the waiter; who did so before has left this sign.
          if state.isEnded || Task.isCancelled { return false }
          state.waiters[id] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
      waiter?.resume(returning: false)
    }
  }

  func announce() {
    let waiters = state.withLock { state in
      state.count += 1
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// There will be no announcement any more.
  func end() {
    let waiters = state.withLock { state in
      state.isEnded = true
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume(returning: false) }
  }
}
