import DaybookJournal

extension Store {
  /// A scratchpad over the store, for the actor in whose code this is called.
  ///
  /// Outside any actor, and in the initializer or a `lazy` property of one, it is for the first actor in whose code
  /// it is changed.
  ///
  /// - Parameters:
  ///   - file: The file to name if the context is used outside its actor.
  ///   - line: The line to name then.
  public func makeContext(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line
  ) -> EditingContext {
    EditingContext(self, isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// A scratchpad over the state after an earlier transaction, for the isolation that asks for it; 0 is
  /// before the first.
  ///
  /// Whatever can be made over a context can be made over this one: fetches, and controllers, which show
  /// the list as it was then. It never merges; it goes to another moment when it is told to
  /// ``EditingContext/travel(to:)-(SequenceNumber)``. What is changed in it is seen at each boundary, can
  /// be undone and rolled back, and cannot be saved: it shows what would have been.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`
  /// - Complexity: O(*k*) in the changes since
  public func makeContext(
    at sequence: SequenceNumber, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) -> EditingContext {
    EditingContext(
      self, at: try snapshot(at: sequence).frozen,
      isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// A scratchpad over the state at a time, which is that after the last transaction at or before it; see
  /// ``makeContext(at:isolation:)-(SequenceNumber,_)``.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if history does not go back so far.
  public func makeContext(
    at time: JournalTime, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) -> EditingContext {
    EditingContext(
      self, at: try snapshot(at: time).frozen,
      isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// The context of the main actor. It merges what others save by itself.
  ///
  /// It is always the same one: its drafts, its undo history and its listeners stay while nobody holds it. It
  /// ends with the store, which it does not keep alive while nobody holds it.
  @MainActor public var viewContext: EditingContext {
    if let known = viewMerger as? ViewContext { return known.context(of: self) }
    let new = ViewContext(
      ContextState(
        ContextView(core.shown()), isAtMoment: false,
        isolation: ContextIsolation(MainActor.shared, madeAt: .viewContext)))
    viewMerger = new
    core.withLock { $0.hasViewContext = true }
    return new.context(of: self)
  }
}

/// The main actor's context. The store holds it, and it does not hold the store.
@MainActor private final class ViewContext: ViewMerger {
  private let state: ContextState
  /// The context, while a caller or an object that uses it holds it.
  private weak var contextInUse: EditingContext?

  init(_ state: ContextState) { self.state = state }

  func context(of store: Store) -> EditingContext {
    if let contextInUse { return contextInUse }
    let context = EditingContext(store, state: state)
    contextInUse = context
    return context
  }

  func mergeChanges(of store: Store) {
    do throws(StoreError) { try context(of: store).mergeChanges() } catch {
      preconditionFailure("deliveries end before another job of the main actor begins: \(error)")
    }
  }
}
