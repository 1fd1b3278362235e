import DaybookPlatform
import Synchronization

/// The memory of this process.
enum ProcessMemory {
  /// What it has of its own, beside mapped files.
  static var anonymousByteCount: Int { CurrentProcess.anonymousByteCount }
  /// What it has in memory, mapped files included.
  static var residentByteCount: Int { CurrentProcess.residentByteCount }
  /// The most that it had in memory since ``forgetPeak()``, mapped files included.
  static var peakByteCount: Int { CurrentProcess.peakResidentByteCount }

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
    CurrentProcess.resetPeakResidentByteCount()
  }

  /// Gives freed memory back to the system, so that it is not counted as there already.
  static func giveBack() { CurrentProcess.releaseFreeMemory() }
}
