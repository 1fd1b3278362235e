import DaybookJournal
import DaybookPlatform

private let clock = MachineClock()

/// Returns the time that a closure takes, in nanoseconds.
func timed(_ body: () throws -> Void) rethrows -> Double {
  let start = clock.uptimeNanoseconds
  try body()
  return Double(clock.uptimeNanoseconds - start)
}

/// Returns the time that an asynchronous closure takes, in nanoseconds.
func timed(_ body: () async throws -> Void) async rethrows -> Double {
  let start = clock.uptimeNanoseconds
  try await body()
  return Double(clock.uptimeNanoseconds - start)
}

/// Returns the processor time of the thread for a closure, in nanoseconds.
func processorTime(_ body: () throws -> Void) rethrows -> Double {
  let start = SystemClock.threadProcessorNanoseconds
  try body()
  return Double(SystemClock.threadProcessorNanoseconds - start)
}

/// Returns the processor time of all threads since the process started, in nanoseconds.
func processorTimeOfAll() -> Double { Double(SystemClock.processProcessorNanoseconds) }

/// Measures two closures alternately, so that both run under equal conditions, and returns the
/// medians.
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

/// Returns the time to sort a million numbers on this machine. Promises that are not ratios are
/// scaled by it, because machines are faster or slower than the reference machine.
func sortingTime() -> Double {
  var state: UInt64 = 1
  var numbers = (0..<1_000_000).map { _ in RowGenerator.next(&state) }
  let time = processorTime { numbers.sort() }
  blackHole(numbers[0])
  return time
}

/// Runs an asynchronous closure from synchronous code, and waits for its result.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value
{
  let answer = Promise<Result<Value, any Error>>()
  Task {
    do { answer.fulfill(.success(try await body())) } catch { answer.fulfill(.failure(error)) }
  }
  return try answer.wait().get()
}

/// Keeps the optimizer from removing work with an unused result.
@inline(never)
func blackHole(_ value: UInt64) {
  if value == 0x5EED_2026 { print("", terminator: "") }
}
