import Daybook
import DaybookResults
import Foundation

extension SortKey {
  /// Creates the sort key of a sort descriptor, if lists can have exactly the same order.
  ///
  /// ```swift
  /// let request = ListRequest<Bank>(
  ///   sortedBy: [try SortKey(SortDescriptor(\Bank.name)), .descending(\Bank.assets)])
  /// ```
  ///
  /// The property is a string, a number, a date or a UUID, or an optional of these. Strings are
  /// compared lexically, as by `TextComparator.plain`. The initializer throws an error for
  /// descriptors with one of these orders:
  ///
  /// - an order that depends on the language of the process, because other processes would sort the
  ///   same list differently
  /// - the order of a property of any other type, because a program can define any order for its
  ///   type
  ///
  /// For two kinds of values, the order of a sorted array is not defined, but the order of a list
  /// is. Lists sort NaN as the greatest number, and they compare strings in composed normal form
  /// (NFC).
  ///
  /// - Parameter descriptor: The sort descriptor.
  /// - Throws: `RequestError` if lists cannot have the order of the descriptor
  public init<R: Record>(_ descriptor: SortDescriptor<R>) throws(RequestError) {
    guard let keyPath = descriptor.keyPath else {
      throw RequestError(.sort(path: "a descriptor", problem: "it does not name its property."))
    }
    // Without a string comparator, values are compared by their own order.
    let comparator = descriptor.stringComparator ?? .lexical
    self = try OrderedProperty(keyPath)
      .sortKey(descriptor.order, isLexical: comparator.equals(.lexical))
  }
}

extension String.StandardComparator {
  /// Returns a Boolean value that indicates whether two comparators are equal, ignoring their
  /// direction.
  fileprivate func equals(_ other: String.StandardComparator) -> Bool {
    var (one, other) = (self, other)
    (one.order, other.order) = (.forward, .forward)
    return one == other
  }
}
