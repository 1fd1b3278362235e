import Glibc

/// A thread of the operating system.
package struct SystemThread: ~Copyable {
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

  /// Runs a closure on a new thread; nil if the system has none to give.
  package init?(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) {
    guard let thread = SystemThread.create(stackByteCount: stackByteCount, body) else { return nil }
    self.thread = thread
  }

  /// Waits until the thread has ended.
  package consuming func join() { pthread_join(thread, nil) }

  private static func create(
    stackByteCount: Int?, _ body: @escaping @Sendable () -> Void
  ) -> pthread_t? {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackByteCount { pthread_attr_setstacksize(&attributes, stackByteCount) }
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard status == 0 else {
      work.release()
      return nil
    }
    return thread
  }

  // MARK: The current thread

  /// Waits for some time. It returns early when a signal handler runs.
  package static func pause(milliseconds: Int) { poll(nil, 0, Int32(clamping: milliseconds)) }

  /// Waits for all of some time, whatever signals arrive.
  package static func sleep(seconds: Double) {
    var wanted = timespec(
      tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    var rest = timespec()
    while nanosleep(&wanted, &rest) != 0, errno == EINTR { wanted = rest }
  }
}
