import DaybookStore

/// By what rows are put into sections.
///
/// ```swift
/// .by(\Bank.state)
/// .by(\Bank.details, at: \.closeDate, each: .month)
/// ```
///
/// If the first sort key is that of the same value, sections are in its order; otherwise they ascend,
/// unless it is said that they descend.
public struct Sectioning: Hashable, Sendable {
  /// The names of the attributes on the path; empty for sections by a closure.
  public var names: [String]
  package var kind: SectionKind
  package var isDescending: Bool
  /// What makes a section of a record, if that is no value of it.
  package var closure: SectionClosure?
  /// Of whose property it was made. It does not make sections different.
  var place = FilterPlace()

  /// Creates sections by an attribute on a path. Unlike the text of a path, the names may have dots.
  ///
  /// - Parameters:
  ///   - names: The references that lead to another record, and the attribute.
  ///   - kind: The part of the value that a section has.
  ///   - isDescending: A Boolean value that indicates whether the greatest value comes first.
  public init(
    path names: [String], each kind: SectionKind = .value, isDescending: Bool = false
  ) {
    self.names = names
    self.kind = kind
    self.isDescending = isDescending
  }

  private init<Value>(_ path: FilterPath<Value>, each kind: SectionKind, isDescending: Bool) {
    self.init(path: path.names, each: kind, isDescending: isDescending)
    place.root = path.root
  }

  /// By what a closure makes of a record: the name of its section, or nil.
  ///
  /// ```swift
  /// .named("size", version: 1) { (bank: Bank) in bank.assets > 1_000_000 ? "large" : "small" }
  /// ```
  ///
  /// A closure cannot be looked into, so its name and version stand for it: two of the same are taken
  /// for one. It sees the record alone, and answers the same for the same record.
  public static func named<R: Record>(
    _ name: String, version: Int, descending: Bool = false,
    makeSection: @escaping @Sendable (R) -> String?
  ) -> Sectioning {
    var sectioning = Sectioning(path: [], isDescending: descending)
    sectioning.closure = SectionClosure(name, version: version, makeSection: makeSection)
    return sectioning
  }

  /// By a value of the rows, or what is made of it.
  public static func by<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, each kind: SectionKind = .value, descending: Bool = false
  ) -> Sectioning {
    Sectioning(Filter.at(keyPath), each: kind, isDescending: descending)
  }

  /// By a value of the records that the rows refer to, or what is made of it.
  public static func by<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    each kind: SectionKind = .value, descending: Bool = false
  ) -> Sectioning {
    Sectioning(Filter.at(reference, at: keyPath), each: kind, isDescending: descending)
  }

  /// By the names of attributes with dots between them.
  public static func by(
    named path: String, each kind: SectionKind = .value, descending: Bool = false
  ) -> Sectioning {
    Sectioning(path: SortKey.names(path), each: kind, isDescending: descending)
  }
}
