import DaybookResults
import DaybookStore

extension FetchedResultsController {
  /// What stands in the index for a section of a name: what the delegate says, or else what is found
  /// here; nil for nothing.
  public func sectionIndexTitle(forSectionName name: String) -> String? {
    guard let delegate else { return ownIndexTitle(forSectionName: name) }
    return delegate.controller(self, sectionIndexTitleForSectionName: name)
  }

  /// What stands in the index if the delegate has nothing to say about it: what
  /// ``indexTitleOfSection`` answers, or else the first letter of the name, as a capital.
  func ownIndexTitle(forSectionName name: String) -> String? {
    if let indexTitleOfSection { return indexTitleOfSection(name) }
    return FetchedSections<R>.firstLetter(ofName: name)
  }

  /// What stands in the index, in the order of the sections and each once; nothing before the first
  /// fetch.
  ///
  /// - Complexity: O(*sections* log *n*)
  public var sectionIndexTitles: [String] {
    var known: Set<String> = []
    return indexTitles.compactMap { $0 }.filter { known.insert($0).inserted }
  }

  private var indexTitles: [String?] { sections?.map(\.indexTitle) ?? [] }

  /// The first section that a title in the index stands for. One that is not there falls to the
  /// nearest section before the place where it would stand, or else to the first; 0 if there are no
  /// sections.
  ///
  /// - Parameter index: The title's place in the index. It is not needed, as a title stands there once.
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
  /// The type and the counts, as in `FetchedResultsController<Bank>: 3 rows in 2 sections`.
  public var description: String {
    "FetchedResultsController<\(R.self)>: \(fetchedObjects?.snapshot.countsText ?? "not fetched")"
  }
}
