import DaybookStore

/// Paths to the records that refer to a record. The schema of these records must declare the
/// inverse of the reference with `inverse:`.
extension Filter {
  /// Returns a path to the records that refer to the record.
  ///
  /// ```swift
  /// Filter.objects(\Issue.project).count > 3
  /// Filter.objects(\Issue.project).any.at(\.title).contains("login")
  /// ```
  ///
  /// - Parameter reference: A reference to one record, with a declared inverse.
  public static func objects<R: Record, Target: Record>(
    _ reference: KeyPath<R, Reference<Target>?>
  ) -> FilterPath<[Reference<R>]> {
    FilterPath([R.schema.inverseName(of: reference)], of: Target.schema.entity)
  }

  /// Returns a path to the records with a reference to the record in an array.
  ///
  /// - Parameter references: References to any number of records, with a declared inverse.
  public static func objects<R: Record, Target: Record>(
    _ references: KeyPath<R, [Reference<Target>]>
  ) -> FilterPath<[Reference<R>]> {
    FilterPath([R.schema.inverseName(of: references)], of: Target.schema.entity)
  }

  /// Returns a path to the record that refers to the record by a unique reference.
  ///
  /// ```swift
  /// Filter.object(\Installation.app) == nil
  /// Filter.object(\Installation.app).at(\.version).begins(with: "2.")
  /// ```
  ///
  /// - Parameter reference: A reference with a declared inverse, which `unique(_:)` of the schema
  ///   names alone.
  public static func object<R: Record, Target: Record>(
    _ reference: KeyPath<R, Reference<Target>?>
  ) -> FilterPath<Reference<R>?> {
    FilterPath([R.schema.inverseName(of: reference)], of: Target.schema.entity)
  }
}

extension FilterPath {
  /// Returns a path to the records that refer to the record that this path leads to.
  ///
  /// ```swift
  /// Filter.at(\Issue.project).objects(\Issue.project).count > 3
  /// ```
  public func objects<R: Record, Target: Record>(
    _ reference: KeyPath<R, Reference<Target>?>
  ) -> FilterPath<[Reference<R>]> where Value == Reference<Target>? {
    following(R.schema.inverseName(of: reference))
  }

  /// Returns a path to the record that refers by a unique reference to the record that this path
  /// leads to.
  public func object<R: Record, Target: Record>(
    _ reference: KeyPath<R, Reference<Target>?>
  ) -> FilterPath<Reference<R>?> where Value == Reference<Target>? {
    following(R.schema.inverseName(of: reference))
  }

  /// Returns a path to the record that refers by a unique reference to each record that this path
  /// leads to.
  ///
  /// ```swift
  /// Filter.objects(\Issue.project).any.object(\Branch.issue).at(\.name) == "main"
  /// ```
  public func object<R: Record, Target: Record>(
    _ reference: KeyPath<R, Reference<Target>?>
  ) -> FilterPath<Reference<R>?> where Value == Reference<Target> {
    following(R.schema.inverseName(of: reference))
  }

  private func following<Next>(_ name: String) -> FilterPath<Next> {
    FilterPath<Next>(names + [name], quantifier: quantifier, of: root)
  }
}

extension RecordSchema {
  /// Returns the name of the declared inverse of a reference. Without one, the name is no name of
  /// an attribute, so that a request reports it.
  fileprivate func inverseName(of keyPath: PartialKeyPath<R>) -> String {
    let name = filterName(of: keyPath)
    let attribute = definition.attributes.first { $0.name == name }
    return attribute?.inverse ?? "inverse of \(entity).\(name)"
  }
}
