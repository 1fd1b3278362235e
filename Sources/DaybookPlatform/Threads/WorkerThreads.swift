import Synchronization

/// Threads that perform blocking work for tasks, so that no thread of the task scheduler waits for
/// a disk.
///
/// Work starts at once, on an idle thread or on a new one. A few idle threads are kept for later
/// work.
package final class WorkerThreads: Sendable {
  package typealias Work = @Sendable () -> Void

  /// The worker threads that all parts of the process share.
  package static let shared = WorkerThreads()

  /// The largest number of idle threads that are kept.
  private static let idleCountMax = 4

  // Shared state: `idle`, guarded by its mutex. It contains one promise for each idle thread, which
  // waits for its next work.

  private let idle = Mutex<[Promise<Job>]>([])
  /// A function that starts a thread, and returns false if the system cannot create one.
  private let startThread: @Sendable (_ body: @escaping Work) -> Bool

  package init(
    startThread: @escaping @Sendable (_ body: @escaping Work) -> Bool = { SystemThread.detach($0) }
  ) {
    self.startThread = startThread
  }

  /// Runs a closure on a worker thread.
  ///
  /// - Returns: False if the system cannot create a thread. The closure does not run then.
  package func run(_ work: @escaping Work) -> Bool {
    let job = Job(work)
    if let idle = idle.withLock({ $0.popLast() }) { return idle.fulfill(job) }
    return startThread { self.perform(job) }
  }

  /// Runs a closure on a worker thread, and suspends until it has returned.
  ///
  /// If the system cannot create a thread, the closure runs on the current thread.
  package func value<Value: Sendable>(of body: @escaping @Sendable () -> Value) async -> Value {
    let promise = Promise<Value>()
    if !run({ promise.fulfill(body()) }) { return body() }
    return await promise.value()
  }

  /// Performs a job, and then the jobs that arrive while the thread is idle.
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

  /// A closure that runs once. The closure is released after its run, although the thread
  /// continues.
  private final class Job: Sendable {
    private let work: Mutex<Work?>

    init(_ work: @escaping Work) { self.work = Mutex(work) }

    func run() { work.withLock { $0.take() }?() }
  }
}
