/// Who waits for a load: is told how far it is, and may want it no longer.
///
/// It is told that no row has been looked at, then after each ``stepCount`` rows or some more, and at
/// the end, when everything is in order, that all have been: ever more, and all but once.
//
// Not Sendable: it belongs to the one load that it watches.
package final class LoadWatch {
  /// After how many rows, at least, it is told and asked.
  package static let stepCount = 4096

  private let tell: (_ seenCount: Int, _ rowCount: Int) -> Void
  private let isUnwanted: () -> Bool
  private var rowCount = 0
  private var seenCount = 0
  private var toldCount = 0
  /// Whether the load is wanted no longer: then it is to end soon, with whatever it has.
  private(set) var isGivenUp = false

  package init(
    tell: @escaping (_ seenCount: Int, _ rowCount: Int) -> Void,
    isUnwanted: @escaping () -> Bool
  ) {
    self.tell = tell
    self.isUnwanted = isUnwanted
  }

  /// So many rows will be looked at.
  func begin(rowCount: Int) {
    self.rowCount = rowCount
    tell(0, rowCount)
    ask()
  }

  /// So many more rows have been looked at.
  func look(at count: Int) {
    seenCount += count
    guard seenCount - toldCount >= LoadWatch.stepCount else { return }
    toldCount = seenCount
    // That all have been is told at the end.
    if seenCount < rowCount { tell(seenCount, rowCount) }
    ask()
  }

  /// Asks whether the load is still wanted, between two parts of the work.
  func ask() {
    if isUnwanted() { isGivenUp = true }
  }

  /// All is done.
  func end() {
    if rowCount > 0 { tell(rowCount, rowCount) }
  }
}
