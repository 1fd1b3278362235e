import DaybookStore

/// A sort key for the records of one type. A program writes the properties of the key without the
/// type.
///
/// ```swift
/// try store.fetch(Bank.self, sortedBy: [.descending(\.assets), .ascending(\.name)])
/// ```
///
/// ``SortKey`` is the same key without the type.
public struct RecordSortKey<R: Record>: Hashable, Sendable {
  /// The key without the type.
  public var key: SortKey

  /// Creates a key from one without the type.
  public init(_ key: SortKey) { self.key = key }

  /// Returns a key that sorts rows by a property, the smallest value first.
  public static func ascending<Value>(
    _ keyPath: KeyPath<R, Value>, comparator: TextComparator = .plain
  ) -> RecordSortKey {
    RecordSortKey(.ascending(keyPath, comparator: comparator))
  }

  /// Returns a key that sorts rows by a property, the greatest value first.
  public static func descending<Value>(
    _ keyPath: KeyPath<R, Value>, comparator: TextComparator = .plain
  ) -> RecordSortKey {
    RecordSortKey(.descending(keyPath, comparator: comparator))
  }

  /// Returns a key that sorts rows by a property of the records that they refer to, the smallest
  /// value first.
  public static func ascending<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    comparator: TextComparator = .plain
  ) -> RecordSortKey {
    RecordSortKey(.ascending(reference, at: keyPath, comparator: comparator))
  }

  /// Returns a key that sorts rows by a property of the records that they refer to, the greatest
  /// value first.
  public static func descending<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    comparator: TextComparator = .plain
  ) -> RecordSortKey {
    RecordSortKey(.descending(reference, at: keyPath, comparator: comparator))
  }

  /// Returns a key that sorts rows by a property at the end of a path, the smallest value first.
  public static func ascending<Value>(
    _ path: FilterPath<Value>, comparator: TextComparator = .plain
  ) -> RecordSortKey {
    RecordSortKey(.ascending(path, comparator: comparator))
  }

  /// Returns a key that sorts rows by a property at the end of a path, the greatest value first.
  public static func descending<Value>(
    _ path: FilterPath<Value>, comparator: TextComparator = .plain
  ) -> RecordSortKey {
    RecordSortKey(.descending(path, comparator: comparator))
  }

  /// Returns a key that ranks rows by a search for words in a property, the best match first, as
  /// ``SortKey`` describes.
  public static func bestMatch<Value>(
    _ keyPath: KeyPath<R, Value>, words: String
  ) -> RecordSortKey {
    RecordSortKey(.bestMatch(keyPath, words: words))
  }

  /// Returns a key that ranks rows by a search for words in a property of the records that they
  /// refer to, the best match first.
  public static func bestMatch<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>, words: String
  ) -> RecordSortKey {
    RecordSortKey(.bestMatch(reference, at: keyPath, words: words))
  }

  /// Returns a key that ranks rows by a search for words in a property at the end of a path, the
  /// best match first.
  public static func bestMatch<Value>(
    _ path: FilterPath<Value>, words: String
  ) -> RecordSortKey {
    RecordSortKey(.bestMatch(path, words: words))
  }
}

/// Sections for the records of one type. A program writes the property of the sections without the
/// type.
///
/// ```swift
/// ListRequest<Bank>(sortedBy: [.ascending(\.name)], sectionedBy: .by(\.state))
/// ```
///
/// ``Sectioning`` is the same rule without the type.
public struct RecordSectioning<R: Record>: Hashable, Sendable {
  /// The rule without the type.
  public var sectioning: Sectioning

  /// Creates a rule from one without the type.
  public init(_ sectioning: Sectioning) { self.sectioning = sectioning }

  /// Returns sections by a property of the rows, or by a part of its value.
  public static func by<Value>(
    _ keyPath: KeyPath<R, Value>, each kind: SectionKind = .value, descending: Bool = false
  ) -> RecordSectioning {
    RecordSectioning(.by(keyPath, each: kind, descending: descending))
  }

  /// Returns sections by a property of the records that the rows refer to, or by a part of its
  /// value.
  public static func by<Target: Record, Value>(
    _ reference: KeyPath<R, Reference<Target>?>, at keyPath: KeyPath<Target, Value>,
    each kind: SectionKind = .value, descending: Bool = false
  ) -> RecordSectioning {
    RecordSectioning(.by(reference, at: keyPath, each: kind, descending: descending))
  }

  /// Returns sections by a property at the end of a path, or by a part of its value.
  public static func by<Value>(
    _ path: FilterPath<Value>, each kind: SectionKind = .value, descending: Bool = false
  ) -> RecordSectioning {
    RecordSectioning(.by(path, each: kind, descending: descending))
  }
}

// A key such as `.ascending(\Bank.name)` fits the initializer with `SortKey` and the one below. The
// attribute makes the compiler choose the initializer with `SortKey`.

extension ListRequest where R: Record {
  /// Creates a request for records of a type, with properties that are written without the type.
  ///
  /// ```swift
  /// ListRequest<Bank>(
  ///   filter: \Bank.assets > 0, sortedBy: [.ascending(\.name)], sectionedBy: .by(\.state))
  /// ```
  ///
  /// - Parameters:
  ///   - filter: The filter that records must match; nil for all records.
  ///   - sortKeys: The sort keys, the most significant first; at least one.
  ///   - sectioning: The sections; nil for a list without sections.
  ///   - limit: The largest number of rows to show; nil for all.
  ///   - offset: The number of rows to skip before the first row that is shown.
  ///   - batchSize: The number of records to read together; 0 reads each record alone.
  ///   - totals: The totals that the list carries.
  @_disfavoredOverload
  public init(
    filter: Filter? = nil, sortedBy sortKeys: [RecordSortKey<R>],
    sectionedBy sectioning: RecordSectioning<R>? = nil, limit: Int? = nil, offset: Int = 0,
    batchSize: Int = 0, totals: [Measure<R>] = []
  ) {
    self.init(
      filter: filter, sortedBy: sortKeys.map(\.key), sectionedBy: sectioning?.sectioning,
      limit: limit, offset: offset, batchSize: batchSize, totals: totals)
  }
}
