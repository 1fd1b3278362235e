import Glibc
import Synchronization

/// A thread that does one thing, and can be waited for.
final class TestThread: Sendable {
  private let hasEnded = Atomic(false)
  private nonisolated(unsafe) let thread: UnsafeMutablePointer<pthread_t>

  init(_ body: @escaping @Sendable () -> Void) {
    thread = .allocate(capacity: 1)
    thread.initialize(to: pthread_t())
    let work = Unmanaged.passRetained(Work(body: body, end: { [hasEnded] in hasEnded.set() }))
    let status = pthread_create(
      thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, work.toOpaque())
    precondition(status == 0, "a thread cannot be made: \(status)")
  }

  deinit { thread.deallocate() }

  /// Whether it has done its work.
  var isDone: Bool { hasEnded.isSet }

  /// Waits until it has.
  func join() { pthread_join(thread.pointee, nil) }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    let end: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
      self.body = body
      self.end = end
    }

    func run() {
      body()
      end()
    }
  }
}

/// Something that becomes true once.
private final class Atomic: Sendable {
  private let value: Mutex<Bool>
  init(_ value: Bool) { self.value = Mutex(value) }
  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
