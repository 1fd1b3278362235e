import DaybookJournal
import Synchronization

/// Who waits until transactions that are on their way have been settled, one way or the other.
///
/// A save that is in conflict with one of these waits for it before it says so: what it was in
/// conflict with can then be seen, and whoever tries again at once does not try in vain, for ever,
/// on the threads that the other needs.
final class SettledTickets: Sendable {
  private struct State {
    var last: UInt64 = 0
    var waiters: [(ticket: UInt64, resume: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  /// How many wait.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// All transactions through a ticket have been settled.
  func settle(through ticket: UInt64) {
    let settled = state.withLock { state in
      state.last = max(state.last, ticket)
      let settled = state.waiters.filter { $0.ticket <= state.last }
      state.waiters.removeAll { $0.ticket <= state.last }
      return settled
    }
    for waiter in settled { waiter.resume() }
  }

  func wait(for ticket: UInt64) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let isSettled = state.withLock { state in
        if state.last >= ticket { return true }
        state.waiters.append((ticket, { continuation.resume() }))
        return false
      }
      if isSettled { continuation.resume() }
    }
  }

  @available(*, noasync)
  func sleep(for ticket: UInt64) {
    let bell = Condition(false)
    let isSettled = state.withLock { state in
      if state.last >= ticket { return true }
      state.waiters.append((ticket, { bell.withLock { $0 = true } }))
      return false
    }
    if !isSettled { bell.wait { $0 ? .is(()) : .notBefore(nil) } }
  }
}
