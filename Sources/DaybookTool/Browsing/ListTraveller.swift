@_spi(Tools) import Daybook
import DaybookJournal
@_spi(Tools) import DaybookStore

/// Finds the list of a browser at any moment.
///
/// For a near moment, the actor applies the differences of the transactions to the previous list.
/// For a distant moment, or for a new query, it reads all rows, which can be cancelled.
actor ListTraveller {
  private var journal: OpenJournal
  private var storeNumber = 0
  private var cursor: HistoryCursor?
  private var list: FollowingList<DynamicRecord>?
  private var query: BrowserQuery?

  /// The largest number of transactions over which the list moves. If there are more between two
  /// moments, the list is read again.
  private static let stepCountMax: UInt64 = 1024
  /// The largest number of rows that are marked. If more rows changed, none is marked.
  private static let markCountMax = 20_000

  init(_ journal: OpenJournal) { self.journal = journal }

  /// Uses a different store of the same journal, unless a store with a higher number is used.
  func use(_ journal: OpenJournal, number: Int) {
    guard number > storeNumber else { return }
    (self.journal, storeNumber) = (journal, number)
    (cursor, list) = (nil, nil)
  }

  /// Returns the list of a view.
  ///
  /// - Parameters:
  ///   - view: The view.
  ///   - selected: The record whose row to find, and its last index.
  /// - Throws: ``ToolError``, and `CancellationError` if the task is cancelled
  func picture(of view: BrowserView, selected: SelectedRow?) throws -> BrowserPicture {
    // A short move is not cancelled later, so that lists are shown while the user holds a key.
    try Task.checkCancellation()
    return try journal.reading {
      let request = try view.query.request()
      _ = try RecordArguments.entity(request.entity, in: journal.store.snapshot)
      let target = SequenceNumber(view.moment)
      let cursor = try cursor(for: target)
      // The list first moves to the previous moment, so that its next move returns the difference
      // of the transaction.
      let start = target > journal.store.base ? target - 1 : target
      let before = try cursor.move(to: start)
      let list = try list(of: view.query, request, at: before)
      let snapshot = try cursor.move(to: target)
      let columns = try ListColumns(view.query["--columns"], of: request, in: snapshot)
      let change = try list.move(to: snapshot)
      let objects = list.objects
      _ = try columns.rows(of: objects, in: 0..<0)
      var picture = BrowserPicture(
        view: view, state: KnownState(snapshot: snapshot, store: storeNumber), objects: objects,
        columns: columns,
        attributes: try ListColumns(nil, of: request, in: snapshot))
      if case .difference(let difference) = change {
        picture.marks = ListTraveller.marks(of: difference)
      }
      picture.selectedRow = try selected?.index(in: objects, columns: columns)
      return picture
    }
  }

  private func cursor(for target: SequenceNumber) throws -> HistoryCursor {
    if let cursor, target <= cursor.last { return cursor }
    let cursor = try HistoryCursor(journal.store)
    self.cursor = cursor
    return cursor
  }

  /// Returns the list of a query at the moment before the wanted one.
  private func list(
    of query: BrowserQuery, _ request: DynamicRequest, at snapshot: StoreSnapshot
  ) throws -> FollowingList<DynamicRecord> {
    if let list, query == self.query, list.fits(snapshot) {
      let (here, there) = (list.snapshot.sequence.rawValue, snapshot.sequence.rawValue)
      if max(here, there) - min(here, there) <= ListTraveller.stepCountMax {
        _ = try list.move(to: snapshot)
        return list
      }
    }
    let made = try ReadList.list(request, at: snapshot)
    (list, self.query) = (made, query)
    return made
  }

  private static func marks(of difference: RecordDifference) -> [RecordIdentifier: Mark] {
    var marks: [RecordIdentifier: Mark] = [:]
    let rows = [
      (Mark.inserted, difference.inserted.map(\.id)), (.moved, difference.moved.map(\.id)),
      (.updated, difference.updated.map(\.id)),
    ]
    guard rows.reduce(0, { $0 + $1.1.count }) <= markCountMax else { return [:] }
    for (mark, ids) in rows { for id in ids { marks[id] = mark } }
    return marks
  }
}

/// Functions that read lists in steps that can be cancelled.
enum ReadList {
  /// Returns the list of a request in a snapshot, and shows the progress.
  ///
  /// - Throws: The errors of a fetch, and `CancellationError` if the task is cancelled
  static func list(
    _ request: DynamicRequest, at snapshot: StoreSnapshot
  ) throws -> FollowingList<DynamicRecord> {
    let list = try FollowingList(
      request, at: snapshot,
      progress: {
        Progress.shared.show(
          "reading \(request.entity)", done: UInt64($0.examinedRowCount), of: UInt64($0.rowCount),
          in: .things("rows"))
      },
      shouldContinue: { !Task.isCancelled })
    guard let list else { throw CancellationError() }
    return list
  }
}

/// The selected row of a list, which a browser finds again in the next list.
struct SelectedRow: Hashable, Sendable {
  var id: RecordIdentifier
  /// The index of the row in the previous list.
  var index: Int

  /// The number of rows before and after the last index that are searched first.
  private static let nearCount = 100

  /// Returns the index of the record in a list; nil if the list does not contain the record.
  ///
  /// - Complexity: O(1) if the row is near its last index; otherwise O(*n*)
  func index(in objects: ListObjects, columns: ListColumns) throws -> Int? {
    let start = min(max(0, index - SelectedRow.nearCount), objects.count)
    let near = start..<min(objects.count, index + SelectedRow.nearCount)
    if !near.isEmpty {
      let rows = try columns.rows(of: objects, in: near)
      if let offset = rows.firstIndex(where: { $0.id == id }) { return start + offset }
    }
    return objects.identifiers.firstIndex(of: id)
  }
}
