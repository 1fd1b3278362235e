import Glibc

/// Someone who waits for a group: a task that is suspended, or a thread that sleeps.
enum AppendWaiter: Sendable {
  case task(UnsafeContinuation<AppendVerdict, Never>)
  case thread(SleepingThread)

  func resume(_ verdict: AppendVerdict) {
    switch self {
    case .task(let continuation): continuation.resume(returning: verdict)
    case .thread(let thread): thread.wake(verdict)
    }
  }
}

/// A thread that sleeps until it is told something.
//
// Shared state: `verdict` is written by `wake` before it posts the semaphore, and read by `sleep`
// after it has waited for it, so the semaphore orders the two.
final class SleepingThread: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>
  private var verdict: AppendVerdict?

  init() {
    semaphore = .allocate(capacity: 1)
    let status = sem_init(semaphore, 0, 0)
    precondition(status == 0, "a semaphore cannot be made: errno \(errno)")
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// A new waiter, made when there is something to wait for, and left with whoever will sleep.
  static func waiter(_ sleeper: inout SleepingThread?) -> AppendWaiter {
    let thread = SleepingThread()
    sleeper = thread
    return .thread(thread)
  }

  func wake(_ verdict: AppendVerdict) {
    self.verdict = verdict
    sem_post(semaphore)
  }

  func sleep() -> AppendVerdict {
    while sem_wait(semaphore) != 0 {
      precondition(errno == EINTR, "waiting for a semaphore: errno \(errno)")
    }
    guard let verdict else { preconditionFailure("woken without a verdict") }
    self.verdict = nil
    return verdict
  }
}
