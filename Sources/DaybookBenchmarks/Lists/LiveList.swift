import DaybookResults
import DaybookStore

/// A live list on a context that measures its own part of each boundary.
final class LiveList {
  /// Half of all rows, sorted by state and then the latest first, in sections by state.
  static let request = FetchRequest<Row>(
    filter: \Row.amount >= 500_000,
    sortedBy: [.ascending(\Row.state), .descending(\Row.createdAt), .ascending(\Row.id)],
    sectionedBy: .by(\Row.state))

  let context: EditingContext
  let projection: Projection
  /// The difference of the last boundary; nil if the boundary did not change the list.
  var difference: EditScript?
  /// The processor time of the thread for that difference, in nanoseconds.
  private(set) var foldTime = 0.0
  private var token: ObservationToken?

  init(in context: EditingContext, request: FetchRequest<Row>) throws {
    self.context = context
    projection = Projection(
      try request.plan(context.frozen.catalog), of: context.frozen, window: request.window)
    token = context.observe { [unowned self] event in
      guard case .transaction(let transaction) = event else { return }
      foldTime = processorTime {
        difference = projection.fold(transaction, to: context.frozen)
      }
    }
  }

  func stop() { token = nil }
}
