import DaybookEssentials
import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The records that a request found, in order, as they were at one moment.
///
/// A collection over a frozen moment: it can be handed to any thread and stays as it is for as long as
/// somebody has it. Counting takes no time; a record is read when it is touched, with those around it
/// if the request has a batch size.
///
/// ```swift
/// controller.fetchedObjects?.forEach { bank in print(bank.name) }
/// ```
public struct FetchedObjects<R: FetchableRecord>: RandomAccessCollection, Sendable {
  package let snapshot: ResultSnapshot
  package let ranks: Range<Int>
  private let batches: RecordBatches<R>

  /// - Parameter batchSize: How many records are read at a time; 0 for one after another.
  package init(_ snapshot: ResultSnapshot, batchSize: Int) {
    self.init(
      snapshot, batches: RecordBatches(size: batchSize), ranks: snapshot.visibleRanks)
  }

  private init(_ snapshot: ResultSnapshot, batches: RecordBatches<R>, ranks: Range<Int>) {
    self.snapshot = snapshot
    self.batches = batches
    self.ranks = ranks
  }

  /// 0.
  public var startIndex: Int { 0 }

  /// How many records there are.
  public var endIndex: Int { ranks.count }

  /// The record at a place.
  ///
  /// - Complexity: O(log *n*), and O(batch) if its batch has not been read
  public subscript(place: Int) -> R {
    if place < 0 || place >= ranks.count {
      Misuse.stop(
        """
        record \(place) was used of a list of \(R.self) whose record count is \(ranks.count). Use one of \
        the list's indices.
        """)
    }
    return batches.record(atRank: ranks.lowerBound + place, of: snapshot)
  }

  /// The identifiers of the records, in order. No record is read for them.
  ///
  /// - Complexity: O(*n*)
  public var identifiers: [R.ID] { snapshot.identifiers(atRanks: ranks, as: R.ID.self) }

  /// The sections of the whole list, in order. The index title of a section is the first letter of its name, in upper
  /// case.
  public var sections: FetchedSections<R> { FetchedSections(self) }

  /// Returns the place of a record by its index path in the whole list.
  ///
  /// - Precondition: The record is one of these.
  /// - Complexity: O(log *n*)
  public func index(at indexPath: IndexPath) -> Int {
    guard let path = indexPath.rowPath else {
      Misuse.stop(
        """
        an index path of \(indexPath.count) parts was used in a list of \(R.self), where it has two: a section \
        and a row. Make it with IndexPath(row:section:).
        """)
    }
    let place = snapshot.rank(at: path) - ranks.lowerBound
    if place < 0 || place >= ranks.count {
      Misuse.stop(
        """
        the index path \(path) was used of a list of \(R.self) that does not have it. Use one of a record that is in \
        the list.
        """)
    }
    return place
  }

  /// The flattened list: each section, followed by the identifiers of its rows. A list without a section
  /// key has rows only.
  ///
  /// - Complexity: O(*n*, and log *n* for each section)
  public var elements: [ListElement<R.ID>] {
    guard snapshot.hasSections else { return identifiers.map { .row($0) } }
    return (0..<snapshot.sectionCount).flatMap { section -> [ListElement<R.ID>] in
      let ranks = snapshot.ranks(ofSection: section).clamped(to: ranks)
      if ranks.isEmpty { return [] }
      let rows = snapshot.identifiers(atRanks: ranks, as: R.ID.self)
      return [.section(snapshot.identifier(ofSection: section))] + rows.map { .row($0) }
    }
  }

  /// The record at a path.
  package func record(at indexPath: IndexPath) -> R {
    self[index(at: indexPath)]
  }

  /// The record at a path.
  package func record(at path: RowPath) -> R { self[snapshot.rank(at: path) - ranks.lowerBound] }

  /// Returns the identifier of the record at an offset in the whole list.
  func identifier(atOffset offset: Int) -> R.ID {
    let identifier = snapshot.identifier(atRank: snapshot.visible.lowerBound + offset)
    guard let id = R.ID(identifier) else {
      preconditionFailure("\(identifier) identifies no \(R.self)")
    }
    return id
  }

  /// Returns the element at an offset in the whole flattened list.
  ///
  /// - Complexity: O(log² *n*)
  func element(atOffset offset: Int) -> ListElement<R.ID> {
    guard snapshot.hasSections else { return .row(identifier(atOffset: offset)) }
    // The last section that does not start after the offset.
    var (section, end) = (0, snapshot.sectionCount)
    while end - section > 1 {
      let middle = (section + end) / 2
      if snapshot.elementOffset(ofSection: middle) <= offset {
        section = middle
      } else {
        end = middle
      }
    }
    if snapshot.elementOffset(ofSection: section) == offset {
      return .section(snapshot.identifier(ofSection: section))
    }
    return .row(identifier(atOffset: offset - section - 1))
  }

  /// Those of a section, by its place.
  package func section(_ index: Int) -> FetchedObjects {
    FetchedObjects(snapshot, batches: batches, ranks: snapshot.ranks(ofSection: index))
  }
}

extension FetchedObjects: CustomStringConvertible {
  /// How many there are of which type.
  public var description: String { "\(count) of \(R.self)" }
}
