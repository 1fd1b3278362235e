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

/// Returns the processor time that the current thread uses for a closure, in nanoseconds.
func processorTime(_ body: () throws -> Void) rethrows -> Double {
  let start = SystemClock.threadProcessorNanoseconds
  try body()
  return Double(SystemClock.threadProcessorNanoseconds - start)
}

/// Returns the processor time that all threads have used after the start of the process, in
/// nanoseconds.
func processorTimeOfAll() -> Double { Double(SystemClock.processProcessorNanoseconds) }

/// Runs two closures alternately and returns the medians of their times. Both run under the same
/// conditions, because other work of the machine affects both.
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

/// Returns the processor time to sort a million numbers on this machine, in nanoseconds. It is a
/// measure of the machine's speed: promises with absolute times are scaled by it.
func sortingTime() -> Double {
  var state: UInt64 = 1
  var numbers = (0..<1_000_000).map { _ in RowGenerator.next(&state) }
  let time = processorTime { numbers.sort() }
  blackHole(numbers[0])
  return time
}

/// Runs an asynchronous closure from synchronous code, and blocks the thread until its end.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value
{
  let answer = Promise<Result<Value, any Error>>()
  Task {
    do { answer.fulfill(.success(try await body())) } catch { answer.fulfill(.failure(error)) }
  }
  return try answer.wait().get()
}

/// Uses a value, so that the optimizer does not remove the computation of the value.
@inline(never)
func blackHole(_ value: UInt64) {
  if value == 0x5EED_2026 { print("", terminator: "") }
}
