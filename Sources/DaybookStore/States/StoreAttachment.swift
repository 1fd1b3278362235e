import Synchronization

/// An object that a higher module keeps for a store, such as its indexes.
///
/// All states of the store lead to the object, and the object may retain states. So the store
/// releases it at its own end. A snapshot that outlives the store has no attachment.
package final class StoreAttachment: Sendable {
  private enum Content {
    case none
    case object(any AnyObject & Sendable)
    case released
  }

  // Shared state: guarded by its mutex.
  private let content = Mutex(Content.none)

  /// Returns the object of a type, which the first call creates; nil after the end of the store.
  ///
  /// All calls for one store must use one type.
  package func object<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object? {
    content.withLock { content in
      switch content {
      case .released: return nil
      case .object(let known):
        guard let object = known as? Object else {
          preconditionFailure("the attachment is a \(type(of: known)), not a \(Object.self)")
        }
        return object
      case .none:
        let made = make()
        content = .object(made)
        return made
      }
    }
  }

  /// Releases the object. Later calls of ``object(_:)`` return nil.
  func release() {
    // The object is deallocated after the lock is released.
    let last = content.withLock { content in
      let last = content
      content = .released
      return last
    }
    withExtendedLifetime(last) {}
  }
}
