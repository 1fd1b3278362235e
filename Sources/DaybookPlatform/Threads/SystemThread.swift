import DaybookCLibrary

/// A thread of the operating system.
public struct SystemThread: ~Copyable {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: pthread_t

  /// Runs a closure on a new detached thread.
  ///
  /// - Returns: True if the thread was started; false if the system cannot create one.
  @discardableResult
  package static func detach(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = create(stackByteCount: nil, body) else { return false }
    pthread_detach(thread)
    return true
  }

  /// Starts a closure on a new thread.
  ///
  /// - Returns: nil if the system cannot create a thread.
  public init?(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) {
    guard let thread = SystemThread.create(stackByteCount: stackByteCount, body) else { return nil }
    self.thread = thread
  }

  /// Waits until the thread has ended.
  public consuming func join() { pthread_join(thread, nil) }

  private static func create(
    stackByteCount: Int?, _ body: @escaping @Sendable () -> Void
  ) -> pthread_t? {
    #if canImport(Darwin) || canImport(Musl)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackByteCount { pthread_attr_setstacksize(&attributes, stackByteCount) }
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        // On some systems, the type of the argument is optional.
        let work: UnsafeMutableRawPointer? = argument
        work.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard status == 0 else {
      work.release()
      return nil
    }
    return thread
  }

  // MARK: The current thread

  /// Waits for a time. The function returns early if a signal handler runs.
  package static func pause(milliseconds: Int) { poll(nil, 0, Int32(clamping: milliseconds)) }

  /// Waits for a time, and continues to wait after signals.
  public static func sleep(seconds: Double) {
    var duration = timespec()
    duration.tv_sec = .init(seconds)
    duration.tv_nsec = .init((seconds - seconds.rounded(.down)) * 1e9)
    var rest = timespec()
    while nanosleep(&duration, &rest) != 0, errno == EINTR { duration = rest }
  }
}

/// A thread-local Boolean value, which is false until the thread sets it.
package struct ThreadFlag: Sendable {
  private let key: pthread_key_t

  /// Creates a flag. Its thread-local key is never deleted.
  package init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "cannot create a thread-local value: errno \(status)")
    self.key = key
  }

  /// The value of the flag on the current thread.
  package var isSet: Bool {
    get { pthread_getspecific(key) != nil }
    nonmutating set { pthread_setspecific(key, newValue ? UnsafeRawPointer(bitPattern: 1) : nil) }
  }
}
