import DaybookStore

/// A section of a list, as of one moment.
public struct FetchedResultsSectionInfo<R: FetchableRecord>: Sendable {
  /// The name of the section.
  public let name: String
  /// The title of the section in the section index; nil if it has none.
  public let indexTitle: String?
  /// The records of the section, in order.
  public let objects: FetchedObjects<R>

  package init(name: String, indexTitle: String?, objects: FetchedObjects<R>) {
    self.name = name
    self.indexTitle = indexTitle
    self.objects = objects
  }

  /// The number of records in the section.
  public var numberOfObjects: Int { objects.count }
}

/// The sections of a list, in order, as of one moment.
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

  /// Returns the first letter of a section's name in uppercase; nil if the name is empty.
  package static func firstLetter(ofName name: String) -> String? {
    name.first.map { $0.uppercased() }
  }

  /// The position of the first section: 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { objects.snapshot.sectionCount }

  /// The section at a position.
  ///
  /// - Complexity: O(log *n*)
  public subscript(position: Int) -> FetchedResultsSectionInfo<R> {
    let name = objects.snapshot.name(ofSection: position)
    return FetchedResultsSectionInfo(
      name: name, indexTitle: indexTitle(name), objects: objects.section(position))
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
