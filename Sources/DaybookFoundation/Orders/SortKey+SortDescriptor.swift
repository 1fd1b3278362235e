import Daybook
import DaybookResults
import Foundation

extension SortKey {
  /// Creates the sort key of a sort descriptor, if lists can have exactly the same order.
  ///
  /// ```swift
  /// let request = FetchRequest<Bank>(
  ///   sortedBy: [try SortKey(SortDescriptor(\Bank.name)), .descending(\Bank.assets)])
  /// ```
  ///
  /// The property is a string, a number, a date or a UUID, or an optional of these. Strings are
  /// compared lexically, as by `TextComparator.plain`. These descriptors throw an error:
  ///
  /// - an order that depends on the language of the process, as other processes would sort
  ///   differently
  /// - the order of any other type, which can be defined by its program
  ///
  /// Lists order two values that arrays do not: NaN, and strings in different normal forms, which
  /// are sorted by their composed form.
  ///
  /// - Parameter descriptor: The sort descriptor.
  /// - Throws: `RequestError` with the reason that there is no such order
  public init<R: Record>(_ descriptor: SortDescriptor<R>) throws(RequestError) {
    guard let keyPath = descriptor.keyPath else {
      throw RequestError(.sort(path: "a descriptor", problem: "it does not name its property."))
    }
    // Without a comparator, values are compared by their own order.
    let comparator = descriptor.stringComparator ?? .lexical
    self = try OrderedProperty(keyPath)
      .sortKey(descriptor.order, isLexical: comparator.equals(.lexical))
  }
}

extension String.StandardComparator {
  /// Returns whether two comparators are the same apart from their direction.
  fileprivate func equals(_ other: String.StandardComparator) -> Bool {
    var (one, other) = (self, other)
    (one.order, other.order) = (.forward, .forward)
    return one == other
  }
}
