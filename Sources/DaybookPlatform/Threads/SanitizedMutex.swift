#if DAYBOOK_THREAD_SANITIZER
  import DaybookCLibrary

  /// The standard library's `Mutex`, as the thread sanitizer can see it.
  ///
  /// The sanitizer knows the system's locks, and does not look into the standard library's, which waits
  /// by system calls of its own: under contention it would call every use of what one guards a race.
  /// Builds for the sanitizer say `-Xswiftc -DDAYBOOK_THREAD_SANITIZER` and have this one instead.
  //
  // Shared state: `guarded`, guarded by `mutex`, which stays where it was made.
  package final class SanitizedMutex<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var guarded: Guarded

    /// The value, in a place of its own: one without a size would have the address of another property, and
    /// the sanitizer would take an access to the one for an access to the other.
    private struct Guarded: ~Copyable {
      var value: Value
      let byte: UInt8 = 0
    }

    package init(_ value: consuming sending Value) {
      guarded = Guarded(value: value)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Lets the body have the value to itself.
    package func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&guarded.value)
    }

    /// The same, unless somebody else has the value; then there is no answer.
    package func withLockIfAvailable<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard pthread_mutex_trylock(mutex) == 0 else { return nil }
      defer { pthread_mutex_unlock(mutex) }
      return try body(&guarded.value)
    }
  }

  typealias Mutex = SanitizedMutex
#endif
