import DaybookJournal

extension Store {
  /// Creates a context that belongs to the actor of the caller.
  ///
  /// If the caller runs outside any actor, the context belongs to the first actor that changes it.
  /// The initializer and a `lazy` property of an actor also run outside it.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller.
  ///   - file: The file to report if the context is used outside its actor.
  ///   - line: The line to report if the context is used outside its actor.
  public func makeContext(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line
  ) -> EditingContext {
    EditingContext(self, isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// Creates a context that shows the state after an earlier transaction; 0 is the state before the
  /// first transaction. The context belongs to the actor of the caller.
  ///
  /// The context supports fetches and controllers, which show the list as it was at that moment.
  /// The context never merges. Only ``EditingContext/travel(to:)-(SequenceNumber)`` moves it to a
  /// different moment. The program can change records in it, and can undo and roll back the
  /// changes. The changes cannot be saved, because the journal contains the transactions that
  /// followed.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`
  /// - Complexity: O(*k*) in the changes after the moment
  public func makeContext(
    at sequence: SequenceNumber, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) -> EditingContext {
    EditingContext(
      self, at: try snapshot(at: sequence).frozen,
      isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// Creates a context at the moment of a snapshot of this store.
  ///
  /// - Complexity: O(1)
  @_spi(Tools) public func makeContext(
    at snapshot: StoreSnapshot, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) -> EditingContext {
    EditingContext(
      self, at: snapshot.frozen,
      isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// Creates a context that shows the state at a time, that is, after the last transaction at or
  /// before that time. See ``makeContext(at:isolation:file:line:)-(SequenceNumber,_,_,_)``.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if the journal's history starts after that time.
  public func makeContext(
    at time: JournalTime, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) -> EditingContext {
    EditingContext(
      self, at: try snapshot(at: time).frozen,
      isolation: ContextIsolation(isolation, madeAt: .line(file, line)))
  }

  /// The context of the main actor, which merges the changes of other writers automatically.
  ///
  /// There is one view context for each store. The store keeps its drafts, undo history and
  /// observers, even while the program has no reference to the context. A reference to the context
  /// retains the store.
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

/// The view context, as the store retains it. This object has no reference to the store, so there
/// is no reference cycle.
@MainActor private final class ViewContext: ViewMerger {
  private let state: ContextState
  /// The context object, while any code has a reference to it.
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
