import DaybookJournal
import DaybookPlatform

private let clock = MachineClock()

/// How long something takes, in nanoseconds.
func timed(_ body: () throws -> Void) rethrows -> Double {
  let start = clock.uptimeNanoseconds
  try body()
  return Double(clock.uptimeNanoseconds - start)
}

/// How long something that suspends takes, in nanoseconds.
func timed(_ body: () async throws -> Void) async rethrows -> Double {
  let start = clock.uptimeNanoseconds
  try await body()
  return Double(clock.uptimeNanoseconds - start)
}

/// How long the thread's processor works on something, in nanoseconds.
func processorTime(_ body: () throws -> Void) rethrows -> Double {
  let start = SystemClock.threadProcessorNanoseconds
  try body()
  return Double(SystemClock.threadProcessorNanoseconds - start)
}

/// How long processors have worked for all threads of the process so far, in nanoseconds.
func processorTimeOfAll() -> Double { Double(SystemClock.processProcessorNanoseconds) }

/// The medians of two things done in turn, so that both meet the same weather.
func interleaved(
  _ count: Int, ours: () throws -> Void, yardstick: () throws -> Void
) rethrows -> Measurement.Sample {
  var times: (ours: [Double], yardstick: [Double]) = ([], [])
  for _ in 0..<count {
    times.ours.append(try timed(ours))
    times.yardstick.append(try timed(yardstick))
  }
  return Measurement.Sample(ours: median(times.ours), yardstick: median(times.yardstick))
}

/// How long a million numbers take to be sorted here: by this, promises that are no ratios are held
/// to machines faster or slower than the one they were written on.
func sortingTime() -> Double {
  var state: UInt64 = 1
  var numbers = (0..<1_000_000).map { _ in RowGenerator.next(&state) }
  let time = processorTime { numbers.sort() }
  blackHole(numbers[0])
  return time
}

/// Runs a task from a program without one, and waits for it.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value
{
  let answer = Promise<Result<Value, any Error>>()
  Task {
    do { answer.fulfill(.success(try await body())) } catch { answer.fulfill(.failure(error)) }
  }
  return try answer.wait().get()
}

/// Keeps the optimizer from leaving out work whose result nobody reads.
@inline(never)
func blackHole(_ value: UInt64) {
  if value == 0x5EED_2026 { print("", terminator: "") }
}
