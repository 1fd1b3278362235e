import DaybookPlatform
import Synchronization

/// Someone who waits for a group: a task that is suspended, a thread that sleeps, a caller who
/// has something else to do first, or a task that comes for the verdict when it is there.
enum AppendWaiter: Sendable {
  case task(UnsafeContinuation<AppendVerdict, Never>)
  case thread(SleepingThread)
  case latch(AppendLatch)
  case enlisted(UnsafeContinuation<Bool, Never>)

  func resume(_ verdict: AppendVerdict) {
    switch self {
    case .task(let continuation): continuation.resume(returning: verdict)
    case .thread(let thread): thread.wake(verdict)
    case .latch(let latch): latch.open(verdict)
    case .enlisted(let continuation): continuation.resume(returning: true)
    }
  }
}

/// Keeps the verdict for a caller who comes for it later, and then suspends or sleeps if there is
/// none yet.
final class AppendLatch: Sendable {
  private enum State {
    case closed
    case awaited(AppendWaiter)
    case open(AppendVerdict)
  }

  private let state = Mutex(State.closed)

  func open(_ verdict: AppendVerdict) {
    let waiter = state.withLock { state -> AppendWaiter? in
      defer { state = .open(verdict) }
      if case .awaited(let waiter) = state { return waiter }
      return nil
    }
    waiter?.resume(verdict)
  }

  /// The verdict, if it is there.
  var known: AppendVerdict? {
    state.withLock { state in
      if case .open(let verdict) = state { verdict } else { nil }
    }
  }

  func verdict() async -> AppendVerdict {
    await withUnsafeContinuation { continuation in
      if let verdict = verdict(or: .task(continuation)) { continuation.resume(returning: verdict) }
    }
  }

  func sleep() -> AppendVerdict {
    let thread = SleepingThread()
    return verdict(or: .thread(thread)) ?? thread.sleep()
  }

  /// Has someone told who comes for the verdict when it is there.
  ///
  /// - Returns: False if it is there already, and nobody will be told.
  func leave(_ waiter: AppendWaiter) -> Bool { verdict(or: waiter) == nil }

  private func verdict(or waiter: AppendWaiter) -> AppendVerdict? {
    state.withLock { state in
      switch state {
      case .open(let verdict): return verdict
      case .closed:
        state = .awaited(waiter)
        return nil
      case .awaited: preconditionFailure("two came for the verdict on one append")
      }
    }
  }
}

/// A thread that sleeps until it is told something.
final class SleepingThread: Sendable {
  private let verdict = Promise<AppendVerdict>()

  /// A new waiter, made when there is something to wait for, and left with whoever will sleep.
  static func waiter(_ sleeper: inout SleepingThread?) -> AppendWaiter {
    let thread = SleepingThread()
    sleeper = thread
    return .thread(thread)
  }

  func wake(_ verdict: AppendVerdict) { self.verdict.fulfill(verdict) }

  func sleep() -> AppendVerdict { verdict.wait() }
}
