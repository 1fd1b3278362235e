import DaybookResults
import DaybookStore
import DaybookEssentials

/// The calls that tell a delegate of a difference, section by section and row by row.
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
      tell(delegate, of: section, in: difference.after, type: .insert)
    case .deleteSection(let section):
      tell(delegate, of: section, in: difference.before, type: .delete)
    case .delete(let row):
      tell(
        delegate, of: difference.before.record(at: row.path), type: .delete, old: row.path)
    case .insert(let row):
      tell(
        delegate, of: difference.after.record(at: row.path), type: .insert, new: row.path)
    case .move(let pair):
      tell(delegate, of: pair, type: .move)
    case .update(let pair):
      tell(delegate, of: pair, type: .update)
    }
  }

  private func tell(
    _ delegate: any FetchedResultsControllerDelegate<R>, of section: Int,
    in objects: FetchedObjects<R>, type: FetchedResultsChangeType
  ) {
    let name = objects.snapshot.name(ofSection: section)
    let info = FetchedResultsSectionInfo(
      name: name, indexTitle: controller.sectionIndexTitle(forSectionName: name),
      objects: objects.section(section))
    delegate.controller(controller, didChange: info, atSectionIndex: section, for: type)
  }

  private func tell(
    _ delegate: any FetchedResultsControllerDelegate<R>, of pair: EditScript.Pair,
    type: FetchedResultsChangeType
  ) {
    tell(
      delegate, of: difference.after.record(at: pair.new.path), type: type, old: pair.old.path,
      new: pair.new.path)
  }

  private func tell(
    _ delegate: any FetchedResultsControllerDelegate<R>, of object: R,
    type: FetchedResultsChangeType, old: RowPath? = nil, new: RowPath? = nil
  ) {
    delegate.controller(
      controller, didChange: object, at: old.map { IndexPath($0) }, for: type,
      newIndexPath: new.map { IndexPath($0) })
  }
}
