import Daybook
import DaybookResults
import DaybookEssentials

/// A delegate that records the calls of a controller, with one line for each call. The transcript
/// can also record the steps of a replay.
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
/// A line `tx` before each `willChange` contains the number of the transaction that caused the
/// change:
///
/// - for unsaved changes, the number after the last transaction that the context has merged or
///   saved,
/// - for a merge, the last transaction that was merged,
/// - after `travel(to:)`, the transaction of the new moment.
///
/// If the program changes the request, there is no such line.
/// `ListDifference.callbackLines(order:)` documents the form of names and identifiers.
///
/// The text of a journal is always the same, byte for byte. A replay and a live controller give the
/// same text, if its context is saved at each boundary.
public final class Transcript<Object: Record>: FetchedResultsControllerDelegate {
  /// The recorded lines, without line ends.
  public private(set) var lines: [String] = []

  /// Creates an empty transcript.
  public init() {}

  /// The recorded lines as one text, each with a line end.
  public var text: String { lines.map { $0 + "\n" }.joined() }

  /// Returns the text, and removes all lines from the transcript.
  public func take() -> String {
    defer { lines = [] }
    return text
  }

  // MARK: Replays

  /// Records all steps of a replay.
  ///
  /// - Throws: `StoreError` if the replay throws it. The steps before the error stay in the
  ///   transcript.
  public func write(_ replay: ListReplay<Object>) throws(StoreError) {
    while let step = try replay.next() {
      if let sequence = step.transaction.sequence { lines.append("tx \(sequence)") }
      write(step.difference)
    }
  }

  /// Records the calls for one difference. An empty difference adds no lines.
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
