import Daybook
import DaybookResults
@_spi(Tools) import DaybookStore

/// Checks the laws of a live list over the history of a store.
///
/// ```swift
/// let store = try Store.simulated(records: Bank.self)
/// for step in 0..<100 { try change(store, step) }
/// let changeCount = try checkLaws(of: request, over: store)
/// #expect(changeCount > 50)
/// ```
///
/// After each transaction of the store, these laws hold for the list of a request:
///
/// - The live list, which the transaction updated, is equal to a list that is fetched at that
///   moment.
/// - A table view that showed the list before, and performs the difference as one batch, shows the
///   list after. ``TableView`` also checks the rules of a batch.
/// - The inverse of the difference leads back to the list before.
/// - The difference between the two moments is equal to the difference that the transaction caused.
///
/// The laws compare sections, their names and order, rows and all their values. They hold for every
/// request of attributes. A request with a closure obeys them only if the closure returns the same
/// result for the same record every time.
///
/// - Parameters:
///   - request: The request of the list.
///   - store: The store. If its history starts with a base, the base counts as one transaction.
/// - Returns: The number of transactions that changed the list. A test should check that the number
///   is not small: a history that never changes the list shows nothing.
/// - Throws: ``ListLawError`` for a law that does not hold; `RequestError` for an error in the
///   request; `StoreError`
/// - Complexity: O(*t* *n* log *n*) for *t* transactions
@discardableResult
public func checkLaws<R: FetchableRecord>(
  of request: FetchRequest<R>, over store: Store
) throws -> Int {
  let (first, last) = (store.base, store.snapshot.sequence)
  let text = ListRowText(catalog: store.snapshot.frozen.catalog)
  let replay = try store.replay(request, to: last)
  var shown = text.sections(of: replay.objects)
  var step = try replay.next()
  var changeCount = 0
  for number in first.rawValue...last.rawValue {
    let moment = SequenceNumber(number)
    let change = step?.transaction.sequence == moment ? step?.difference : nil
    let after = change.map { text.sections(of: $0.after) } ?? shown
    // This law is the first, because it is the one that an unreliable closure breaks.
    let fetched = try store.snapshot(at: moment).fetch(request)
    try ListLaw.check(
      ListLaw.text(of: after), is: ListLaw.text(of: text.sections(of: fetched)),
      law: .fetch, after: moment)
    guard let change else { continue }
    try ListLaw.check(change, from: shown, to: after, law: .difference, after: moment)
    try ListLaw.check(change.inverse, from: after, to: shown, law: .inverse, after: moment)
    if moment > first {
      try ListLaw.check(
        change.text, is: store.difference(of: request, from: moment - 1, to: moment).text,
        law: .between, after: moment)
    }
    shown = after
    changeCount += 1
    step = try replay.next()
  }
  return changeCount
}

/// A law of live lists that does not hold for a list.
public struct ListLawError: Error, Hashable, Sendable {
  /// A law of live lists.
  @nonexhaustive
  public enum Law: Hashable, Sendable {
    /// The live list is equal to a fetched one.
    case fetch
    /// The list before with the difference is the list after.
    case difference
    /// The list after with the inverse of the difference is the list before.
    case inverse
    /// The difference between two moments is the difference that the transaction caused.
    case between
  }

  /// The law.
  public let law: Law
  /// The transaction after which the law does not hold.
  public let sequence: SequenceNumber
  /// The text that the law requires.
  public let expected: String
  /// The text of the list or of the difference; for a batch that a table view refuses, its error.
  public let found: String
}

extension ListLawError: CustomStringConvertible {
  /// A sentence that names the transaction and the law, and both texts.
  public var description: String {
    """
    transaction \(sequence): \(sentence)
    expected:
    \(expected)
    found:
    \(found)
    """
  }

  private var sentence: String {
    switch law {
    case .fetch:
      """
      the live list is not equal to a list that is fetched at this moment. If the request has a closure, the \
      closure must return the same result for the same record every time.
      """
    case .difference: "a table view that performs the difference does not show the list after it."
    case .inverse: "a table view that performs the inverse does not show the list before it."
    case .between:
      "the difference between the two moments is not the one that the transaction caused."
    }
  }
}

/// Compares the two sides of a law.
package enum ListLaw {
  /// Performs a difference on a table view, and compares what the view then shows.
  package static func check<R: FetchableRecord>(
    _ difference: ListDifference<R>, from old: [TableView.Section], to new: [TableView.Section],
    law: ListLawError.Law, after sequence: SequenceNumber
  ) throws(ListLawError) {
    let source = SectionList(old)
    let table = TableView { source.sections }
    source.sections = new
    var found: String
    do throws(TableViewError) {
      try table.perform(difference.batchSafe)
      found = "\(table)"
    } catch {
      found = "\(error)"
    }
    try check(found, is: text(of: new), law: law, after: sequence)
  }

  /// - Throws: ``ListLawError``, if the two texts differ.
  package static func check(
    _ found: String, is expected: String, law: ListLawError.Law, after sequence: SequenceNumber
  ) throws(ListLawError) {
    if found != expected {
      throw ListLawError(law: law, sequence: sequence, expected: expected, found: found)
    }
  }

  static func text(of sections: [TableView.Section]) -> String {
    sections.map(\.description).joined(separator: "\n")
  }

  /// The content that a table view shows.
  private final class SectionList {
    var sections: [TableView.Section]

    init(_ sections: [TableView.Section]) { self.sections = sections }
  }
}

extension TableView {
  /// Performs a difference as one batch, and then reloads the rows that moved with new values.
  fileprivate func perform<R: FetchableRecord>(
    _ difference: ListDifference<R>
  ) throws(TableViewError) {
    try update {
      deleteSections(difference.deletedSections.map(\.index))
      insertSections(difference.insertedSections.map(\.index))
      deleteRows(at: difference.deleted.map(\.indexPath))
      insertRows(at: difference.inserted.map(\.indexPath))
      for change in difference.moved { moveRow(at: change.indexPath, to: change.newIndexPath) }
      reloadRows(at: difference.updated.map(\.indexPath))
    }
    try update {
      reloadRows(at: difference.moved.filter(\.isContentChanged).map(\.newIndexPath))
    }
  }
}

/// Writes rows with all values that a list depends on: the values of the record, also those that
/// the record type does not name, and the values that the request reads through references.
private struct ListRowText {
  /// The newest catalog. It reads the rows of every moment of the store.
  let catalog: Catalog

  func sections<R: FetchableRecord>(of list: FetchedObjects<R>) -> [TableView.Section] {
    list.tableSections { section in
      zip(section.ranks, section.identifiers).map { rank, id in
        "\(id.recordIdentifier.calledText): \(values(atRank: rank, in: section.snapshot))"
      }
    }
  }

  private func values(atRank rank: Int, in snapshot: ResultSnapshot) -> String {
    let (plan, state) = (snapshot.plan, snapshot.state)
    let location = snapshot.location(atRank: rank)
    let record = state.memory.withWholeRow(at: location, layouts: catalog.layouts) {
      DynamicRecord($0, of: plan.entity, in: catalog)
    }
    let own = (record?.values ?? []).map { value in
      var writer = JSONWriter()
      writer.write(value)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    let foreign = plan.foreignReads.map { read in
      var buffer = RowBuffer()
      read.append(of: location, in: state, to: &buffer)
      return "\(read.names.joined(separator: ".")) \(buffer.bytes)"
    }
    return (own + foreign).joined(separator: ", ")
  }
}
