import DaybookEssentials
import DaybookResults
import DaybookStore

/// A delegate that a controller notifies of each section and each row that changed.
///
/// When a boundary of the context changes the list, the controller calls these methods:
///
/// 1. ``controllerWillChangeContent(_:)`` once,
/// 2. `controller(_:didChange:…)` for each changed section and row,
/// 3. ``controllerDidChangeContent(_:)`` once.
///
/// Only the third method is required, and its body may be empty. A controller with a delegate keeps
/// its list current, also if the delegate does nothing. A controller without a delegate shows the
/// list that it fetched, unless ``FetchedResultsController/tracksChanges`` is true.
///
/// ```swift
/// extension BankModel: @MainActor FetchedResultsControllerDelegate {
///   func controllerDidChangeContent(_ controller: FetchedResultsController<Bank>) {
///     show(controller)
///   }
/// }
/// ```
///
/// Two protocols refine this protocol, for delegates that receive the change as one value:
///
/// - ``FetchedResultsDifferenceDelegate``: the controller calls
///   `controller(_:didChangeContentWith:)` with a `ListDifference`.
/// - ``FetchedResultsSnapshotDelegate``: the controller calls
///   `controller(_:didChangeContentWith:)` with a `ListSnapshot`.
///
/// A controller notifies its delegate in one form only. A delegate that conforms to both protocols
/// receives the snapshot.
///
/// During all these calls the controller already shows the list after the change. `indexPath` is a
/// position in the list before the change: a view has the cell there. `newIndexPath` is a position
/// in the list after the change: the controller has the record there.
///
/// A controller calls its delegate on the actor of its context. A class of the main actor therefore
/// conforms with `@MainActor` before the name of the protocol, as in the example.
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
  /// The signature is that of Core Data. The controller calls this method only if the delegate does
  /// not implement the method with the type of the record. The default implementation does nothing.
  func controller(
    _ controller: FetchedResultsController<Object>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// Notifies the delegate that the list has changed, after the calls for its sections and rows.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

  /// Returns the title of a section in the index beside the list; nil for none.
  ///
  /// The default implementation returns the result of the controller's closure
  /// `indexTitleOfSection`, or, without that closure, the first letter of the name as a capital.
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

  /// Returns the result of the controller's closure `indexTitleOfSection`, or, without that
  /// closure, the first letter of the name as a capital.
  public func controller(
    _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
  ) -> String? {
    controller.ownIndexTitle(forSectionName: name)
  }
}

/// A delegate that receives all changes of a boundary as one difference.
public protocol FetchedResultsDifferenceDelegate<Object>: FetchedResultsControllerDelegate {
  /// The type of the records in the list.
  associatedtype Object

  /// Notifies the delegate that the list has changed.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: The sections and rows that changed, updates included. The properties
  ///     `identifierDifference` and `elementDifference` contain the same change as a
  ///     `CollectionDifference`.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChangeContentWith difference: ListDifference<Object>)
}

extension FetchedResultsDifferenceDelegate {
  /// Does nothing, because the delegate receives the difference instead.
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
  /// Does nothing, because the delegate receives the snapshot instead.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}

extension FetchedResultsSnapshotDelegate where Self: FetchedResultsDifferenceDelegate {
  /// Does nothing, because the delegate receives the snapshot instead.
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
  /// A row is in a different section, or at a different position relative to the other rows. The
  /// values of the row may have changed too.
  case move = 3
  /// The values of a row changed, and its position did not.
  case update = 4
}

/// The calls that notify a delegate of one difference, section by section and row by row. A
/// controller creates one value for each notification.
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

  /// Calls the method of the delegate for one call of the difference.
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
