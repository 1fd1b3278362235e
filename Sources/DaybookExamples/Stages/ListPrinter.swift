import Daybook
import DaybookTesting

/// A delegate that prints each difference of a list: the calls for its sections and rows, and then
/// the totals that changed.
final class ListPrinter<Object: Record>: FetchedResultsDifferenceDelegate {
  private let stage: Stage
  private let title: (Object) -> String

  /// - Parameters:
  ///   - stage: The stage to print on.
  ///   - title: A closure that returns the text of a row.
  init(on stage: Stage, title: @escaping (Object) -> String) {
    self.stage = stage
    self.title = title
  }

  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith difference: ListDifference<Object>
  ) {
    stage.log(difference.text(title))
    for change in difference.changedTotals { stage.log("\(change)") }
  }
}
