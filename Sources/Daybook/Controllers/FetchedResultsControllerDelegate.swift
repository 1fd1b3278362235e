import DaybookEssentials
import DaybookResults
import DaybookStore

/// A delegate that a controller notifies of each section and each row that changed.
///
/// A boundary that changes the list sends one ``controllerWillChangeContent(_:)``, then one call
/// for each section and row, and one ``controllerDidChangeContent(_:)``. Only the last of them is
/// required. An empty one is enough: a controller with a delegate follows its context, and one
/// without a delegate shows what it fetched.
///
/// ```swift
/// extension BankModel: @MainActor FetchedResultsControllerDelegate {
///   func controllerDidChangeContent(_ controller: FetchedResultsController<Bank>) {
///     show(controller)
///   }
/// }
/// ```
///
/// Two protocols refine this one, for delegates that want the change as one value:
///
/// - ``FetchedResultsDifferenceDelegate``: the controller calls
///   `controller(_:didChangeContentWith:)` with a `ListDifference`.
/// - ``FetchedResultsSnapshotDelegate``: the controller calls
///   `controller(_:didChangeContentWith:)` with a `ListSnapshot`.
///
/// A delegate is notified in one form only. A type that conforms to several receives the snapshot,
/// or else the difference.
///
/// During the four calls the controller already shows the list after the change. Index paths before
/// the change belong to the list as it was: a cell on the screen is at `indexPath`, its record at
/// `newIndexPath`.
///
/// A delegate is notified in the isolation of the controller's context. A class of the main actor
/// declares that where it conforms, as above.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The type of the records in the list.
  associatedtype Object: Record

  /// Notifies the delegate that the list has changed, before the calls for its sections and rows.
  ///
  /// The default implementation does nothing.
  ///
  /// - Parameter controller: The controller.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// Notifies the delegate that a section was inserted or deleted.
  ///
  /// The default implementation does nothing.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section as it is after an insertion, or as it was before a deletion.
  ///   - index: The index of the section after an insertion, or before a deletion.
  ///   - type: Either `insert` or `delete`.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChange section: FetchedResultsSectionInfo<Object>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType)

  /// Notifies the delegate that a row was inserted, deleted, moved or updated.
  ///
  /// The default implementation calls the method with the same name and an object of type `Any`.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - object: The record after the change; for a deletion, the record before it.
  ///   - indexPath: The index path before the change; nil for an insertion.
  ///   - type: The kind of change.
  ///   - newIndexPath: The index path after the change; nil for a deletion.
  func controller(
    _ controller: FetchedResultsController<Object>, didChange object: Object,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// Notifies the delegate that a row was inserted, deleted, moved or updated.
  ///
  /// This is the signature of Core Data. The controller calls it only if the delegate does not
  /// implement the method with the type of the record. The default implementation does nothing.
  func controller(
    _ controller: FetchedResultsController<Object>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// Notifies the delegate that the list has changed, after the calls for its sections and rows.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

  /// Returns the title of a section in the index beside the list; nil for none.
  ///
  /// The default implementation returns the title that the controller makes itself.
  func controller(
    _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
  ) -> String?
}

extension FetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Object>,
    didChange section: FetchedResultsSectionInfo<Object>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {}

  /// Calls the method with the same name and an object of type `Any`.
  public func controller(
    _ controller: FetchedResultsController<Object>, didChange object: Object,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    self.controller(
      controller, didChange: object as Any, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Object>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}

  /// Returns the title that the controller makes itself.
  public func controller(
    _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
  ) -> String? {
    controller.ownIndexTitle(forSectionName: name)
  }
}

/// A delegate that receives everything that a boundary changed as one difference.
public protocol FetchedResultsDifferenceDelegate<Object>: FetchedResultsControllerDelegate {
  /// The type of the records in the list.
  associatedtype Object

  /// Notifies the delegate that the list has changed.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: The sections and rows that changed, updates included. Its
  ///     `identifierDifference` and
  ///     `elementDifference` are the same change as a `CollectionDifference`.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith difference: ListDifference<Object>)
}

extension FetchedResultsDifferenceDelegate {
  /// Does nothing, as the delegate receives the difference instead.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}

/// A delegate that receives a snapshot of the list after each boundary that changes it, for views
/// that compare identifiers themselves.
public protocol FetchedResultsSnapshotDelegate<Object>: FetchedResultsControllerDelegate {
  /// The type of the records in the list.
  associatedtype Object

  /// Notifies the delegate that the list has changed.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - snapshot: The list after the change.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith snapshot: ListSnapshot<Object>)
}

extension FetchedResultsSnapshotDelegate {
  /// Does nothing, as the delegate receives the snapshot instead.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}

extension FetchedResultsSnapshotDelegate where Self: FetchedResultsDifferenceDelegate {
  /// Does nothing, as the delegate receives the snapshot instead.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}

/// The kind of a change of a row or a section.
///
/// The raw values are those of `NSFetchedResultsChangeType`; 0 is not a valid value.
public enum FetchedResultsChangeType: Int, Hashable, Sendable {
  /// A row or a section was inserted.
  case insert = 1
  /// A row or a section was deleted.
  case delete = 2
  /// A row is in another section, or at another position among the rows that remain. Its values may
  /// have changed too.
  case move = 3
  /// The values of a row changed, and its position did not.
  case update = 4
}

/// Calls the methods of a delegate for each section and row of a difference.
struct ChangeCalls<R: Record> {
  private let controller: FetchedResultsController<R>
  private let difference: ListDifference<R>
  private let order: CallbackOrder

  init(
    _ controller: FetchedResultsController<R>, difference: ListDifference<R>,
    order: CallbackOrder
  ) {
    self.controller = controller
    self.difference = difference
    self.order = order
  }

  func make(to delegate: any FetchedResultsControllerDelegate<R>) {
    for call in difference.script.callbacks(order) { make(call, to: delegate) }
  }

  private func make(_ call: ListCallback, to delegate: any FetchedResultsControllerDelegate<R>) {
    switch call {
    case .willChange: delegate.controllerWillChangeContent(controller)
    case .didChange: delegate.controllerDidChangeContent(controller)
    case .insertSection(let section):
      notify(delegate, of: section, in: difference.after, type: .insert)
    case .deleteSection(let section):
      notify(delegate, of: section, in: difference.before, type: .delete)
    case .delete(let row):
      notify(
        delegate, of: difference.before.record(at: row.path), type: .delete, old: row.path)
    case .insert(let row):
      notify(
        delegate, of: difference.after.record(at: row.path), type: .insert, new: row.path)
    case .move(let pair):
      notify(delegate, of: pair, type: .move)
    case .update(let pair):
      notify(delegate, of: pair, type: .update)
    }
  }

  private func notify(
    _ delegate: any FetchedResultsControllerDelegate<R>, of section: Int,
    in objects: FetchedObjects<R>, type: FetchedResultsChangeType
  ) {
    let name = objects.snapshot.name(ofSection: section)
    let info = FetchedResultsSectionInfo(
      name: name, indexTitle: controller.sectionIndexTitle(forSectionName: name),
      objects: objects.section(section))
    delegate.controller(controller, didChange: info, atSectionIndex: section, for: type)
  }

  private func notify(
    _ delegate: any FetchedResultsControllerDelegate<R>, of pair: EditScript.Pair,
    type: FetchedResultsChangeType
  ) {
    notify(
      delegate, of: difference.after.record(at: pair.new.path), type: type, old: pair.old.path,
      new: pair.new.path)
  }

  private func notify(
    _ delegate: any FetchedResultsControllerDelegate<R>, of object: R,
    type: FetchedResultsChangeType, old: RowPath? = nil, new: RowPath? = nil
  ) {
    delegate.controller(
      controller, didChange: object, at: old.map { IndexPath($0) }, for: type,
      newIndexPath: new.map { IndexPath($0) })
  }
}
