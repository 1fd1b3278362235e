#if Postgres
  import DaybookPlatform
  import Synchronization

  /// A place at which a thread waits for a socket, and at which other threads end its waits.
  //
  // Shared state: `closed`, an atomic flag that is set once. The pipe is thread-safe.
  final class ConnectionGate: Sendable {
    private let pipe = WakingPipe()
    private let closed = Atomic(false)

    /// A Boolean value that indicates whether the owner of the connection was closed.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Ends the current wait, and lets each later wait return at once.
    func close() {
      closed.store(true, ordering: .releasing)
      pipe.wake()
    }

    /// Ends the current or the next wait.
    func wake() { pipe.wake() }

    /// Waits until the socket is ready, a thread ends the wait, or the time has passed.
    ///
    /// - Returns: False if the time has passed.
    func wait(forSocket socket: Int32 = -1, isWriting: Bool = false, milliseconds: Int) -> Bool {
      isClosed
        || pipe.wait(forSocket: socket, isWriting: isWriting, milliseconds: milliseconds)
    }
  }
#endif
