import Daybook
import Foundation

// Any sequences are taken, so that an empty literal is still one of sort keys.
extension FetchRequest where R: Record {
  /// A request for records of a type, in the order of descriptors.
  ///
  /// ```swift
  /// let request = try FetchRequest<Bank>(
  ///   filter: \Bank.state == "CA", sortedBy: [SortDescriptor(\Bank.name)])
  /// ```
  ///
  /// - Throws: ``RequestError``, if rows cannot be in exactly that order
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

  /// A request for records of a type, in the order of comparators.
  ///
  /// ```swift
  /// let request = try FetchRequest<Bank>(sortedBy: [KeyPathComparator(\Bank.assets, order: .reverse)])
  /// ```
  ///
  /// - Throws: ``RequestError``, if rows cannot be in exactly that order
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
