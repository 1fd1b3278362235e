import DaybookResults
import DaybookStore

extension FetchedResultsController {
  /// Returns the index title of the section with a name; nil for no title.
  ///
  /// - Parameter name: The name of a section.
  /// - Returns: The title that the delegate returns; without a delegate, the title of
  ///   ``indexTitleOfSection`` or the first letter of the name as a capital.
  public func sectionIndexTitle(forSectionName name: String) -> String? {
    guard let delegate else { return ownIndexTitle(forSectionName: name) }
    return delegate.controller(self, sectionIndexTitleForSectionName: name)
  }

  /// Returns the index title without asking the delegate: the title of ``indexTitleOfSection``, or
  /// the first letter of the name as a capital.
  func ownIndexTitle(forSectionName name: String) -> String? {
    if let indexTitleOfSection { return indexTitleOfSection(name) }
    return FetchedSections<R>.firstLetter(ofName: name)
  }

  /// The index titles in the order of the sections, each once; empty before the first fetch.
  ///
  /// - Complexity: O(*sections* log *n*)
  public var sectionIndexTitles: [String] {
    var known: Set<String> = []
    return indexTitles.compactMap { $0 }.filter { known.insert($0).inserted }
  }

  private var indexTitles: [String?] { sections?.map(\.indexTitle) ?? [] }

  /// Returns the index of the first section with an index title.
  ///
  /// For an unknown title it returns the nearest section before the position at which the title
  /// would be sorted, or the first section. Without sections it returns 0.
  ///
  /// - Parameters:
  ///   - title: The index title.
  ///   - index: The position of the title in the index. It is not used, as each title occurs once.
  /// - Complexity: O(*sections* log *n*)
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
    let titles = indexTitles
    if let section = titles.firstIndex(of: title) { return section }
    let known = titles.compactMap { $0 }
    let isDescending = known.count > 1 && known[0] > known[known.count - 1]
    let before = titles.lastIndex { other in
      other.map { isDescending ? $0 > title : $0 < title } ?? false
    }
    return before ?? 0
  }
}

extension FetchedResultsController: CustomStringConvertible {
  /// The type and the counts, such as `FetchedResultsController<Bank>: 3 rows in 2 sections`.
  public var description: String {
    "FetchedResultsController<\(R.self)>: \(fetchedObjects?.snapshot.countsText ?? "not fetched")"
  }
}
