import Glibc

/// A thread-local Boolean value. It is false until the thread sets it.
package struct ThreadFlag: Sendable {
  private let key: pthread_key_t

  /// Creates a flag, which is never removed.
  package init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "no thread-local value can be made: errno \(status)")
    self.key = key
  }

  /// The value of the current thread.
  package var isSet: Bool {
    get { pthread_getspecific(key) != nil }
    nonmutating set { pthread_setspecific(key, newValue ? UnsafeRawPointer(bitPattern: 1) : nil) }
  }
}
