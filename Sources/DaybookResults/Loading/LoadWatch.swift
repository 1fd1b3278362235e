/// An observer of a load. The observer receives the progress of the load, and can cancel the load.
///
/// The load notifies it at the start, with a count of 0, and then each time after at least
/// ``stepCount`` more rows. The last notification, with the count of all rows, is sent when all
/// rows are sorted. A load without rows notifies it only at the start. The counts increase
/// strictly.
//
// The class is not Sendable, because only the one load that it observes uses it.
package final class LoadWatch {
  /// The smallest number of rows between two notifications.
  package static let stepCount = 4096

  private let report: (_ examinedRowCount: Int, _ rowCount: Int) -> Void
  private let shouldCancel: () -> Bool
  private var rowCount = 0
  private var examinedRowCount = 0
  private var reportedCount = 0
  /// A Boolean value that indicates whether the load was canceled. A canceled load ends soon, with
  /// the rows that it has.
  private(set) var isCancelled = false

  package init(
    report: @escaping (_ examinedRowCount: Int, _ rowCount: Int) -> Void,
    shouldCancel: @escaping () -> Bool
  ) {
    self.report = report
    self.shouldCancel = shouldCancel
  }

  /// Starts a load that will read a number of rows.
  func start(rowCount: Int) {
    self.rowCount = rowCount
    report(0, rowCount)
    updateCancellation()
  }

  /// Counts more rows that have been read.
  func addExaminedRows(_ count: Int) {
    examinedRowCount += count
    guard examinedRowCount - reportedCount >= LoadWatch.stepCount else { return }
    reportedCount = examinedRowCount
    // The full count is reported only at the end, after the sort.
    if examinedRowCount < rowCount { report(examinedRowCount, rowCount) }
    updateCancellation()
  }

  /// Cancels the load if it is no longer wanted. The load calls the method between its steps.
  func updateCancellation() {
    if shouldCancel() { isCancelled = true }
  }

  /// Reports that the load is complete.
  func end() {
    if rowCount > 0 { report(rowCount, rowCount) }
  }
}
