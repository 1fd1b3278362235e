/// The processors of a simulated server, with one queue of jobs for all of them.
struct Processors<Job> {
  let count: Int
  private var busyCount = 0
  private var waiting: [(job: Job, seconds: Double)] = []
  /// The index of the first job in `waiting` that has not started.
  private var firstWaiting = 0
  /// The time that all processors together have worked, in seconds.
  private(set) var busySeconds = 0.0

  init(count: Int) { self.count = count }

  /// Adds a job.
  ///
  /// - Returns: The job, if a processor starts it at once.
  mutating func add(_ job: Job, seconds: Double) -> (job: Job, seconds: Double)? {
    guard busyCount < count else {
      waiting.append((job, seconds))
      return nil
    }
    busyCount += 1
    busySeconds += seconds
    return (job, seconds)
  }

  /// Ends a job.
  ///
  /// - Returns: The job that the free processor starts next.
  mutating func end() -> (job: Job, seconds: Double)? {
    guard firstWaiting < waiting.count else {
      busyCount -= 1
      return nil
    }
    let next = waiting[firstWaiting]
    firstWaiting += 1
    if firstWaiting > 4096, firstWaiting * 2 > waiting.count {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
    busySeconds += next.seconds
    return next
  }
}
