import Daybook
import DaybookResults
@_spi(Tools) import DaybookStore

/// Checks the laws of a live list for every transaction in the history of a store.
///
/// ```swift
/// let store = try Store.simulated(records: Bank.self)
/// for step in 0..<100 { try change(store, step) }
/// let changeCount = try checkLaws(of: request, over: store)
/// #expect(changeCount > 50)
/// ```
///
/// A *live list* is a list that each transaction updates, as in a fetched results controller. After
/// each transaction of the store, these laws hold:
///
/// - The live list is equal to a list that is fetched from the state after the transaction.
/// - If a table view shows the list before the transaction and performs the difference as one
///   batch, it shows the list after the transaction. ``TableView`` also checks the rules of a
///   batch.
/// - If a table view shows the list after the transaction and performs the inverse of the
///   difference, it shows the list before the transaction.
/// - The difference that the store computes between the two states is equal to the difference of
///   the live list.
///
/// The check compares the names and the order of sections, and the order and all values of rows.
/// The laws hold for every request without closures. For a request with a closure, they hold if the
/// closure always returns the same result for the same record.
///
/// - Parameters:
///   - request: The request of the list.
///   - store: The store. If its history starts with a base, the base counts as one transaction.
/// - Returns: The number of transactions that changed the list. A test should check that this
///   number is large enough, because transactions that do not change the list test little.
/// - Throws: ``ListLawError`` if a law does not hold; `RequestError` if the request has an error;
///   `StoreError` if the history cannot be read
/// - Complexity: O(*t* (*n* log *n* + *k*)) for *t* transactions with *k* changes in total
@discardableResult
public func checkLaws<R: FetchableRecord>(
  of request: ListRequest<R>, over store: Store
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
    // This law is checked first, because a closure with varying results usually breaks this law.
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
    /// The live list is equal to a fetched list.
    case fetch
    /// Performing the difference changes the list before the transaction to the list after it.
    case difference
    /// Performing the inverse of the difference changes the list after the transaction to the list
    /// before it.
    case inverse
    /// The difference between the two states is equal to the difference of the live list.
    case between
  }

  /// The law that does not hold.
  public let law: Law
  /// The transaction after which the law does not hold.
  public let sequence: SequenceNumber
  /// The text that the law requires.
  public let expected: String
  /// The text of the list or of the difference. If the table view refused the batch, it is the
  /// sentence of that error.
  public let found: String
}

extension ListLawError: CustomStringConvertible {
  /// A sentence with the transaction and the law, followed by both texts.
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

/// Functions that compare the two sides of a law.
package enum ListLaw {
  /// Performs a difference on a table view, and compares the sections of the view with the expected
  /// ones.
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

  /// - Throws: ``ListLawError`` if the two texts differ
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

  /// The sections of a table view's data source. It is a class, so that the sections can change
  /// between two updates of the view.
  private final class SectionList {
    var sections: [TableView.Section]

    init(_ sections: [TableView.Section]) { self.sections = sections }
  }
}

extension TableView {
  /// Performs a difference as one batch. Then reloads the moved rows with changed values in a
  /// second batch, because a move does not reload a row.
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

/// A writer of rows as text. The text contains all stored values of the record, and the values that
/// the request reads through references. A list depends on no other values.
private struct ListRowText {
  /// The newest catalog of the store, which has the layouts of all earlier rows.
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
    let record = state.memory.withCompleteRow(at: location, layouts: catalog.layouts) {
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
