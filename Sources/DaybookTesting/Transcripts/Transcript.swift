import Daybook
import DaybookResults
import DaybookEssentials

/// Writes down what a controller tells its delegate, a line for each call, or what a replay tells.
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
/// Before each pair of calls stands the transaction that they are of: of what is not saved that which a
/// save would make, of a merge the last that was merged, and of a journey the moment that it led to. A
/// change of the request is of none. Names of sections are JSON strings. An identifier is bare if it is
/// an integer, or a text of letters, digits and `_.:-` that is no integer; else it is a JSON string.
///
/// The same journal gives the same text, byte for byte, heard live over a context that is saved at each
/// boundary, or replayed.
public final class Transcript<Object: Record>: FetchedResultsControllerDelegate {
  /// The lines, without their ends.
  public private(set) var lines: [String] = []

  /// A transcript without lines.
  public init() {}

  /// The lines, each with its end.
  public var text: String { lines.map { $0 + "\n" }.joined() }

  /// What was written since the last look, which is forgotten.
  public func take() -> String {
    defer { lines = [] }
    return text
  }

  // MARK: Replays

  /// Writes down everything that a replay tells.
  ///
  /// - Throws: ``StoreError``, as the replay does; what was told before is written then.
  public func write(_ replay: ListReplay<Object>) throws(StoreError) {
    while let step = try replay.next() {
      if let sequence = step.transaction.sequence { lines.append("tx \(sequence)") }
      write(step.difference)
    }
  }

  /// Writes down one difference; nothing if that is empty.
  public func write(_ difference: ListDifference<Object>) {
    lines += difference.callbackLines()
  }

  // MARK: Calls

  /// Writes down that the list has changed, and at which transaction.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
    if let sequence = controller.context.toldSequence { lines.append("tx \(sequence)") }
    lines.append("willChange")
  }

  /// Writes down that a section came or went.
  public func controller(
    _ controller: FetchedResultsController<Object>,
    didChange section: FetchedResultsSectionInfo<Object>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    lines.append(CallbackLine.section("\(type)", index: index, name: section.name))
  }

  /// Writes down what became of a row.
  public func controller(
    _ controller: FetchedResultsController<Object>, didChange object: Object,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    lines.append(
      CallbackLine.row(
        "\(type)", id: object.id.recordIdentifier,
        paths: [indexPath, newIndexPath].compactMap { $0?.rowPath }))
  }

  /// Writes down that this was all.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
    lines.append("didChange")
  }
}
