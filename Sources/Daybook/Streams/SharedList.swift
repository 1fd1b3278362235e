import DaybookPlatform
import DaybookResults
import DaybookStore
import Synchronization

/// The list that all `for await` loops over one `LiveResults` share. The list shows published
/// states of a store. The list is updated when a loop reads it, and does not keep the store open.
//
// Shared state: the contents, guarded by the mutex. The snapshots of the projection can be read on
// any thread. The mutex is not locked while the list of a new request is computed.
final class SharedList: Sendable {
  /// A request without the type of its records.
  private struct Request {
    /// The number of the request: 0 for the first one, and a higher one for each later request.
    let number: Int
    let plan: @Sendable (Catalog) throws(RequestError) -> ResultPlan
    let window: ResultWindow
    let batchSize: Int

    init<R: FetchableRecord>(_ request: ListRequest<R>, number: Int) {
      self.number = number
      plan = { (catalog) throws(RequestError) in try request.plan(catalog) }
      window = request.window
      batchSize = request.batchSize
    }
  }

  /// The state that the mutex guards: the request, the projection, and the moment that it shows.
  private struct Contents {
    var request: Request
    /// The highest number of a request, including requests whose lists are being computed.
    var lastRequestNumber: Int
    var projection: Projection
    var generation: Int
    var sequence: SequenceNumber
    /// The last update: the moment before it, and its edits; nil edits if the list did not change.
    /// A loop that shows that moment receives these edits, and they are not computed again.
    var lastStep: (before: ListMoment, script: EditScript?)?

    var moment: ListMoment {
      ListMoment(
        snapshot: projection.snapshot, generation: generation, sequence: sequence,
        requestNumber: request.number, batchSize: request.batchSize)
    }
  }

  private let states: PublishedStates
  private let path: String
  private let contents: Mutex<Contents>

  /// Creates the list of a request over the newest published state of a store.
  ///
  /// - Throws: ``RequestError``; ``StoreError`` with `unknownType`, or with `journal` if a stored
  ///   record is damaged
  init<R: FetchableRecord>(_ store: Store, request: ListRequest<R>) throws {
    states = store.publishedStates
    path = store.path
    contents = Mutex(
      try SharedList.contents(of: request, number: 0, in: states.newest, path: store.path))
  }

  private static func contents<R: FetchableRecord>(
    of request: ListRequest<R>, number: Int, in frozen: FrozenState, path: String
  ) throws -> sending Contents {
    try request.checkType(frozen, of: path)
    let request = Request(request, number: number)
    let contents = make(request, plan: try request.plan(frozen.catalog), in: frozen)
    try frozen.checkWhole(path)
    return contents
  }

  private static func make(
    _ request: Request, plan: ResultPlan, in frozen: FrozenState
  ) -> sending Contents {
    Contents(
      request: request, lastRequestNumber: request.number,
      projection: Projection(plan, of: frozen, window: request.window),
      generation: frozen.state.generation, sequence: frozen.sequence)
  }

  /// Replaces the request, and wakes the loops. If calls overlap, the last call determines the
  /// request.
  ///
  /// - Throws: The errors of the initializer; the list then keeps its request.
  /// - Complexity: O(*n* log *n*)
  func refetch<R: FetchableRecord>(with request: ListRequest<R>) throws {
    let number = contents.withLock { contents in
      contents.lastRequestNumber += 1
      return contents.lastRequestNumber
    }
    // A mutex transfers the contents, which are not Sendable, into the closure below.
    let computed = Synchronization.Mutex<Contents?>(
      try SharedList.contents(of: request, number: number, in: states.newest, path: path))
    contents.withLock { contents in
      guard contents.request.number < number, let next = computed.withLock({ $0.take() }) else {
        return
      }
      let lastRequestNumber = contents.lastRequestNumber
      contents = next
      contents.lastRequestNumber = lastRequestNumber
    }
    states.changes.increase()
  }

  /// The current list.
  ///
  /// - Complexity: O(*n* log *n*) if the list is computed again; else O(pages of records that
  ///   changed, and *k* log *n* for the *k* rows touched)
  var head: ListMoment {
    contents.withLock { contents in
      advance(&contents, to: states.newest)
      return contents.moment
    }
  }

