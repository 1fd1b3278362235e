import DaybookEssentials
import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The records that a request found, in order, as of one moment.
///
/// The collection is a view of an immutable snapshot. The collection can be passed to any thread,
/// and never changes. Counting takes constant time. A record is read when it is accessed. If the
/// request has a batch size, the whole batch that contains the record is read with it.
///
/// ```swift
/// controller.fetchedObjects?.forEach { bank in print(bank.name) }
/// ```
public struct FetchedObjects<R: FetchableRecord>: RandomAccessCollection, Sendable {
  package let snapshot: ResultSnapshot
  /// The ranks of the records in the snapshot: of the whole list, or of one section.
  package let ranks: Range<Int>
  private let batches: RecordBatches<R>

  /// - Parameter batchSize: The number of records that are read together; 0 reads each record
  ///   alone.
  package init(_ snapshot: ResultSnapshot, batchSize: Int) {
    self.init(
      snapshot, batches: RecordBatches(size: batchSize), ranks: snapshot.visibleRanks)
  }

  private init(_ snapshot: ResultSnapshot, batches: RecordBatches<R>, ranks: Range<Int>) {
    self.snapshot = snapshot
    self.batches = batches
    self.ranks = ranks
  }

  /// The position of the first record: 0.
  public var startIndex: Int { 0 }

  /// The number of records.
  public var endIndex: Int { ranks.count }

  /// The record at a position.
  ///
  /// - Complexity: O(log *n*); O(batch size) more if the record's batch is not cached
  public subscript(position: Int) -> R {
    if position < 0 || position >= ranks.count {
      Misuse.stop(
        """
        record \(position) is out of range: the list of \(R.self) has a record count of \(ranks.count). Use one \
        of the list's indices.
        """)
    }
    return batches.record(atRank: ranks.lowerBound + position, of: snapshot)
  }

  /// The identifiers of the records, in order. This property does not read the records.
  ///
  /// - Complexity: O(*n*)
  public var identifiers: [R.ID] { snapshot.identifiers(atRanks: ranks, as: R.ID.self) }

  /// Returns the `ListPosition` of the record at an index of this collection.
  ///
  /// ```swift
  /// let rest = try store.fetch(request.after(banks.position(at: 4)))
  /// ```
  ///
  /// - Complexity: O(log *n*)
  public func position(at index: Int) -> ListPosition {
    if index < 0 || index >= ranks.count {
      Misuse.stop(
        """
        position \(index) is out of range: the list of \(R.self) has a record count of \(ranks.count). Use \
        one of the list's indices.
        """)
    }
    return snapshot.position(atRank: ranks.lowerBound + index)
  }

  /// The position of the last record; nil for an empty list. See ``ListRequest/after(_:)``.
  public var endPosition: ListPosition? { isEmpty ? nil : position(at: count - 1) }

  /// The sections of the whole list, in order, even if this collection contains only one section.
  /// The index title of a section is the first letter of its name, in uppercase.
  public var sections: FetchedSections<R> { FetchedSections(self) }

  /// Returns the index in this collection of the record at an index path of the whole list.
  ///
  /// - Precondition: The collection contains the record.
  /// - Complexity: O(log *n*)
  public func index(at indexPath: IndexPath) -> Int {
    guard let path = indexPath.rowPath else {
      Misuse.stop(
        """
        a list of \(R.self) needs an index path with two parts, a section and a row, not \(indexPath.count). \
        Create it with IndexPath(row:section:).
        """)
    }
    let index = snapshot.rank(at: path) - ranks.lowerBound
    if index < 0 || index >= ranks.count {
      Misuse.stop(
        """
        the index path \(path) is out of range for the list of \(R.self). Use the index path of a record in \
        the list.
        """)
    }
    return index
  }

  /// The flattened list: each section, followed by the identifiers of its rows. A list without a
  /// section key consists of rows only.
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

  /// Returns the record at an index path of the whole list.
  package func record(at indexPath: IndexPath) -> R {
    self[index(at: indexPath)]
  }

  package func record(at path: RowPath) -> R { self[snapshot.rank(at: path) - ranks.lowerBound] }

  /// Returns the identifier of the record at an offset in the whole list.
  func identifier(atOffset offset: Int) -> R.ID {
    let identifier = snapshot.identifier(atRank: snapshot.visible.lowerBound + offset)
    guard let id = R.ID(identifier) else {
      preconditionFailure("\(identifier) is not an identifier of \(R.self)")
    }
    return id
  }

  /// Returns the element at an offset in the whole flattened list.
  ///
  /// - Complexity: O(log² *n*)
  func element(atOffset offset: Int) -> ListElement<R.ID> {
    guard snapshot.hasSections else { return .row(identifier(atOffset: offset)) }
    // Binary search for the last section that does not start after the offset.
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
    // The flattened list has `section + 1` section elements before this row.
    return .row(identifier(atOffset: offset - section - 1))
  }

  /// Returns the records of the section at an index.
  package func section(_ index: Int) -> FetchedObjects {
    FetchedObjects(snapshot, batches: batches, ranks: snapshot.ranks(ofSection: index))
  }
}

extension FetchedObjects: CustomStringConvertible {
  /// The number of records and their type, as in `3 of Bank`.
  public var description: String { "\(count) of \(R.self)" }
}

/// Encodes the records as an array, in order: `JSONEncoder().encode(try store.fetch(request))`.
extension FetchedObjects: Encodable where R: Encodable {
  /// Encodes the records.
  ///
  /// - Throws: The errors of the encoder and of the records.
  public func encode(to encoder: any Encoder) throws {
    var records = encoder.unkeyedContainer()
    for record in self { try records.encode(record) }
  }
}
