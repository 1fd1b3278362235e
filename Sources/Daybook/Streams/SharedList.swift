import DaybookPlatform
import DaybookResults
import DaybookStore
import Synchronization

/// A list over what a store shows its readers, brought forward when somebody looks. It does not keep the
/// store.
//
// Shared state: the projection, guarded by the mutex. Its snapshots can be read by anybody.
final class SharedList: Sendable {
  private struct Kept {
    var projection: Projection
    var generation: Int
    var sequence: SequenceNumber
    /// The last step, for all subscribers that know the moment before it: the edits, if there are any.
    var lastStep: (before: ListMoment, script: EditScript?)?

    var moment: ListMoment {
      ListMoment(snapshot: projection.snapshot, generation: generation, sequence: sequence)
    }
  }

  private let states: ShownStates
  private let plan: @Sendable (Catalog) throws(RequestError) -> ResultPlan
  private let window: ResultWindow
  private let kept: Mutex<Kept>

  /// - Throws: ``RequestError``, and ``StoreError`` with `journal` if what it reads is damaged
  init<R: FetchableRecord>(_ store: Store, request: FetchRequest<R>) throws {
    states = store.shownStates
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

  /// What the list shows now.
  ///
  /// - Complexity: O(pages of records that were changed since somebody looked, and *k* log *n* in the
  ///   rows touched)
  var head: ListMoment {
    kept.withLock { kept in
      bring(&kept, to: states.newest)
      return kept.moment
    }
  }

  /// Returns the edits between two moments that the list has shown; nil if there are none.
  ///
  /// A subscriber that receives each step receives the edits that were found when the list was brought
  /// forward.
  ///
  /// - Complexity: O(1) for the last step; else O(pages of records that were changed, and *k* log *n* for the *k* rows
  ///   touched)
  func edits(from before: ListMoment, to after: ListMoment) -> EditScript? {
    let step = kept.withLock { kept in kept.moment.isSame(as: after) ? kept.lastStep : nil }
    if let step, step.before.isSame(as: before) { return step.script }
    let script = EditScript(from: before.snapshot, to: after.snapshot)
    return script.isEmpty ? nil : script
  }

  private func bring(_ kept: inout Kept, to frozen: FrozenState) {
    let isOther = frozen.state.generation != kept.generation
    if !isOther, frozen.sequence == kept.sequence { return }
    if isOther || !kept.projection.plan.fits(frozen.catalog) {
      // Schemas only grow, so what fitted once fits again.
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

  /// The number of new states so far.
  var changes: Signal { states.changes }

  /// What the list showed after an earlier transaction of its store; nil if history does not go back so far.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if there is no such transaction yet
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

/// A moment of a list that is shared: which state of which journal it shows.
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

/// What a subscriber knows, and so what it is to be told next. It does nothing itself.
///
/// | it knows | the list shows | it is told |
/// | -------- | -------------- | ---------- |
/// | nothing | anything | all there is |
/// | something too old | anything | all there is, as a reset |
/// | a moment | the same moment | nothing yet |
/// | a moment | a later one | what happened in between |
/// | a moment of another journal | anything | all there is, as a reset |
package enum SubscriberPosition: Sendable {
  case nothing
  /// More than nothing, of which nobody can say what has happened since.
  case tooOld
  case at(ListMoment)

  package enum Step {
    case begin
    case beginAnew
    case compare(with: ListMoment)
    case wait
  }

  /// Goes on to the moment that the list shows.
  package mutating func step(to head: ListMoment) -> Step {
    let before = self
    self = .at(head)
    switch before {
    case .nothing: return .begin
    case .tooOld: return .beginAnew
    case .at(let known) where known.generation != head.generation: return .beginAnew
    case .at(let known) where known.sequence == head.sequence: return .wait
    case .at(let known): return .compare(with: known)
    }
  }
}
