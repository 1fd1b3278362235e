#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import Synchronization

  /// Receives the notifications of a log on a connection and a thread of its own, and passes them
  /// to streams.
  ///
  /// The thread runs while a stream exists. After a connection was lost, it connects again, and
  /// notifies the streams: notifications may have been lost with the connection.
  //
  // Shared state: `state`, guarded by its mutex. Streams are finished after the mutex is released.
  final class PostgresListener: Sendable {
    private struct State {
      var streams: [UInt64: AsyncStream<Void>.Continuation] = [:]
      var lastID: UInt64 = 0
      var hasThread = false
      var isClosed = false
    }

    private let state = Mutex(State())
    private let connector: PostgresConnector
    private let channel: String

    /// Creates a listener with a separate connector, whose gate no other thread waits at.
    init(_ connector: PostgresConnector, channel: String) {
      self.connector = connector
      self.channel = channel
    }

    func stream() -> AsyncStream<Void> {
      let (stream, continuation) = AsyncStream<Void>.makeStream(
        bufferingPolicy: .bufferingNewest(1))
      let (id, startsThread) = state.withLock { state -> (UInt64?, Bool) in
        guard !state.isClosed else { return (nil, false) }
        state.lastID += 1
        state.streams[state.lastID] = continuation
        defer { state.hasThread = true }
        return (state.lastID, !state.hasThread)
      }
      guard let id else {
        continuation.finish()
        return stream
      }
      continuation.onTermination = { [self] _ in
        state.withLock { _ = $0.streams.removeValue(forKey: id) }
        connector.gate.wake()
      }
      if startsThread, !SystemThread.detach({ self.run() }) {
        // Without a thread there are no hints, which the protocol allows.
        state.withLock { $0.hasThread = false }
      }
      return stream
    }

    /// Ends the streams and the thread.
    func close() {
      let streams = state.withLock { state in
        state.isClosed = true
        return Array(state.streams.values)
      }
      for stream in streams { stream.finish() }
      connector.gate.close()
    }

    // MARK: The thread

    private func run() {
      var firstHost = 0
      var pauses = RetryPauses(from: 100_000_000, to: 5_000_000_000)
      while !isDone() {
        do {
          let session = try connector.openSession(firstHost: firstHost)
          try session.execute("listen \(channel)")
          firstHost = 0
          pauses.reset()
          notify()
          while !isDone() {
            if try session.waitForNotification() { notify() }
          }
          return
        } catch {
          firstHost += 1
          _ = connector.gate.wait(milliseconds: Int(pauses.next(connector.random()) / 1_000_000))
        }
      }
    }

    /// Returns a Boolean value that indicates whether the thread must end. Then the next stream
    /// starts a new one.
    private func isDone() -> Bool {
      state.withLock { state in
        guard state.isClosed || state.streams.isEmpty else { return false }
        state.hasThread = false
        return true
      }
    }

    private func notify() {
      for stream in state.withLock({ Array($0.streams.values) }) { stream.yield() }
    }
  }
#endif
