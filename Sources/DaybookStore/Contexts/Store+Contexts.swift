import DaybookJournal

extension Store {
  /// Creates a scratchpad over the store, for the actor that calls this.
  ///
  /// Outside any actor, and in an actor's initializer or `lazy` property, the context belongs to
  /// the first actor that changes it.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller.
  ///   - file: The file to report if the context is used outside its actor.
  ///   - line: The line to report in that case.
  public func makeContext(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line
  ) -> EditingContext {
    EditingContext(self, isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// Creates a scratchpad over the state after an earlier transaction, for the actor that calls
  /// this; 0 is before the first transaction.
  ///
  /// The context supports everything that other contexts support, such as fetches and controllers,
  /// which show the list as it was at that moment. It never merges. Only
  /// ``EditingContext/travel(to:)-(SequenceNumber)`` moves it to another moment. Its changes are
  /// visible at each boundary, and can be undone and rolled back. They cannot be saved: they show
  /// an alternative past.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`
  /// - Complexity: O(*k*) in the changes after that moment
  public func makeContext(
    at sequence: SequenceNumber, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) -> EditingContext {
    EditingContext(
      self, at: try snapshot(at: sequence).frozen,
      isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// Creates a scratchpad over the state at a time, that is, after the last transaction at or
  /// before it; see the other `makeContext(at:)`.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if the history does not reach back to that time.
  public func makeContext(
    at time: JournalTime, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) -> EditingContext {
    EditingContext(
      self, at: try snapshot(at: time).frozen,
      isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// The context of the main actor. It merges the changes of other writers automatically.
  ///
  /// There is one view context for each store. Its drafts, undo history and observers are kept
  /// while the program has no reference to it. They are released with the store. Without a
  /// reference to the context, the context does not keep the store alive.
  @MainActor public var viewContext: EditingContext {
    if let known = viewMerger as? ViewContext { return known.context(of: self) }
    let new = ViewContext(
      ContextState(
        ContextView(core.published()), isAtMoment: false,
        isolation: ContextIsolation(MainActor.shared, madeAt: .viewContext)))
    viewMerger = new
    core.withLock { $0.hasViewContext = true }
    return new.context(of: self)
  }
}

/// The main actor's context. The store has a reference to this object, and not the reverse.
@MainActor private final class ViewContext: ViewMerger {
  private let state: ContextState
  /// The context, while a caller or another object has a reference to it.
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
      preconditionFailure("a delivery did not end before the next job of the main actor: \(error)")
    }
  }
}
