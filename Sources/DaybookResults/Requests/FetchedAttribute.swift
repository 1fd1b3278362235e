import DaybookStore

/// A value to fetch from each record without reading the whole record: one of its attributes, or an
/// attribute of a record that it refers to.
///
/// ```swift
/// [.attribute(\.state), .attribute(\.details, at: \.closeDate), .attribute(named: "id")]
/// ```
///
/// If a name is not an attribute of the schema, the fetch of the values throws an error.
public struct FetchedAttribute<R: FetchableRecord>: Hashable, Sendable {
  /// The names of the attributes on the path: references, and at the end any attribute or `id`.
  package let names: [String]

  fileprivate init(_ names: [String]) { self.names = names }

  /// The names joined with dots, for example `details.closeDate`.
  public var name: String { names.joined(separator: ".") }

  /// Returns the attribute at the end of a path that is written with dots.
  public static func attribute(named path: String) -> FetchedAttribute {
    FetchedAttribute(SortKey.names(path))
  }

  /// Returns the attribute at the end of a path. The names may contain dots, because they are not
  /// split at dots.
  ///
  /// - Parameter names: The references on the path, and the attribute at its end.
  public static func attribute(path names: [String]) -> FetchedAttribute { FetchedAttribute(names) }
}

extension FetchedAttribute where R: Record {
  /// Returns the attribute of a property of the record.
  public static func attribute<Value>(_ keyPath: KeyPath<R, Value>) -> FetchedAttribute {
    FetchedAttribute(Filter.at(keyPath).names)
  }

  /// Returns the attribute of a property of the record that the record refers to.
  public static func attribute<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>
  ) -> FetchedAttribute {
    FetchedAttribute(Filter.at(reference, at: keyPath).names)
  }
}
