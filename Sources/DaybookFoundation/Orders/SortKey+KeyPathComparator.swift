import Daybook
import DaybookResults
import Foundation

extension SortKey {
  /// Creates the sort key of a comparator, if lists can have exactly the same order.
  ///
  /// ```swift
  /// let request = FetchRequest<Bank>(
  ///   sortedBy: [try SortKey(KeyPathComparator(\Bank.assets, order: .reverse))])
  /// ```
  ///
  /// The property is a string, a number, a date or a UUID, or an optional of these, and is compared
  /// by its own order;
  /// strings are compared lexically. A comparator with another comparison throws an error.
  ///
  /// - Parameter comparator: The comparator.
  /// - Throws: `RequestError` with the reason that there is no such order
  public init<R: Record>(_ comparator: KeyPathComparator<R>) throws(RequestError) {
    let property = OrderedProperty(comparator.keyPath)
    let key = try property.sortKey(comparator.order)
    guard property.isPlain(comparator) else {
      throw RequestError(
        .sort(
          path: property.name,
          problem: property.isText
            ? OrderedProperty<R>.mayBeAnotherOfTexts : OrderedProperty<R>.mayBeAnother))
    }
    self = key
  }
}

extension OrderedProperty {
  /// Returns whether a comparator compares values as lists do.
  ///
  /// The comparison of a comparator cannot be read. So it is compared with comparators that are
  /// known.
  fileprivate func isPlain(_ comparator: KeyPathComparator<R>) -> Bool {
    let order = comparator.order
    let lexical = String.StandardComparator.lexical
    let comparable = ComparableComparator<String>()
    if let path = path(to: String.self) {
      return comparator == KeyPathComparator(path, comparator: lexical, order: order)
        || comparator == KeyPathComparator(path, comparator: comparable, order: order)
    }
    if let path = path(to: String?.self) {
      return comparator == KeyPathComparator(path, comparator: lexical, order: order)
        || comparator == KeyPathComparator(path, comparator: comparable, order: order)
    }
    return OrderedProperty.types.contains { isPlain(comparator, of: $0) }
  }

  private func isPlain<Value: Comparable>(
    _ comparator: KeyPathComparator<R>, of type: Value.Type
  ) -> Bool {
    if let path = path(to: Value.self) {
      return comparator == KeyPathComparator(path, order: comparator.order)
    }
    if let path = path(to: Value?.self) {
      return comparator == KeyPathComparator(path, order: comparator.order)
    }
    return false
  }

  /// Returns the key path, if it leads to values of a type.
  private func path<Value>(to type: Value.Type) -> (KeyPath<R, Value> & Sendable)? {
    guard let path = keyPath as? KeyPath<R, Value> else { return nil }
    // Comparators contain Sendable key paths only, but a cast cannot check that.
    return unsafeBitCast(path, to: (KeyPath<R, Value> & Sendable).self)
  }
}
