import DaybookPlatform

/// The executor of the calls of shared logs, which uses separate threads.
///
/// A thread of Swift's concurrency pool can wait for a log, for example if a task calls a function
/// that saves and blocks. If all threads of the pool wait, the calls of the log still run here.
final class LogExecutor: TaskExecutor {
  static let shared = LogExecutor()
  private let threads = WorkerThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    // If the system cannot create a thread, the calling thread runs the job.
    if !threads.run(run) { run() }
  }
}
