import DaybookPlatform
import DaybookResults
import DaybookStore
import Synchronization

extension FetchedResultsController {
  /// Returns the index title of the section with a name; nil for no title.
  ///
  /// - Parameter name: The name of a section.
  /// - Returns: The title that the delegate returns. Without a delegate, the result of
  ///   ``indexTitleOfSection``. Without that closure, the first letter of the name as a capital.
  public func sectionIndexTitle(forSectionName name: String) -> String? {
    guard let delegate else { return ownIndexTitle(forSectionName: name) }
    return delegate.controller(self, sectionIndexTitleForSectionName: name)
  }

  /// Returns the index title of a section without a call of the delegate. The title is the result
  /// of ``indexTitleOfSection``, or, without that closure, the first letter of the name as a
  /// capital.
  func ownIndexTitle(forSectionName name: String) -> String? {
    if let indexTitleOfSection { return indexTitleOfSection(name) }
    return FetchedSections<R>.firstLetter(ofName: name)
  }

  /// The index titles in the order of the sections, each once; empty before the first fetch.
  /// ``indexOfTitles`` can replace them.
  ///
  /// - Complexity: O(*sections* log *n*)
  public var sectionIndexTitles: [String] {
    var known: Set<String> = []
    let titles = indexTitles.compactMap { $0 }.filter { known.insert($0).inserted }
    return indexOfTitles?(titles) ?? titles
  }

  private var indexTitles: [String?] { sections?.map(\.indexTitle) ?? [] }

  /// Returns the index of the first section with an index title.
  ///
  /// If no section has the title, the method returns the last section with a title that sorts
  /// before it. With the titles A, C and F, the method returns the section of C for the title D. If
  /// no title sorts before it, or if the list has no sections, the method returns 0.
  ///
  /// - Parameters:
  ///   - title: The index title.
  ///   - index: The position of the title in the index. The method does not use it, because each
  ///     title occurs once in the index.
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
  /// The type and the counts, such as `FetchedResultsController<Bank>: 3 rows in 2 sections`. If
  /// boundaries do not change the list, `, not tracked` follows.
  public var description: String {
    let name = "FetchedResultsController<\(R.self)>"
    guard let shown = fetchedObjects?.snapshot else { return "\(name): not fetched" }
    return "\(name): \(shown.countsText)\(isTracking ? "" : ", not tracked")"
  }
}

#if DEBUG
  /// The report of a list that a boundary could have changed, if its controller tracked changes.
  enum UntrackedLists {
    private static let state = Atomic(false)

    static var isReported: Bool { state.load(ordering: .relaxed) }

    /// Prints a sentence, once in a process.
    static func report(_ type: String, context: String) {
      if state.exchange(true, ordering: .relaxed) { return }
      Misuse.report(
        """
        a controller of \(type) has no delegate, so its list stays as it was fetched, although its context, \
        \(context), has changes. Set a delegate, or set tracksChanges to true. This is reported once.
        """)
    }
  }
#endif
