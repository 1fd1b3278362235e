import Daybook
import DaybookEssentials
import DaybookJournal

/// A list at a moment, as a browser shows it.
struct BrowserPicture: Sendable {
  var view: BrowserView
  /// The state of the moment.
  var state: KnownState
  var objects: ListObjects
  var columns: ListColumns
  /// All attributes of the entity, for the pane of the record.
  var attributes: ListColumns
  /// The changes of rows by the transaction of the moment. If a transaction is left out, they are
  /// the changes that result from leaving it out.
  var marks: [RecordIdentifier: Mark] = [:]
  /// The attributes whose later values were kept, by the identifiers of the records. An array
  /// without attributes means the whole record.
  var conflicts: [RecordIdentifier: [String]] = [:]
  /// The number of conflicts, also of records that are not in the list.
  var conflictCount = 0
  /// The index of the row that was selected before; nil if the list has no such row.
  var selectedRow: Int?

  var isSectioned: Bool { view.query["--section-by"] != nil }

  var lines: ListLines { ListLines(objects, isSectioned: isSectioned) }
}

/// A state of a journal that was already computed for a browser.
struct KnownState: Sendable {
  let snapshot: StoreSnapshot
  /// The number of the snapshot's store. When a browser starts to follow the journal, it opens a
  /// second store. States of two stores cannot be compared.
  let store: Int
}

/// The list that a user wants to see, and its moment.
struct BrowserView: Hashable, Sendable {
  var query: BrowserQuery
  /// The number of the last transaction that the list contains.
  var moment: UInt64
  /// The transaction that is left out; nil for the list as it was.
  var without: UInt64?
}

/// The lines of a list: each section, followed by its rows. A list without sections consists of
/// rows only.
struct ListLines {
  enum Line: Hashable {
    case section(Int)
    case row(Int)
  }

  let objects: ListObjects
  private let isSectioned: Bool

  init(_ objects: ListObjects, isSectioned: Bool) {
    self.objects = objects
    self.isSectioned = isSectioned && !objects.isEmpty
  }

  var count: Int { objects.count + (isSectioned ? objects.sections.count : 0) }

  /// Returns the line at an index.
  ///
  /// - Complexity: O(log² *n*)
  subscript(index: Int) -> Line {
    guard isSectioned else { return .row(index) }
    let section = last { startOfRows(inSection: $0) + $0 <= index }
    let start = startOfRows(inSection: section) + section
    return start == index ? .section(section) : .row(index - section - 1)
  }

  /// Returns the index of the line of a row.
  ///
  /// - Complexity: O(log² *n*)
  func index(ofRow row: Int) -> Int {
    guard isSectioned else { return row }
    return row + last { startOfRows(inSection: $0) <= row } + 1
  }

  /// Returns the index of the first row of a section. No section is empty.
  private func startOfRows(inSection section: Int) -> Int {
    objects.index(at: IndexPath(row: 0, section: section))
  }

  /// Returns the last section that meets a condition. The sections that meet it precede all others,
  /// and the first section meets it.
  private func last(_ isMet: (Int) -> Bool) -> Int {
    var (low, end) = (0, objects.sections.count)
    while end - low > 1 {
      let middle = (low + end) / 2
      if isMet(middle) { low = middle } else { end = middle }
    }
    return low
  }
}

/// The heading of a transaction in a browser.
struct TransactionHeading: Hashable, Sendable {
  var time: JournalTime
  /// The number of changes of each kind, for example `+2 ~1`.
  var counts: String
  /// The author and the reason; empty without both.
  var summary: String
}
