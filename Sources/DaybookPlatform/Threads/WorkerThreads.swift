import Synchronization

/// Threads that perform blocking work for tasks, so that no thread of the task scheduler waits for a disk.
///
/// Work begins at once: on an idle thread, or on a new one if none is idle. A few threads stay when they are idle.
package final class WorkerThreads: Sendable {
  package typealias Work = @Sendable () -> Void

  /// The threads that all parts of the process share.
  package static let shared = WorkerThreads()

  /// The number of idle threads that stay.
  private static let idleCountMax = 4

  // Shared state: `idle`, guarded by its mutex: the promises that idle threads wait for, each of its next work.

  private let idle = Mutex<[Promise<Job>]>([])
  /// Starts a thread, and returns false if there is none to start.
  private let startThread: @Sendable (_ body: @escaping Work) -> Bool

  package init(
    startThread: @escaping @Sendable (_ body: @escaping Work) -> Bool = { SystemThread.detach($0) }
  ) {
    self.startThread = startThread
  }

  /// Runs a closure on a worker thread.
  ///
  /// - Returns: False if the system has no thread to give: the closure does not run then.
  package func run(_ work: @escaping Work) -> Bool {
    let job = Job(work)
    if let idle = idle.withLock({ $0.popLast() }) { return idle.fulfill(job) }
    return startThread { self.perform(job) }
  }

  /// Suspends until a closure has run on a worker thread, or on this one if the system has none to give.
  package func value<Value: Sendable>(of body: @escaping @Sendable () -> Value) async -> Value {
    let promise = Promise<Value>()
    if !run({ promise.fulfill(body()) }) { return body() }
    return await promise.value()
  }

  /// The part of a thread: a job, and those that follow while it is idle.
  private func perform(_ first: Job) {
    first.run()
    while true {
      let next = Promise<Job>()
      let stays = idle.withLock { idle in
        guard idle.count < WorkerThreads.idleCountMax else { return false }
        idle.append(next)
        return true
      }
      guard stays else { return }
      next.wait().run()
    }
  }

  /// A closure that runs once, and is released then although its thread goes on.
  private final class Job: Sendable {
    private let work: Mutex<Work?>

    init(_ work: @escaping Work) { self.work = Mutex(work) }

    func run() { work.withLock { $0.take() }?() }
  }
}
