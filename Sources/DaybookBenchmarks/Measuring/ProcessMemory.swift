import DaybookPlatform
import Synchronization

/// The memory of this process.
enum ProcessMemory {
  /// The memory of the process without mapped files.
  static var anonymousByteCount: Int { CurrentProcess.anonymousByteCount }
  /// The resident memory of the process, mapped files included.
  static var residentByteCount: Int { CurrentProcess.residentByteCount }
  /// The largest resident memory after the last call of ``forgetPeak()``, mapped files included.
  static var peakByteCount: Int { CurrentProcess.peakResidentByteCount }

  /// The largest peak of the current workload that was forgotten.
  private static let forgottenPeak = Atomic<Int>(0)

  /// Forgets all peaks at the start of a workload.
  static func startWorkload() {
    releaseFreeMemory()
    forgetPeak()
    forgottenPeak.store(0, ordering: .relaxed)
  }

  /// The largest resident memory of the current workload, including peaks that were forgotten
  /// during the workload.
  static var workloadPeakByteCount: Int {
    max(peakByteCount, forgottenPeak.load(ordering: .relaxed))
  }

  /// Starts a new peak at the current resident memory. If the system does not allow this, peaks are
  /// those of the whole run.
  static func forgetPeak() {
    forgottenPeak.store(workloadPeakByteCount, ordering: .relaxed)
    CurrentProcess.resetPeakResidentByteCount()
  }

  /// Returns freed memory to the system, so that later figures do not include it.
  static func releaseFreeMemory() { CurrentProcess.releaseFreeMemory() }
}
