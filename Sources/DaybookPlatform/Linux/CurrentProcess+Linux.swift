import Glibc

extension CurrentProcess {
  /// The path of the program that this process runs.
  package static var programPath: String { "/proc/self/exe" }

  /// The resident memory that belongs to no file.
  package static var anonymousByteCount: Int { memoryByteCount("RssAnon:") }

  /// The resident memory, mapped files included.
  package static var residentByteCount: Int { memoryByteCount("VmRSS:") }

  /// The largest ``residentByteCount`` since ``resetPeakResidentByteCount()``.
  package static var peakResidentByteCount: Int { memoryByteCount("VmHWM:") }

  /// Sets the peak to the present value. Where the system refuses that, peaks are those of the whole run.
  package static func resetPeakResidentByteCount() {
    let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = write(descriptor, "5", 1)
    close(descriptor)
  }

  /// Returns freed memory to the system, so that it is not counted as resident.
  package static func releaseFreeMemory() {
    // The module of the C library does not have the function.
    typealias Trim = @convention(c) (Int) -> Int32
    guard let symbol = symbol(named: "malloc_trim") else { return }
    _ = unsafeBitCast(symbol, to: Trim.self)(0)
  }

  /// A value of `/proc/self/status`, whose lines read `VmRSS:     5120 kB`.
  private static func memoryByteCount(_ name: String) -> Int {
    guard let status = ProcFiles.text(of: "/proc/self/status") else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first).flatMap { Int($0) }
      .map { $0 * 1024 } ?? 0
  }
}
