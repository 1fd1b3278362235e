import Daybook
import DaybookResults
import Foundation

extension SortKey {
  /// The order of a comparator, where rows can be in exactly that.
  ///
  /// ```swift
  /// let request = FetchRequest<Bank>(
  ///   sortedBy: [try SortKey(KeyPathComparator(\Bank.assets, order: .reverse))])
  /// ```
  ///
  /// Its property is a text, a number, a date or a UUID, or an optional one of these, and it compares
  /// them as they compare themselves; texts lexically. What has a comparator of its own is refused.
  ///
  /// - Throws: ``RequestError`` that says why there is no such order
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
  /// Whether a comparator compares the values as rows are compared.
  ///
  /// What it compares with cannot be asked, but whether it is equal to one of which that is known.
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

  /// The key path, if it leads to such values.
  private func path<Value>(to type: Value.Type) -> (KeyPath<R, Value> & Sendable)? {
    guard let path = keyPath as? KeyPath<R, Value> else { return nil }
    // Comparators are made of nothing else than key paths that can be sent, which no cast can ask.
    return unsafeBitCast(path, to: (KeyPath<R, Value> & Sendable).self)
  }
}
