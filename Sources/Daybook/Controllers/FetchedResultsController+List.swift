import DaybookEssentials
import DaybookResults
import DaybookStore

extension FetchedResultsController {
  /// Returns the index path of a record; nil if the list does not contain it.
  ///
  /// - Parameter object: The record, or an earlier value of it.
  /// - Complexity: O(log *n*)
  public func indexPath(forObject object: R) -> IndexPath? { indexPath(forID: object.id) }

  /// Returns the index path of the record with an identifier; nil if the list does not contain it.
  ///
  /// - Parameter id: The identifier.
  /// - Complexity: O(log *n*)
  public func indexPath(forID id: R.ID) -> IndexPath? {
    fetchedObjects?.snapshot.path(of: id.recordIdentifier).map { IndexPath($0) }
  }

  /// The sections, in order; nil before the first fetch.
  ///
  /// - Complexity: O(1); O(log *n*) for each access to a section
  public var sections: FetchedSections<R>? {
    fetchedObjects.map { shown in
      FetchedSections(shown) { [self] in sectionIndexTitle(forSectionName: $0) }
    }
  }

  /// The totals of the list, for the measures of the request; nil before the first fetch. Those of
  /// a section are in ``sections``.
  ///
  /// - Complexity: O(log *n*)
  public var totals: Totals<R>? { fetchedObjects?.totals }

  /// The totals of all records that match the request, also of those outside of its limit and
  /// offset; nil before the first fetch.
  public var allTotals: Totals<R>? { fetchedObjects?.allTotals }

  /// The list as section and record identifiers; nil before the first fetch.
  public var snapshot: ListSnapshot<R>? { fetchedObjects.map { ListSnapshot($0) } }
}
