/// A thread for tasks that wait for the disk: those of the runtime are as many as there are processors, and one that
/// sleeps in a system call does nothing for the others.
///
/// It begins when it is made, and ends when it is told to, behind all that it was given.
//
// Shared state
//
// - `state`: guarded by its condition.
package final class TaskThread: TaskExecutor {
  private let state = Condition(State())

  private struct State {
    var jobs: [UnownedJob] = []
    var isEnding = false
  }

  private init() {}

  /// A thread that has begun; nil if the system has none to give.
  package static func started() -> TaskThread? {
    let executor = TaskThread()
    return DetachedThread.start { executor.run() } ? executor : nil
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { state in
      precondition(!state.isEnding, "a task for a thread that was told to end")
      state.jobs.append(job)
    }
  }

  /// Lets the thread end. All tasks that were to run on it have ended.
  package func end() { state.withLock { $0.isEnding = true } }

  private func run() {
    while let jobs = next() {
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  /// What there is to do; nil when it is time to end.
  private func next() -> [UnownedJob]? {
    state.wait { state in
      if state.jobs.isEmpty { return state.isEnding ? .is(nil) : .notBefore(nil) }
      let jobs = state.jobs
      state.jobs = []
      return .is(jobs)
    }
  }
}
