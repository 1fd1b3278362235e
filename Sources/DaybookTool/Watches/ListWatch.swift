import DaybookJournal
import DaybookResults
import DaybookStore

/// A list of a journal that another process writes, brought forward by one transaction at a time.
final class ListWatch {
  /// What there is to tell.
  enum Event {
    /// A transaction has changed the list.
    case difference(
      Difference, after: SequenceNumber, time: JournalTime, metadata: TransactionMetadata)
    /// What lies between is not known any more, as the journal was compacted: this is the list from now on.
    case reset(ResultSnapshot)
  }

  private let store: Store
  private let request: ResultRequest
  private var frozen: FrozenState
  private var projection: Projection

  init(_ store: Store, _ request: ResultRequest) throws(RequestError) {
    self.store = store
    self.request = request
    frozen = store.snapshot.frozen
    projection = Projection(
      try request.plan(frozen.catalog), of: frozen, window: request.window)
  }

  /// What the list shows as of what was told.
  var snapshot: ResultSnapshot { projection.snapshot }

  /// What a plan of the list is made for.
  var catalog: Catalog { frozen.catalog }

  /// What the next transaction did to the list that changed it, of those that are there by now; nil if there
  /// is none.
  ///
  /// - Throws: ``StoreError``
  /// - Complexity: O(*k* log *n*) in the rows that are touched; O(*n* log *n*) where the schema has grown, or
  ///   another file has taken the journal's name
  func next() throws -> Event? {
    while try store.catchUpByOne() {
      let next = store.snapshot.frozen
      guard next.state.generation == frozen.state.generation else {
        if let event = try beginAnew(next) { return event }
        continue
      }
      if let difference = try go(to: next) {
        // The difference is of one transaction, so its metadata describe all of it.
        let metadata = try next.transaction(next.sequence.rawValue)?.metadata
        return .difference(
          difference, after: next.sequence, time: next.state.time,
          metadata: metadata ?? TransactionMetadata())
      }
    }
    return nil
  }

  private func go(to next: FrozenState) throws(RequestError) -> Difference? {
    if !projection.plan.fits(next.catalog) {
      // The same list, by a plan that knows what is new.
      projection = Projection(
        try request.plan(next.catalog), of: frozen, window: request.window)
    }
    frozen = next
    return projection.fold(to: next)
  }

  /// Goes on in another file.
  private func beginAnew(_ next: FrozenState) throws -> Event? {
    let known = frozen.sequence
    let plan = try request.plan(next.catalog)
    // What is known of the old file is in the new one too, if that goes back so far.
    let then = store.base <= known ? try next.state(after: known.rawValue) : nil
    projection = Projection(plan, of: then ?? next, window: request.window)
    frozen = next
    guard then != nil else { return .reset(projection.snapshot) }
    return projection.fold(to: next).map {
      .difference(
        $0, after: next.sequence, time: next.state.time, metadata: TransactionMetadata())
    }
  }
}
