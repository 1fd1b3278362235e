import Daybook
import DaybookResults
import DaybookEssentials

/// Records the calls that a controller makes to its delegate, or the steps of a replay, one line
/// for each call.
///
/// ```swift
/// let transcript = Transcript<Bank>()
/// controller.delegate = transcript
/// try controller.performFetch()
/// try context.update(Bank.self, id: 7) { $0.state = "CA" }
/// context.processPendingChanges()
/// print(transcript.text)
/// ```
///
/// prints
///
/// ```
/// tx 3
/// willChange
/// section insert 0 "CA"
/// move [0, 1] -> [0, 0] 7
/// didChange
/// ```
///
/// Each pair of calls is preceded by the number of the transaction that caused it:
///
/// - for unsaved changes, the number that the next save would have,
/// - for a merge, the last transaction that was merged,
/// - for a change to a different moment, the transaction of that moment.
///
/// A change of the request has no number. `ListDifference.callbackLines(order:)`
/// documents the form of names and identifiers.
///
/// One journal always gives the same text, byte for byte, both in a replay and live with a context
/// that is saved at each boundary.
public final class Transcript<Object: Record>: FetchedResultsControllerDelegate {
  /// The lines, without line ends.
  public private(set) var lines: [String] = []

  /// Creates an empty transcript.
  public init() {}

  /// The lines, each with a line end.
  public var text: String { lines.map { $0 + "\n" }.joined() }

  /// Returns the text since the last call of this method, and removes it from the transcript.
  public func take() -> String {
    defer { lines = [] }
    return text
  }

  // MARK: Replays

  /// Records all steps of a replay.
  ///
  /// - Throws: `StoreError`, if the replay throws it. The steps before the error are recorded.
  public func write(_ replay: ListReplay<Object>) throws(StoreError) {
    while let step = try replay.next() {
      if let sequence = step.transaction.sequence { lines.append("tx \(sequence)") }
      write(step.difference)
    }
  }

  /// Records one difference; nothing if the difference is empty.
  public func write(_ difference: ListDifference<Object>) {
    lines += difference.callbackLines()
  }

  // MARK: Calls

  /// Records that the list will change, and the number of the transaction.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
    if let sequence = controller.context.notifiedSequence { lines.append("tx \(sequence)") }
    lines.append("willChange")
  }

  /// Records that a section was inserted or deleted.
  public func controller(
    _ controller: FetchedResultsController<Object>,
    didChange section: FetchedResultsSectionInfo<Object>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    lines.append(CallbackLine.section("\(type)", index: index, name: section.name))
  }

  /// Records the change of a row.
  public func controller(
    _ controller: FetchedResultsController<Object>, didChange object: Object,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    lines.append(
      CallbackLine.row(
        "\(type)", id: object.id.recordIdentifier,
        paths: [indexPath, newIndexPath].compactMap { $0?.rowPath }))
  }

  /// Records that all changes have been reported.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
    lines.append("didChange")
  }
}
