import DaybookPlatform
import Synchronization

/// The memory of this process, as the system reports it, and the peaks during a workload.
enum ProcessMemory {
  /// The memory of the process without mapped files.
  static var anonymousByteCount: Int { CurrentProcess.anonymousByteCount }
  /// The resident memory of the process, including mapped files.
  static var residentByteCount: Int { CurrentProcess.residentByteCount }
  /// The largest resident memory after the last call of ``forgetPeak()``, including mapped files.
  static var peakByteCount: Int { CurrentProcess.peakResidentByteCount }

  /// The largest peak of the current workload before the last call of ``forgetPeak()``.
  private static let forgottenPeak = Atomic<Int>(0)

  /// Resets all peaks at the start of a workload.
  static func startWorkload() {
    releaseFreeMemory()
    forgetPeak()
    forgottenPeak.store(0, ordering: .relaxed)
  }

  /// The largest resident memory of the current workload, also before calls of ``forgetPeak()``.
  static var workloadPeakByteCount: Int {
    max(peakByteCount, forgottenPeak.load(ordering: .relaxed))
  }

  /// Resets the peak of the system to the current resident memory. If the system does not allow
  /// this, all peaks are those of the complete run.
  static func forgetPeak() {
    forgottenPeak.store(workloadPeakByteCount, ordering: .relaxed)
    CurrentProcess.resetPeakResidentByteCount()
  }

  /// Returns freed memory to the system, so that later figures do not include it.
  static func releaseFreeMemory() { CurrentProcess.releaseFreeMemory() }
}
