/// An observer of a load. It receives the progress of the load and can cancel it.
///
/// It is notified that no row has been read, then after each ``stepCount`` rows or some more, and
/// at the end, when all rows are sorted, that all have been read. The count grows with every
/// notification, and the full count is sent only once.
//
// Not Sendable: it belongs to the one load that it observes.
package final class LoadWatch {
  /// The smallest number of rows between two notifications.
  package static let stepCount = 4096

  private let report: (_ seenCount: Int, _ rowCount: Int) -> Void
  private let isUnwanted: () -> Bool
  private var rowCount = 0
  private var seenCount = 0
  private var reportedCount = 0
  /// A Boolean value that indicates whether the load was canceled. A canceled load ends soon, with
  /// the rows that it has.
  private(set) var isGivenUp = false

  package init(
    report: @escaping (_ seenCount: Int, _ rowCount: Int) -> Void,
    isUnwanted: @escaping () -> Bool
  ) {
    self.report = report
    self.isUnwanted = isUnwanted
  }

  /// Starts a load that will read a number of rows.
  func start(rowCount: Int) {
    self.rowCount = rowCount
    report(0, rowCount)
    ask()
  }

  /// Counts more rows that have been read.
  func look(at count: Int) {
    seenCount += count
    guard seenCount - reportedCount >= LoadWatch.stepCount else { return }
    reportedCount = seenCount
    // The full count is sent at the end only.
    if seenCount < rowCount { report(seenCount, rowCount) }
    ask()
  }

  /// Checks between two steps of the work whether the load is still wanted.
  func ask() {
    if isUnwanted() { isGivenUp = true }
  }

  /// Ends the load.
  func end() {
    if rowCount > 0 { report(rowCount, rowCount) }
  }
}
