import DaybookResults
import DaybookStore

/// A list that is updated at each boundary of a context. It measures its own part of the time of a
/// boundary.
final class LiveList {
  /// A request for half of all rows, in sections by state. In each section, the latest row is
  /// first.
  static let request = ListRequest<Row>(
    filter: \Row.amount >= 500_000,
    sortedBy: [.ascending(\Row.state), .descending(\Row.createdAt), .ascending(\Row.id)],
    sectionedBy: .by(\Row.state))

  let context: EditingContext
  let projection: Projection
  /// The difference of the last boundary that changed the list. The workloads set it to nil before
  /// a boundary, to detect whether the boundary changes the list.
  var difference: EditScript?
  /// The processor time that the thread used for the last difference, in nanoseconds.
  private(set) var foldTime = 0.0
  private var token: ObservationToken?

  init(in context: EditingContext, request: ListRequest<Row>) throws {
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