  /// Returns the edits between two moments of the list; nil without edits.
  ///
  /// The edits of the last update are stored, so that loops that receive every update do not
  /// compute them again.
  ///
  /// - Complexity: O(1) for the last update; O(*n* log *n*) if the request was replaced between the
  ///   moments; else O(pages of records that changed, and *k* log *n* for the *k* rows touched)
  func edits(from before: ListMoment, to after: ListMoment) -> EditScript? {
    let step = contents.withLock { contents in
      contents.moment.isSame(as: after) ? contents.lastStep : nil
    }
    if let step, step.before.isSame(as: before) { return step.script }
    let script = EditScript(from: before.snapshot, to: after.snapshot)
    return script.isEmpty ? nil : script
  }

  /// Applies the changes up to a newer state. If a different file has replaced the journal, or an
  /// entity of the plan has a new layout, computes the list again.
  private func advance(_ contents: inout Contents, to frozen: FrozenState) {
    let isOther = frozen.state.generation != contents.generation
    if !isOther, frozen.sequence == contents.sequence { return }
    if isOther || !contents.projection.plan.fits(frozen.catalog) {
      // Schemas only grow, so a request that fits one schema fits every later schema.
      guard let plan = try? contents.request.plan(frozen.catalog) else {
        preconditionFailure("the request of a shared list does not fit a schema any more")
      }
      let lastRequestNumber = contents.lastRequestNumber
      contents = SharedList.make(contents.request, plan: plan, in: frozen)
      contents.lastRequestNumber = lastRequestNumber
      return
    }
    let before = contents.moment
    let script = contents.projection.fold(to: frozen)
    contents.sequence = frozen.sequence
    contents.lastStep = (before, script)
  }

  /// A signal that increases when a state is published, and when a request is replaced. A loop
  /// waits for it.
  var changes: Signal { states.changes }

  /// Returns the list after an earlier transaction; nil if the journal no longer contains it.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the transaction does not exist yet, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*)
  func moment(after sequence: SequenceNumber, of store: Store) throws(StoreError) -> ListMoment? {
    let snapshot: StoreSnapshot
    do throws(StoreError) { snapshot = try store.snapshot(at: sequence) } catch {
      if sequence < store.base { return nil }
      throw error
    }
    let (plan, request) = contents.withLock { ($0.projection.plan, $0.request) }
    let then = Projection(plan, of: snapshot.frozen, window: request.window).snapshot
    try snapshot.frozen.checkWhole(store.path)
    return ListMoment(
      snapshot: then, generation: snapshot.frozen.state.generation, sequence: sequence,
      requestNumber: request.number, batchSize: request.batchSize)
  }
}

/// The shared list at one moment: its rows, the generation of the journal's file, the last
/// transaction applied, and the number of the request. The generation differs after a different
/// file has replaced the journal.
package struct ListMoment: Sendable {
  package var snapshot: ResultSnapshot
  package var generation: Int
  package var sequence: SequenceNumber
  package var requestNumber: Int
  /// The number of records that the list reads at a time; 0 reads them one by one.
  package var batchSize: Int

  package init(
    snapshot: ResultSnapshot, generation: Int, sequence: SequenceNumber, requestNumber: Int = 0,
    batchSize: Int = 0
  ) {
    self.snapshot = snapshot
    self.generation = generation
    self.sequence = sequence
    self.requestNumber = requestNumber
    self.batchSize = batchSize
  }

  package func isSame(as other: ListMoment) -> Bool {
    generation == other.generation && sequence == other.sequence
      && requestNumber == other.requestNumber
  }
}

/// The position of a subscriber (one loop), which determines its next update. The enumeration is a
/// pure state machine.
///
/// | position | the list shows | the subscriber receives |
/// | -------- | -------------- | ----------------------- |
/// | nothing | any moment | the list |
/// | too old | any moment | the list, as a reset |
/// | a moment | the same moment | nothing yet |
/// | a moment | a later moment, or a list of a different request | the difference |
/// | a moment of a different journal | any moment | the list, as a reset |
package enum SubscriberPosition: Sendable {
  case nothing
  /// The subscriber has a list from before the start of the journal.
  case tooOld
  case at(ListMoment)

  /// The kind of the next update of a subscriber.
  package enum Step {
    case initial
    case reset
    case compare(with: ListMoment)
    case wait
  }

  /// Moves the subscriber to the moment of the list, and returns the kind of its update.
  package mutating func step(to head: ListMoment) -> Step {
    let before = self
    self = .at(head)
    switch before {
    case .nothing: return .initial
    case .tooOld: return .reset
    case .at(let known) where known.generation != head.generation: return .reset
    case .at(let known) where known.isSame(as: head): return .wait
    case .at(let known): return .compare(with: known)
    }
  }
}
