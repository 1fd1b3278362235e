import DaybookStore

/// A key that sorts rows by one of their values, or by a value of a record that the rows refer to.
///
/// ```swift
/// [
///   .descending(\Bank.details, at: \.closeDate),
///   .ascending(\Bank.name, comparator: .caseInsensitive),
/// ]
/// ```
///
/// A missing value is smaller than every other value. Rows that are equal in all keys are in the
/// order of their creation.
public struct SortKey: Hashable, Sendable {
  /// The names of the attributes on the path: references, and at the end any attribute or `id`.
  /// After several values, as those of an inverse, the last name is `@count`.
  public var names: [String]
  /// The comparator for strings.
  public var comparator: TextComparator
  /// The search that ranks the rows, for a key that `bestMatch` returns; nil for a key that
  /// compares values. A key with words ignores the comparator.
  public var words: String?
  /// A Boolean value that indicates whether the greatest value comes first.
  public var isDescending: Bool
  /// The entity of the property that the path was created from. The creation of a plan for a
  /// different entity throws an error. Equality ignores this field.
  var position = FilterPosition()

  init<Value>(
    _ path: FilterPath<Value>, comparator: TextComparator, isDescending: Bool = false
  ) {
    self.init(path: path.keyNames, comparator: comparator, isDescending: isDescending)
    position.root = path.root
  }

  /// Creates a key from the names of the attributes on a path. The names may contain dots.
  ///
  /// - Parameters:
  ///   - names: The references on the path, and the attribute at its end.
  ///   - comparator: The comparator for strings.
  ///   - isDescending: A Boolean value that indicates whether the greatest value comes first.
  public init(
    path names: [String], comparator: TextComparator = .plain, isDescending: Bool = false
  ) {
    self.names = names
    self.comparator = comparator
    self.isDescending = isDescending
  }

  /// Returns a key that sorts rows by a property, the smallest value first.
  public static func ascending<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(keyPath), comparator: comparator)
  }

  /// Returns a key that sorts rows by a property, the greatest value first.
  public static func descending<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(keyPath), comparator: comparator, isDescending: true)
  }

  /// Returns a key that sorts rows by a property of the records that they refer to, the smallest
  /// value first.
  public static func ascending<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(reference, at: keyPath), comparator: comparator)
  }

  /// Returns a key that sorts rows by a property of the records that they refer to, the greatest
  /// value first.
  public static func descending<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(Filter.at(reference, at: keyPath), comparator: comparator, isDescending: true)
  }

  /// Returns a key for a path that is written with dots, the smallest value first.
  public static func ascending(
    named path: String, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(path: SortKey.names(path), comparator: comparator)
  }

  /// Returns a key for a path that is written with dots, the greatest value first.
  public static func descending(
    named path: String, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(path: SortKey.names(path), comparator: comparator, isDescending: true)
  }

  /// Returns a key that ranks rows by a search for words in a property, the best match first.
  ///
  /// ```swift
  /// ListRequest<Book>(
  ///   filter: .matches(\Book.title, words: "fus ball"),
  ///   sortedBy: [.bestMatch(\Book.title, words: "fus ball")], limit: 20)
  /// ```
  ///
  /// The rank of a row depends only on the row itself, so the list can be live. The best word of a
  /// string for a word of the search is the first word that equals it, or else the first word that
  /// starts with it. A row precedes another row
  ///
  /// 1. if more of its best words equal the words of the search,
  /// 2. then if its best words are nearer to the start of the string: the sum of their positions is
  ///    smaller,
  /// 3. then if its string is shorter, in scalars after folding.
  ///
  /// Rows that do not match, and rows without a string, are last. A search without words ranks all
  /// rows equally.
  ///
  /// - Parameters:
  ///   - keyPath: The property, a string.
  ///   - words: The search, by the rules of `Filter.matches`.
  public static func bestMatch<R: Record, Value>(
    _ keyPath: KeyPath<R, Value>, words: String
  ) -> SortKey {
    bestMatch(Filter.at(keyPath), words: words)
  }

  /// Returns a key that ranks rows by a search for words in a property of the records that they
  /// refer to, the best match first.
  public static func bestMatch<R: Record, Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>, words: String
  ) -> SortKey {
    bestMatch(Filter.at(reference, at: keyPath), words: words)
  }

  /// Returns a key that ranks rows by a search for words, for a path that is written with dots.
  public static func bestMatch(named path: String, words: String) -> SortKey {
    var key = SortKey(path: SortKey.names(path))
    key.words = words
    return key
  }

  static func names(_ path: String) -> [String] {
    path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }
}

extension SortKey {
  /// Returns a key that sorts rows by a property at the end of a path, the smallest value first.
  ///
  /// ```swift
  /// .ascending(Filter.at(\Game.club).at(\.city).at(\.name))
  /// ```
  public static func ascending<Value>(
    _ path: FilterPath<Value>, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(path, comparator: comparator)
  }

  /// Returns a key that sorts rows by a property at the end of a path, the greatest value first.
  public static func descending<Value>(
    _ path: FilterPath<Value>, comparator: TextComparator = .plain
  ) -> SortKey {
    SortKey(path, comparator: comparator, isDescending: true)
  }

  /// Returns a key that ranks rows by a search for words in a property at the end of a path, the
  /// best match first.
  public static func bestMatch<Value>(_ path: FilterPath<Value>, words: String) -> SortKey {
    var key = SortKey(path, comparator: .plain)
    key.words = words
    return key
  }
}
