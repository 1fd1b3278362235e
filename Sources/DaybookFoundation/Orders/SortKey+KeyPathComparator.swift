import Daybook
import DaybookResults
import Foundation

extension SortKey {
  /// Creates the sort key of a comparator, if lists can have exactly the same order.
  ///
  /// ```swift
  /// let request = ListRequest<Bank>(
  ///   sortedBy: [try SortKey(KeyPathComparator(\Bank.assets, order: .reverse))])
  /// ```
  ///
  /// The property must be a string, a number, a date or a UUID, or an optional of these. The
  /// comparator must compare the values by their own order, and strings lexically. For any other
  /// comparator, the initializer throws an error.
  ///
  /// - Parameter comparator: The comparator.
  /// - Throws: `RequestError` if lists cannot have the order of the comparator
  public init<R: Record>(_ comparator: KeyPathComparator<R>) throws(RequestError) {
    let property = OrderedProperty(comparator.keyPath)
    let key = try property.sortKey(comparator.order)
    guard property.isPlain(comparator) else {
      throw RequestError(
        .sort(
          path: property.name,
          problem: property.isString
            ? OrderedProperty<R>.mayBeAnotherOfStrings : OrderedProperty<R>.mayBeAnother))
    }
    self = key
  }
}

extension OrderedProperty {
  /// Returns a Boolean value that indicates whether a comparator compares values as lists do.
  ///
  /// A comparator does not provide its comparison. So the method tests whether it is equal to a
  /// comparator with a known comparison.
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

  /// Returns the key path, if the type of its values is the given type.
  private func path<Value>(to type: Value.Type) -> (KeyPath<R, Value> & Sendable)? {
    guard let path = keyPath as? KeyPath<R, Value> else { return nil }
    // Comparators contain only `Sendable` key paths, but a cast cannot check this.
    return unsafeBitCast(path, to: (KeyPath<R, Value> & Sendable).self)
  }
}
