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
    for call in difference.difference.callbacks(order) { make(call, to: delegate) }
  }

  private func make(_ call: ResultCallback, to delegate: any FetchedResultsControllerDelegate<R>) {
    switch call {
    case .willChange: delegate.controllerWillChangeContent(controller)
    case .didChange: delegate.controllerDidChangeContent(controller)
    case .insertSection(let section):
      tell(delegate, of: section, in: difference.after, type: .insert)
    case .deleteSection(let section):
      tell(delegate, of: section, in: difference.before, type: .delete)
    case .delete(let row):
      tell(
        delegate, of: object(at: row.path, in: difference.before), type: .delete, old: row.path)
    case .insert(let row):
      tell(
        delegate, of: object(at: row.path, in: difference.after), type: .insert, new: row.path)
    case .move(let pair):
      tell(
        delegate, of: object(at: pair.new, in: difference.after), type: .move, old: pair.old,
        new: pair.new)
    case .update(let pair):
      tell(
        delegate, of: object(at: pair.new, in: difference.after), type: .update, old: pair.old,
        new: pair.new)
    }
  }

  private func object(at path: RowPath, in objects: FetchedObjects<R>) -> R {
    objects[objects.snapshot.rank(at: path) - objects.snapshot.visibleRanks.lowerBound]
  }

  private func tell(
    _ delegate: any FetchedResultsControllerDelegate<R>, of section: Difference.Section,
    in objects: FetchedObjects<R>, type: FetchedResultsChangeType
  ) {
    let info = FetchedResultsSectionInfo(
      name: section.name, indexTitle: controller.sectionIndexTitle(forSectionName: section.name),
      objects: objects.section(section.index))
    delegate.controller(controller, didChange: info, atSectionIndex: section.index, for: type)
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
