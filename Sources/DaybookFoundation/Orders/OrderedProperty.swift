import Daybook
import DaybookResults
import Foundation

/// A property of a record, of which it is not known yet whether it has an order that rows can be in.
package struct OrderedProperty<R: Record> {
  let keyPath: PartialKeyPath<R>

  package init(_ keyPath: PartialKeyPath<R>) { self.keyPath = keyPath }

  /// The name by which requests know it.
  var name: String { R.schema.filterName(of: keyPath) }

  /// Whether it is a text, or none.
  var isText: Bool { keyPath is KeyPath<R, String> || keyPath is KeyPath<R, String?> }

  /// The types whose own order is that of rows. An enumeration may be ordered by anything, so that it
  /// is not enough to be comparable.
  static var types: [any Comparable.Type] {
    [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
      UInt32.self, UInt64.self, Float.self, Double.self, Decimal.self, String.self, Date.self,
      UUID.self,
    ]
  }

  /// The order of its values.
  ///
  /// - Parameter isLexical: Whether texts are compared as they are.
  /// - Throws: ``RequestError``, if they are not, or if the type of the values is none of those
  package func sortKey(
    _ order: SortOrder, isLexical: Bool = true
  ) throws(RequestError) -> SortKey {
    guard isLexical else {
      throw RequestError(
        .sort(
          path: name,
          problem:
            "the comparator asks for a language, and rows are in one order for all; natural is "
            + "the nearest."))
    }
    for type in OrderedProperty.types {
      if let key = sortKey(type, order: order) { return key }
    }
    let type = type(of: keyPath).valueType
    throw RequestError(
      .sort(
        path: name,
        problem: "\(type) may have an order of its own, and rows are in that of what is stored."))
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

/// What is said of an order that rows cannot be in.
extension OrderedProperty {
  static var mayBeAnother: String {
    "rows are in the order of their values, and the comparator may have another."
  }

  static var mayBeAnotherOfTexts: String {
    "rows are in the order of their values, and the comparator may have another; sort keys have "
      + "plain, caseInsensitive, caseAndDiacriticInsensitive and natural."
  }
}
