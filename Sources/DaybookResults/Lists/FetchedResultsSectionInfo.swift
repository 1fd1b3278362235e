import DaybookStore

/// A section of a list, as it was at one moment.
public struct FetchedResultsSectionInfo<R: FetchableRecord>: Sendable {
  /// What it is called.
  public let name: String
  /// What stands for it in an index beside the list; nil if nothing does.
  public let indexTitle: String?
  /// Its records, in order.
  public let objects: FetchedObjects<R>

  package init(name: String, indexTitle: String?, objects: FetchedObjects<R>) {
    self.name = name
    self.indexTitle = indexTitle
    self.objects = objects
  }

  /// How many records it has.
  public var numberOfObjects: Int { objects.count }
}

/// The sections of a list, in order, as they were at one moment.
public struct FetchedSections<R: FetchableRecord>: RandomAccessCollection {
  private let objects: FetchedObjects<R>
  private let indexTitle: (String) -> String?

  package init(
    _ objects: FetchedObjects<R>,
    indexTitle: @escaping (String) -> String? = FetchedSections.firstLetter(ofName:)
  ) {
    self.objects = objects
    self.indexTitle = indexTitle
  }

  /// The first letter of a section's name, as a capital; nil if it has none.
  package static func firstLetter(ofName name: String) -> String? {
    name.first.map { $0.uppercased() }
  }

  /// 0.
  public var startIndex: Int { 0 }

  /// How many sections there are.
  public var endIndex: Int { objects.snapshot.sectionCount }

  /// The section at a place.
  ///
  /// - Complexity: O(log *n*)
  public subscript(place: Int) -> FetchedResultsSectionInfo<R> {
    let name = objects.snapshot.name(ofSection: place)
    return FetchedResultsSectionInfo(
      name: name, indexTitle: indexTitle(name), objects: objects.section(place))
  }
}

extension FetchedResultsSectionInfo: CustomStringConvertible {
  /// The name and the number of rows, as in `section "CA": 2 rows`.
  public var description: String {
    "section \(name.quotedText): \(objects.count == 1 ? "1 row" : "\(objects.count) rows")"
  }
}

extension FetchedSections: CustomStringConvertible {
  /// The number of rows and sections, as in `3 rows in 2 sections`.
  public var description: String { objects.snapshot.countsText }
}
