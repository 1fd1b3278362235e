import DaybookCLibrary

/// The clocks of the operating system.
package enum SystemClock {
  /// The number of nanoseconds after the beginning of 1970 in UTC.
  package static var realTimeNanoseconds: Int64 { read(CLOCK_REALTIME) }

  /// The number of nanoseconds after an arbitrary start, for measuring intervals. The value never
  /// decreases.
  package static var uptimeNanoseconds: Int64 { read(CLOCK_MONOTONIC) }

  /// The processor time of the current thread.
  package static var threadProcessorNanoseconds: Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

  /// The processor time of all threads of this process.
  package static var processProcessorNanoseconds: Int64 { read(CLOCK_PROCESS_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    let status = clock_gettime(clock, &time)
    precondition(status == 0, "clock \(clock) cannot be read: errno \(errno)")
    return nanoseconds(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
  }

  /// Returns a time as a number of nanoseconds.
  ///
  /// A time outside of the range of 64 bits, such as one after April 2262, becomes the nearest end
  /// of the range.
  package static func nanoseconds(seconds: Int, nanoseconds: Int) -> Int64 {
    let (product, overflows) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if overflows { return seconds < 0 ? .min : .max }
    let (sum, sumOverflows) = product.addingReportingOverflow(Int64(nanoseconds))
    return sumOverflows ? .max : sum
  }
}
