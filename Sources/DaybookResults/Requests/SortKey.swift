import DaybookStore

/// By what rows are in order: a value of theirs, or of a record that they refer to.
///
/// ```swift
/// [.descending(\Bank.details, at: \.closeDate), .ascending(\Bank.name, comparator: .caseInsensitive)]
/// ```
///
/// No value is the smallest. Rows that all keys find equal are in the order in which they were made.
public struct SortKey: Hashable, Sendable {
  /// The names of attributes that lead to the value: references, and at the end any attribute, or
  /// `id`.
  public var names: [String]
  /// The order of texts.
  public var comparator: TextComparator
  /// A Boolean value that indicates whether the greatest value comes first.
  public var isDescending: Bool
  /// Of whose property it was made. It does not make keys different.
  var place = FilterPlace()

  private init<Value>(
    _ path: FilterPath<Value>, comparator: TextComparator, isDescending: Bool = false
  ) {
    self.init(path: path.names, comparator: comparator, isDescending: isDescending)
    place.root = path.root
  }

  /// Creates a key from the names of attributes on a path. Unlike the text of a path, the names may have dots.
  ///
  /// - Parameters:
  ///   - names: The references that lead to another record, and the attribute.
  ///   - comparator: The order of texts.
  ///   - isDescending: A Boolean value that indicates whether the greatest value comes first.
  public init(
    path names: [String], comparator: TextComparator = .plain, isDescending: Bool = false
  ) {
    self.names = names
    self.comparator = comparator
    self.isDescending = isDescending
  }

  /// The smallest values first.
  public static func ascending<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(keyPath), comparator: comparator)
  }

  /// The greatest values first.
  public static func descending<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(keyPath), comparator: comparator, isDescending: true)
  }

  /// The smallest values first, of the records that the rows refer to.
  public static func ascending<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(reference, at: keyPath), comparator: comparator)
  }

  /// The greatest values first, of the records that the rows refer to.
  public static func descending<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(reference, at: keyPath), comparator: comparator, isDescending: true)
  }

  /// The smallest values first, by the names of attributes with dots between them.
  public static func ascending(
    named path: String, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(path: SortKey.names(path), comparator: comparator)
  }

  /// The greatest values first, by the names of attributes with dots between them.
  public static func descending(
    named path: String, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(path: SortKey.names(path), comparator: comparator, isDescending: true)
  }

  static func names(_ path: String) -> [String] {
    path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }
}
