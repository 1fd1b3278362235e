import DaybookStore
import FoundationEssentials

/// What a controller asks about its list.
///
/// Whoever wants to be told of changes conforms to one of the three protocols that refine it, and is
/// told in that form: ``FetchedResultsChangeDelegate`` hears of each section and row,
/// ``FetchedResultsDifferenceDelegate`` gets one difference, ``FetchedResultsSnapshotDelegate`` what is
/// shown then. Their methods have to be there, as one with a slip in its name would not be called.
/// Whoever conforms to several gets the snapshot, or else the difference.
///
/// A controller without a delegate that is told of changes does not follow them: it shows what it
/// fetched.
///
/// Delegates are told in the isolation of the controller's context. A class of the main actor says so
/// where it conforms:
///
/// ```swift
/// extension BankModel: @MainActor FetchedResultsSnapshotDelegate { … }
/// ```
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The type of the records in the list.
  associatedtype Object: Record

  /// What stands in the index for a section; nil for nothing. Unless it is given here, it is what the
  /// controller finds itself.
  func controller(
    _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
  ) -> String?
}

extension FetchedResultsControllerDelegate {
  /// What the controller finds itself.
  public func controller(
    _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
  ) -> String? {
    controller.ownIndexTitle(forSectionName: name)
  }
}

/// A delegate that hears of each section and each row that changed.
///
/// While it is told, the controller already shows the list as it is afterwards. Paths before belong to
/// the list as it was, and paths after to the list as it is: a cell that is on the screen stands at the
/// first, and its record at the second.
public protocol FetchedResultsChangeDelegate<Object>: FetchedResultsControllerDelegate {
  /// The type of the records in the list.
  associatedtype Object

  /// The list has changed, and it is going to be told how.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// A section came or went; its place is the one after or before.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChange section: FetchedResultsSectionInfo<Object>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType)

  /// A row came, went, moved or was updated. An insert has no path before, a delete none after; what
  /// went is the record as it was.
  func controller(
    _ controller: FetchedResultsController<Object>, didChange object: Object,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// It has been told how.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)
}

/// A delegate that gets all that happened at a boundary as one difference.
public protocol FetchedResultsDifferenceDelegate<Object>: FetchedResultsControllerDelegate {
  /// The type of the records in the list.
  associatedtype Object

  /// The list has changed.
  ///
  /// - Parameter flat: What came, went and moved as a difference of two lists of identifiers, as short as
  ///   any; nil if the list has sections. Rows that only have other values are not in it.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith difference: ListDifference<Object>,
    flat: CollectionDifference<Object.ID>?)
}

/// A delegate that gets what is shown after a boundary, to find out itself what has moved.
public protocol FetchedResultsSnapshotDelegate<Object>: FetchedResultsControllerDelegate {
  /// The type of the records in the list.
  associatedtype Object

  /// The list has changed.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith snapshot: ListSnapshot<Object>)
}
