import DaybookJournal
import DaybookPlatform

/// The actor that a context belongs to, and the origin of the context.
///
/// In Swift, an actor's initializer, the initial value of a stored property and a `lazy` property
/// run outside any actor. A context that is created in such code belongs to the first actor that
/// changes it.
struct ContextIsolation {
  /// The actor; nil until an actor creates or changes the context.
  private(set) var actor: (any Actor)?
  private let origin: Origin

  /// The origin of a context, for error messages.
  enum Origin {
    case viewContext
    case line(StaticString, UInt)
  }

  init(_ actor: (any Actor)?, madeAt origin: Origin) {
    self.actor = actor
    self.origin = origin
  }

  /// Binds the context to the caller's actor, if it belongs to no actor yet.
  ///
  /// - Returns: `true` if this call has bound the context.
  mutating func adopt(_ caller: (any Actor)?) -> Bool {
    guard actor == nil, let caller else { return false }
    actor = caller
    return true
  }

  /// Stops the program if the caller runs outside the actor.
  ///
  /// - Parameter caller: The actor that isolates the calling code; nil if it is unknown.
  func check(_ function: StaticString, calledIn caller: (any Actor)?) {
    guard let actor, caller !== actor else { return }
    switch CurrentExecutor.isThat(of: actor) {
    case true?: return
    case false?: Misuse.report(sentence(function, actor: actor))
    // The runtime does not report the executor, so the check of the language below decides.
    case nil: break
    }
    actor.preconditionIsolated(sentence(function, actor: actor))
  }

  private func sentence(_ function: StaticString, actor: any Actor) -> String {
    """
    \(function) was called outside \(type(of: actor)). The context, \(creationDescription), \
    belongs to that actor. Call it from code of the actor, or create a context with makeContext().
    """
  }

  /// A description of where the context was created.
  var creationDescription: String {
    switch origin {
    case .viewContext: "the store's viewContext"
    case .line(let file, let line): "created at \(file):\(line)"
    }
  }
}

/// Compares the executor of the running code with the executor of an actor.
///
/// The checks of the language only stop the program, with a message that does not mention the
/// context. Therefore this type calls the runtime function that those checks use, and `Misuse`
/// prints a better message.
private enum CurrentExecutor {
  private typealias Check =
    @convention(c) (
      _ identity: UnsafeRawPointer?, _ implementation: UnsafeRawPointer?, _ flags: UInt64
    ) -> Bool

  private static let check: Check? = {
    guard let symbol = CurrentProcess.symbol(named: "swift_task_isCurrentExecutorWithFlags"),
      MemoryLayout<UnownedSerialExecutor>.size == 2 * MemoryLayout<UnsafeRawPointer>.size
    else { return nil }
    return unsafeBitCast(symbol, to: Check.self)
  }()

  /// Returns whether the running code is on the executor of an actor; nil if the runtime does not
  /// report it.
  static func isThat(of actor: any Actor) -> Bool? {
    guard let check else { return nil }
    let words = unsafeBitCast(
      actor.unownedExecutor, to: (UnsafeRawPointer?, UnsafeRawPointer?).self)
    return check(words.0, words.1, 0)
  }
}
