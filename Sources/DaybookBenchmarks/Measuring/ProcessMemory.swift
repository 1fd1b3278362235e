import Glibc
import Synchronization

/// The memory of this process.
enum ProcessMemory {
  /// What it has of its own, beside mapped files.
  static var anonymousByteCount: Int { status("RssAnon:") }
  /// What it has in memory, mapped files included.
  static var residentByteCount: Int { status("VmRSS:") }
  /// The most that it had in memory since ``forgetPeak()``, mapped files included.
  static var peakByteCount: Int { status("VmHWM:") }

  /// The most that there was before the peak was forgotten, since a workload began.
  private static let forgottenPeak = Atomic<Int>(0)

  /// Forgets all peaks, as a workload begins.
  static func beginWorkload() {
    giveBack()
    forgetPeak()
    forgottenPeak.store(0, ordering: .relaxed)
  }

  /// The most that it had in memory since a workload began, whoever has measured peaks of its own since.
  static var workloadPeakByteCount: Int {
    max(peakByteCount, forgottenPeak.load(ordering: .relaxed))
  }

  /// Makes what there is in memory now the most that there was. Where the system does not let it, peaks are
  /// those of the whole run.
  static func forgetPeak() {
    forgottenPeak.store(workloadPeakByteCount, ordering: .relaxed)
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  private static func status(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0 {
      guard let line, strncmp(line, name, name.utf8.count) == 0 else { continue }
      return strtol(line + name.utf8.count, nil, 10) * 1024
    }
    return 0
  }

  /// Gives freed memory back to the system, so that it is not counted as there already. Swift's
  /// `Glibc` leaves the function out.
  static func giveBack() {
    typealias Trim = @convention(c) (Int) -> Int32
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(symbol, to: Trim.self)(0)
  }
}
