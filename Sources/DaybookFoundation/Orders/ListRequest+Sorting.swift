import Daybook
import Foundation

// The type of the parameters is `some Sequence` and not an array. So for `sortedBy: []` the
// compiler chooses the initializer with sort keys, and the call is not ambiguous.
extension ListRequest where R: Record {
  /// Creates a request for the records of a type, sorted by descriptors.
  ///
  /// ```swift
  /// let request = try ListRequest<Bank>(
  ///   filter: \Bank.state == "CA", sortedBy: [SortDescriptor(\Bank.name)])
  /// ```
  ///
  /// - Throws: `RequestError`, if lists cannot have exactly the same order
  public init(
    filter: Filter? = nil, sortedBy descriptors: some Sequence<SortDescriptor<R>>,
    sectionedBy sectioning: Sectioning? = nil, limit: Int? = nil, offset: Int = 0,
    batchSize: Int = 0
  ) throws(RequestError) {
    self.init(
      filter: filter, sortedBy: [], sectionedBy: sectioning, limit: limit, offset: offset,
      batchSize: batchSize)
    for descriptor in descriptors { sortKeys.append(try SortKey(descriptor)) }
  }

  /// Creates a request for the records of a type, sorted by comparators.
  ///
  /// ```swift
  /// let request = try ListRequest<Bank>(
  ///   sortedBy: [KeyPathComparator(\Bank.assets, order: .reverse)])
  /// ```
  ///
  /// - Throws: `RequestError`, if lists cannot have exactly the same order
  public init(
    filter: Filter? = nil, sortedBy comparators: some Sequence<KeyPathComparator<R>>,
    sectionedBy sectioning: Sectioning? = nil, limit: Int? = nil, offset: Int = 0,
    batchSize: Int = 0
  ) throws(RequestError) {
    self.init(
      filter: filter, sortedBy: [], sectionedBy: sectioning, limit: limit, offset: offset,
      batchSize: batchSize)
    for comparator in comparators { sortKeys.append(try SortKey(comparator)) }
  }
}
