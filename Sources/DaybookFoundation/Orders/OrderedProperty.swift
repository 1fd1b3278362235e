import Daybook
import DaybookResults
import Foundation

/// A property of a record that a sort descriptor or a comparator compares. This type creates a sort
/// key with the same order, if lists can have this order.
package struct OrderedProperty<R: Record> {
  let keyPath: PartialKeyPath<R>

  package init(_ keyPath: PartialKeyPath<R>) { self.keyPath = keyPath }

  /// The name of the property in requests.
  var name: String { R.schema.filterName(of: keyPath) }

  /// A Boolean value that indicates whether the property is a string or an optional string.
  var isString: Bool { keyPath is KeyPath<R, String> || keyPath is KeyPath<R, String?> }

  /// The types of values that lists sort as `sort()` sorts an array. A comparable enumeration is
  /// not one of these types, because its program can define any order.
  static var types: [any Comparable.Type] {
    [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
      UInt32.self, UInt64.self, Float.self, Double.self, Decimal.self, String.self, Date.self,
      UUID.self,
    ]
  }

  /// Returns the sort key of the property.
  ///
  /// - Parameters:
  ///   - order: The direction.
  ///   - isLexical: A Boolean value that indicates whether strings are compared lexically.
  /// - Throws: ``RequestError``, if strings are not compared lexically, or if the type of the
  ///   property is not one of ``types``
  package func sortKey(
    _ order: SortOrder, isLexical: Bool = true
  ) throws(RequestError) -> SortKey {
    guard isLexical else {
      throw RequestError(
        .sort(
          path: name,
          problem:
            "the comparator depends on a language, but lists have one order for all languages. "
            + "Use natural instead."))
    }
    for type in OrderedProperty.types {
      if let key = sortKey(type, order: order) { return key }
    }
    let type = type(of: keyPath).valueType
    throw RequestError(
      .sort(
        path: name,
        problem: "\(type) can define its own order, but lists are sorted by stored values."))
  }

  private func sortKey<Value: Comparable>(_ type: Value.Type, order: SortOrder) -> SortKey? {
    if let path = keyPath as? KeyPath<R, Value> {
      return order == .forward ? .ascending(path) : .descending(path)
    }
    if let path = keyPath as? KeyPath<R, Value?> {
      return order == .forward ? .ascending(path) : .descending(path)
    }
    return nil
  }
}

/// The sentences of errors about comparators with an order that lists cannot have.
extension OrderedProperty {
  static var mayBeAnother: String {
    "lists are sorted by the values, but the comparator may compare them differently."
  }

  static var mayBeAnotherOfStrings: String {
    "lists are sorted by the values, but the comparator may compare them differently. Use one of "
      + "plain, caseInsensitive, caseAndDiacriticInsensitive and natural."
  }
}
