extension Store {
  /// A scratchpad over the store, for the isolation that asks for it.
  public func makeContext(isolation: isolated (any Actor)? = #isolation) -> EditingContext {
    EditingContext(self, isolation: isolation)
  }

  /// The context of the main actor, made when it is first asked for. It merges what others save by
  /// itself.
  @MainActor public var viewContext: EditingContext {
    if let context = mainContext as? EditingContext { return context }
    let context = EditingContext(self, isolation: MainActor.shared)
    mainContext = context
    core.withLock { $0.hasViewContext = true }
    return context
  }

  /// Changes records in a context of its own, and saves them.
  ///
  /// ```swift
  /// try await store.write { try $0.insert(Bank(name: "First")) }
  /// ```
  ///
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, which then has changed nothing; and ``StoreError``.
  @discardableResult
  public func write<Result: Sendable>(
    _ metadata: TransactionMetadata = TransactionMetadata(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (EditingContext) throws -> Result
  ) async throws -> Result {
    let context = EditingContext(self, isolation: isolation)
    context.metadata = metadata
    let result = try body(context)
    context.endsWithSave = true
    try await context.save()
    mergeNow(on: isolation)
    return result
  }
}

extension EditingContext: MergingContext {}
