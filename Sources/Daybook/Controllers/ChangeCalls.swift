import DaybookResults
import DaybookStore
import DaybookEssentials

/// The calls that tell a delegate of a difference, section by section and row by row.
struct ChangeCalls<R: Record> {
  private let controller: FetchedResultsController<R>
  private let difference: ListDifference<R>
  private let order: CallbackOrder

  init(
    _ controller: FetchedResultsController<R>, _ difference: ListDifference<R>,
    _ order: CallbackOrder
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
      tell(delegate, section, difference.after, .insert)
    case .deleteSection(let section):
      tell(delegate, section, difference.before, .delete)
    case .delete(let row):
      tell(delegate, object(row.path, difference.before), row.path, .delete, nil)
    case .insert(let row):
      tell(delegate, object(row.path, difference.after), nil, .insert, row.path)
    case .move(let pair):
      tell(delegate, object(pair.new, difference.after), pair.old, .move, pair.new)
    case .update(let pair):
      tell(delegate, object(pair.new, difference.after), pair.old, .update, pair.new)
    }
  }

  private func object(_ path: RowPath, _ objects: FetchedObjects<R>) -> R {
    objects[objects.snapshot.rank(at: path) - objects.snapshot.visibleRanks.lowerBound]
  }

  private func tell(
    _ delegate: any FetchedResultsControllerDelegate<R>, _ section: Difference.Section,
    _ objects: FetchedObjects<R>, _ type: FetchedResultsChangeType
  ) {
    let info = FetchedResultsSectionInfo(
      name: section.name, indexTitle: controller.sectionIndexTitle(forSectionName: section.name),
      objects: objects.section(section.index))
    delegate.controller(controller, didChange: info, atSectionIndex: section.index, for: type)
  }

  private func tell(
    _ delegate: any FetchedResultsControllerDelegate<R>, _ object: R, _ old: RowPath?,
    _ type: FetchedResultsChangeType, _ new: RowPath?
  ) {
    delegate.controller(
      controller, didChange: object, at: old.map { IndexPath($0) }, for: type,
      newIndexPath: new.map { IndexPath($0) })
  }
}
