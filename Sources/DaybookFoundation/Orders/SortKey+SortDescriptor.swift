import Daybook
import DaybookResults
import Foundation

extension SortKey {
  /// The order of a descriptor, where rows can be in exactly that.
  ///
  /// ```swift
  /// let request = FetchRequest<Bank>(
  ///   sortedBy: [try SortKey(SortDescriptor(\Bank.name)), .descending(\Bank.assets)])
  /// ```
  ///
  /// Its property is a text, a number, a date or a UUID, or an optional one of these. Texts are
  /// compared lexically, which is ``TextComparator/plain``: an order that asks for the language of a
  /// process is another elsewhere, and is refused. So is the order of any other type, which may be one
  /// of its own.
  ///
  /// What is not a number has no order there, and one here; and texts in different normal forms are
  /// in that of their composed form, where arrays are in none.
  ///
  /// - Throws: ``RequestError`` that says why there is no such order
  public init<R: Record>(_ descriptor: SortDescriptor<R>) throws(RequestError) {
    guard let keyPath = descriptor.keyPath else {
      throw RequestError(.sort(path: "a descriptor", problem: "it does not tell its property."))
    }
    // Without a comparator, values are compared as they compare themselves.
    let comparator = descriptor.stringComparator ?? .lexical
    self = try OrderedProperty(keyPath)
      .sortKey(descriptor.order, isLexical: comparator.equals(.lexical))
  }
}

extension String.StandardComparator {
  /// Whether two are the same but for their direction.
  fileprivate func equals(_ other: String.StandardComparator) -> Bool {
    var (one, other) = (self, other)
    (one.order, other.order) = (.forward, .forward)
    return one == other
  }
}
