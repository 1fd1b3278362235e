import DaybookStore

/// A value that is fetched of each record, without the record: one of its attributes, or one of a
/// record that it refers to.
///
/// ```swift
/// [.attribute(\.state), .attribute(\.details, at: \.closeDate), .attribute(named: "id")]
/// ```
///
/// What is no attribute of its record's schema is found out when the values are fetched.
public struct FetchedAttribute<R: FetchableRecord>: Hashable, Sendable {
  /// The names of attributes that lead to the value: references, and at the end any attribute, or
  /// `id`.
  package let names: [String]

  fileprivate init(_ names: [String]) { self.names = names }

  /// The names with dots between them, as `details.closeDate`.
  public var name: String { names.joined(separator: ".") }

  /// What the names of attributes lead to, with dots between them.
  public static func attribute(named path: String) -> FetchedAttribute {
    FetchedAttribute(SortKey.names(path))
  }

  /// Returns the attribute on a path. Unlike the text of a path, the names may have dots.
  ///
  /// - Parameter names: The references that lead to another record, and the attribute.
  public static func attribute(path names: [String]) -> FetchedAttribute { FetchedAttribute(names) }
}

extension FetchedAttribute where R: Record {
  /// A property of the record.
  public static func attribute<Value>(_ keyPath: KeyPath<R, Value>) -> FetchedAttribute {
    FetchedAttribute(Filter.at(keyPath).names)
  }

  /// A property of the record that the record refers to.
  public static func attribute<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> FetchedAttribute {
    FetchedAttribute(Filter.at(reference, at: keyPath).names)
  }
}
