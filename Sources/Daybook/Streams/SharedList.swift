import DaybookPlatform
import DaybookResults
import DaybookStore
import Synchronization

/// The list that all loops of one `LiveResults` share, over the published states of a store. The
/// list is updated when a loop reads it, and does not keep the store open.
//
// Shared state: the projection, guarded by the mutex. The snapshots of the projection can be read
// on any thread.
final class SharedList: Sendable {
  /// The state that the mutex guards: the projection, and the moment that it shows.
  private struct Kept {
    var projection: Projection
    var generation: Int
    var sequence: SequenceNumber
    /// The last update: the moment before it, and its edits; nil edits if the list did not change.
    /// A loop that shows that moment receives these edits, and they are not computed again.
    var lastStep: (before: ListMoment, script: EditScript?)?

    var moment: ListMoment {
      ListMoment(snapshot: projection.snapshot, generation: generation, sequence: sequence)
    }
  }

  private let states: PublishedStates
  private let plan: @Sendable (Catalog) throws(RequestError) -> ResultPlan
  private let window: ResultWindow
  private let kept: Mutex<Kept>

  /// Creates the list of a request over the newest published state of a store.
  ///
  /// - Throws: ``RequestError``, and ``StoreError`` with `journal` if a stored record is damaged
  init<R: FetchableRecord>(_ store: Store, request: FetchRequest<R>) throws {
    states = store.publishedStates
    plan = { (catalog) throws(RequestError) in try request.plan(catalog) }
    window = request.window
    let frozen = states.newest
    kept = Mutex(try SharedList.make(request.plan(frozen.catalog), window: window, in: frozen))
    try frozen.checkWhole(store.path)
  }

  private static func make(
    _ plan: ResultPlan, window: ResultWindow, in frozen: FrozenState
  ) -> sending Kept {
    Kept(
      projection: Projection(plan, of: frozen, window: window),
      generation: frozen.state.generation, sequence: frozen.sequence)
  }

  /// The current list.
  ///
  /// - Complexity: O(pages of records that changed since the last read, and *k* log *n* in the rows
  ///   touched)
  var head: ListMoment {
    kept.withLock { kept in
      advance(&kept, to: states.newest)
      return kept.moment
    }
  }

  /// Returns the edits between two moments of the list; nil if there are none.
  ///
  /// The edits of the last update are stored, so that all subscribers that receive each update
  /// share them.
  ///
  /// - Complexity: O(1) for the last update; else O(pages of records that changed, and *k* log *n*
  ///   for the *k* rows touched)
  func edits(from before: ListMoment, to after: ListMoment) -> EditScript? {
    let step = kept.withLock { kept in kept.moment.isSame(as: after) ? kept.lastStep : nil }
    if let step, step.before.isSame(as: before) { return step.script }
    let script = EditScript(from: before.snapshot, to: after.snapshot)
    return script.isEmpty ? nil : script
  }

  /// Applies the changes up to a newer state. If a different file has replaced the journal, or the
  /// schema has grown, computes the list again.
  private func advance(_ kept: inout Kept, to frozen: FrozenState) {
    let isOther = frozen.state.generation != kept.generation
    if !isOther, frozen.sequence == kept.sequence { return }
    if isOther || !kept.projection.plan.fits(frozen.catalog) {
      // Schemas only grow, so a request that fits one schema fits every later schema.
      guard let plan = try? plan(frozen.catalog) else {
        preconditionFailure("the request of a shared list does not fit a schema any more")
      }
      kept = SharedList.make(plan, window: window, in: frozen)
      return
    }
    let before = kept.moment
    let script = kept.projection.fold(to: frozen)
    kept.sequence = frozen.sequence
    kept.lastStep = (before, script)
  }

  /// A signal that counts the published states. A loop waits for it.
  var changes: Signal { states.changes }

  /// Returns the list after an earlier transaction; nil if the journal no longer contains it.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if the transaction does not exist yet
  /// - Complexity: O(*n* log *n*)
  func moment(after sequence: SequenceNumber, of store: Store) throws(StoreError) -> ListMoment? {
    let snapshot: StoreSnapshot
    do throws(StoreError) { snapshot = try store.snapshot(at: sequence) } catch {
      if sequence < store.base { return nil }
      throw error
    }
    let plan = kept.withLock { $0.projection.plan }
    let then = Projection(plan, of: snapshot.frozen, window: window).snapshot
    try snapshot.frozen.checkWhole(store.path)
    return ListMoment(
      snapshot: then, generation: snapshot.frozen.state.generation, sequence: sequence)
  }
}

/// The shared list at one moment: its rows, the generation of the journal's file, and the last
/// transaction of the rows. The generation differs after a different file has replaced the journal.
package struct ListMoment: Sendable {
  package var snapshot: ResultSnapshot
  package var generation: Int
  package var sequence: SequenceNumber

  package init(snapshot: ResultSnapshot, generation: Int, sequence: SequenceNumber) {
    self.snapshot = snapshot
    self.generation = generation
    self.sequence = sequence
  }

  package func isSame(as other: ListMoment) -> Bool {
    generation == other.generation && sequence == other.sequence
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
/// | a moment | a later moment | the difference |
/// | a moment of another journal | any moment | the list, as a reset |
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
    case .at(let known) where known.sequence == head.sequence: return .wait
    case .at(let known): return .compare(with: known)
    }
  }
}
