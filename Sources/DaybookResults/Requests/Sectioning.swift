import DaybookStore

/// The rule that groups the rows of a list into sections.
///
/// ```swift
/// .by(\Bank.state)
/// .by(\Bank.details, at: \.closeDate, each: .month)
/// ```
///
/// If the first sort key uses the same path, the sections have the order of that sort key.
/// Otherwise they are in ascending order, or in descending order if the sectioning is declared as
/// descending.
public struct Sectioning: Hashable, Sendable {
  /// The names of the attributes on the path; empty for sections by a closure.
  public var names: [String]
  package var kind: SectionKind
  package var isDescending: Bool
  /// The closure that returns the section of a record; nil if a value of the record defines it.
  package var closure: SectionClosure?
  /// The entity of the property that the path was created from. The creation of a plan for a
  /// different entity throws an error. Equality ignores this field.
  var position = FilterPosition()

  /// Creates sections by an attribute on a path. The names may contain dots.
  ///
  /// - Parameters:
  ///   - names: The references on the path, and the attribute at its end.
  ///   - kind: The part of the value that defines a section.
  ///   - isDescending: A Boolean value that indicates whether the greatest value comes first.
  public init(
    path names: [String], each kind: SectionKind = .value, isDescending: Bool = false
  ) {
    self.names = names
    self.kind = kind
    self.isDescending = isDescending
  }

  init<Value>(_ path: FilterPath<Value>, each kind: SectionKind, isDescending: Bool) {
    self.init(path: path.keyNames, each: kind, isDescending: isDescending)
    position.root = path.root
  }

  /// Returns sections by a closure, which returns the name of a record's section, or nil.
  ///
  /// ```swift
  /// .computed(id: "size", version: 1) { (bank: Bank) in bank.assets > 1000 ? "large" : "small" }
  /// ```
  ///
  /// A closure cannot be inspected, so an identifier and a version stand for it. Two closures for
  /// one record type are treated as equal if their identifiers and versions are equal. So use a new
  /// version when you change the closure.
  ///
  /// The closure receives the record alone, without the records that it refers to. For equal
  /// records it must always return equal names.
  ///
  /// - Parameters:
  ///   - id: The identifier of the closure.
  ///   - version: The version of the closure.
  ///   - descending: A Boolean value that indicates whether the greatest name comes first.
  ///   - makeSection: The closure.
  public static func computed<R: Record>(
    id: String, version: Int, descending: Bool = false,
    makeSection: @escaping @Sendable (R) -> String?
  ) -> Sectioning {
    var sectioning = Sectioning(path: [], isDescending: descending)
    sectioning.closure = SectionClosure(id, version: version, makeSection: makeSection)
    return sectioning
  }

  /// Returns sections by a property of the rows, or by a part of its value.
  public static func by<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, each kind: SectionKind = .value, descending: Bool = false
  ) -> Sectioning {
    Sectioning(Filter.at(keyPath), each: kind, isDescending: descending)
  }

  /// Returns sections by a property of the records that the rows refer to, or by a part of its
  /// value.
  public static func by<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    each kind: SectionKind = .value, descending: Bool = false
  ) -> Sectioning {
    Sectioning(Filter.at(reference, at: keyPath), each: kind, isDescending: descending)
  }

  /// Returns sections by an attribute on a path that is written with dots.
  public static func by(
    named path: String, each kind: SectionKind = .value, descending: Bool = false
  ) -> Sectioning {
    Sectioning(path: SortKey.names(path), each: kind, isDescending: descending)
  }
}

extension Sectioning {
  /// Returns sections by a property at the end of a path, or by a part of its value.
  ///
  /// ```swift
  /// .by(Filter.at(\Game.club).at(\.city).at(\.name))
  /// ```
  public static func by<Value>(
    _ path: FilterPath<Value>, each kind: SectionKind = .value, descending: Bool = false
  ) -> Sectioning {
    Sectioning(path, each: kind, isDescending: descending)
  }
}
