#if Postgres
  import DaybookCLibrary
  import Synchronization
  import TestSupport

  /// A relay between clients and a server, which can cut its connections or stop passing bytes.
  //
  // Shared state: `state`, guarded by its mutex.
  final class Relay: Sendable {
    enum Direction: Hashable, Sendable { case toServer, toClient }

    enum Fault: Hashable, Sendable {
      /// Cuts the connection after a number of further bytes in a direction.
      case cut(Direction, afterByteCount: Int)
      /// Passes no further byte in either direction.
      case silence
    }

    private struct State {
      var fault: Fault?
      var passed: [Direction: Int] = [:]
      var roundTripCount = 0
      var pairs: [Pair] = []
      var isClosed = false
    }

    /// The two sockets of one relayed connection.
    private final class Pair: Sendable {
      let client: Int32
      let server: Int32
      /// A Boolean value that indicates whether the last bytes came from the server.
      let isAnswered = Atomic(true)

      init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

      deinit { for descriptor in [client, server] { DaybookCLibrary.close(descriptor) } }

      func shutDown() {
        for descriptor in [client, server] { shutdown(descriptor, Int32(SHUT_RDWR)) }
      }
    }

    private let state = Mutex(State())
    private let listener: LoopbackSocket
    private let serverPort: Int

    var port: Int { listener.port }

    init(toPort serverPort: Int) throws {
      listener = try LoopbackSocket.listening()
      self.serverPort = serverPort
      let listener = listener
      detach { [weak self] in
        while true {
          let client = accept(listener.descriptor, nil, nil)
          guard client >= 0, let self else { break }
          _ = fcntl(client, F_SETFD, FD_CLOEXEC)
          self.connect(client)
        }
      }
    }

    deinit { close() }

    func close() {
      let (pairs, isFirst) = state.withLock { state in
        defer { (state.pairs, state.isClosed) = ([], true) }
        return (state.pairs, !state.isClosed)
      }
      if isFirst { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }
      for pair in pairs { pair.shutDown() }
    }

    /// Sets a fault, which the next bytes meet. It applies once, except for silence.
    func set(_ fault: Fault?) {
      state.withLock { state in
        state.fault = fault
        state.passed = [:]
      }
    }

    /// The number of bytes that were passed in a direction after the last call of ``set(_:)``.
    func passedByteCount(_ direction: Direction) -> Int {
      state.withLock { $0.passed[direction] ?? 0 }
    }

    /// The number of round trips of all connections: one for each connection, and one for each
    /// request that follows an answer. The end of a connection has no answer.
    var roundTripCount: Int { state.withLock { $0.roundTripCount } }

    private func connect(_ client: Int32) {
      let server = LoopbackSocket.connected(toPort: serverPort)
      guard server >= 0 else {
        DaybookCLibrary.close(client)
        return
      }
      let pair = Pair(client: client, server: server)
      state.withLock { state in
        state.pairs.append(pair)
        state.roundTripCount += 1
      }
      detach { self.pass(pair, .toServer) }
      detach { self.pass(pair, .toClient) }
    }

    private func pass(_ pair: Pair, _ direction: Direction) {
      let source = direction == .toServer ? pair.client : pair.server
      let target = direction == .toServer ? pair.server : pair.client
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        let isRequest = direction == .toServer && buffer[0] != UInt8(ascii: "X")
        if pair.isAnswered.exchange(!isRequest, ordering: .relaxed), isRequest {
          state.withLock { $0.roundTripCount += 1 }
        }
        let (allowed, isCut) = state.withLock { state -> (Int, Bool) in
          switch state.fault {
          case .silence: return (0, false)
          case .cut(direction, let limit):
            let passed = state.passed[direction] ?? 0
            let allowed = min(count, limit - passed)
            state.passed[direction] = passed + allowed
            guard passed + count >= limit else { return (count, false) }
            state.fault = nil
            return (allowed, true)
          default:
            state.passed[direction, default: 0] += count
            return (count, false)
          }
        }
        var sent = 0
        while sent < allowed {
          let step = send(
            target, Array(buffer[sent..<allowed]), allowed - sent, Int32(MSG_NOSIGNAL))
          guard step > 0 else { break }
          sent += step
        }
        if isCut { break }
      }
      pair.shutDown()
      state.withLock { state in state.pairs.removeAll { $0 === pair } }
    }
  }

  private func detach(_ body: @escaping @Sendable () -> Void) { _ = TestThread<Void>(body) }
#endif
