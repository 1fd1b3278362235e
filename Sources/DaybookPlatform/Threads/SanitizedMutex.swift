#if DAYBOOK_THREAD_SANITIZER
  import DaybookCLibrary

  /// A replacement for the standard library's `Mutex` in builds for the thread sanitizer.
  ///
  /// The sanitizer recognizes the locks of the system. The sanitizer does not recognize the lock of
  /// the standard library, because that lock waits with other system calls. Under contention, the
  /// sanitizer would report accesses to a guarded value as races. Builds for the sanitizer pass
  /// `-Xswiftc -DDAYBOOK_THREAD_SANITIZER`, and so use this type instead.
  //
  // Shared state: `guarded`, guarded by `mutex`. The memory of the mutex keeps its address.
  package final class SanitizedMutex<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var guarded: Guarded

    /// The value, stored together with one byte.
    ///
    /// A value of size zero would share its address with a second property. The sanitizer would
    /// confuse accesses to the value with accesses to that property.
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

    /// Calls a closure with exclusive access to the value.
    package func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&guarded.value)
    }

    /// Calls a closure with exclusive access to the value if no other thread has the lock.
    ///
    /// - Returns: nil if a different thread has the lock. The closure is not called then.
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
