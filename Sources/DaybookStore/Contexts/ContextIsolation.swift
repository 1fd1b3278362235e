import DaybookJournal
import DaybookPlatform

/// The actor that a context belongs to, and where the context was made.
///
/// A context that is made in an actor's initializer, in a stored property's initial value or in a `lazy` property is made
/// outside any actor, as the language has it. It belongs to the first actor in whose code it is changed.
struct ContextIsolation {
  /// The actor; nil while the context was used outside any only.
  private(set) var actor: (any Actor)?
  private let origin: Origin

  /// Where a context was made.
  enum Origin {
    case viewContext
    case line(StaticString, UInt)
  }

  init(_ actor: (any Actor)?, madeAt origin: Origin) {
    self.actor = actor
    self.origin = origin
  }

  /// Takes the actor of a caller, if there is none yet.
  ///
  /// - Returns: Whether it did.
  mutating func adopt(_ caller: (any Actor)?) -> Bool {
    guard actor == nil, let caller else { return false }
    actor = caller
    return true
  }

  /// Stops the program if the caller is outside the actor.
  ///
  /// - Parameter caller: The actor in whose code the call was written; nil if that is not known.
  func check(_ function: StaticString, calledIn caller: (any Actor)?) {
    guard let actor, caller !== actor else { return }
    switch CurrentExecutor.isThat(of: actor) {
    case true?: return
    case false?: Misuse.report(sentence(function, actor: actor))
    // The runtime says less.
    case nil: break
    }
    actor.preconditionIsolated(sentence(function, actor: actor))
  }

  private func sentence(_ function: StaticString, actor: any Actor) -> String {
    """
    \(function) was called outside \(type(of: actor)). The context, which is \(place), belongs to that \
    actor. Call it in the actor's code, or make a context of your own with makeContext().
    """
  }

  /// Where the context was made, in words.
  var place: String {
    switch origin {
    case .viewContext: "the store's viewContext"
    case .line(let file, let line): "made at \(file):\(line)"
    }
  }
}

/// The executor that this code runs on.
///
/// The language can only end the program where it is another than expected, and says nothing of a context then. So
/// the runtime is asked, by the function that the language itself asks.
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

  /// Whether it is that of an actor; nil if the runtime does not say.
  static func isThat(of actor: any Actor) -> Bool? {
    guard let check else { return nil }
    let words = unsafeBitCast(
      actor.unownedExecutor, to: (UnsafeRawPointer?, UnsafeRawPointer?).self)
    return check(words.0, words.1, 0)
  }
}
