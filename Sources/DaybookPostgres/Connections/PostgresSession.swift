#if Postgres
  import CLibPQ
  import DaybookPlatform

  /// A statement that a session prepares before its third execution, or earlier for an append.
  struct PostgresStatement {
    let name: String
    let text: String
  }

  /// A connection to a server.
  ///
  /// Its calls block the thread. A call fails if the server does not react in the time limit. Then
  /// the owner drops the session, which closes the connection: a request to cancel the statement
  /// could reach a later statement.
  final class PostgresSession {
    private let connection: OpaquePointer
    private let address: PostgresAddress
    private let gate: ConnectionGate
    private let limitMilliseconds: Int
    /// The numbers of the hosts that were tried. The last one is that of the session.
    let triedHosts: [Int]
    private let notices = NoticeList()
    private var executionCounts: [String: Int] = [:]
    private var preparedNames: Set<String> = []

    /// The warnings that the server has sent with the results of the session's last statement.
    private final class NoticeList {
      var warnings: [String] = []
    }

    /// Connects to the first host that accepts the connection. libpq tries the hosts in order, each
    /// of them for the `connect_timeout` of the URL.
    init(
      _ address: PostgresAddress, firstHost: Int, gate: ConnectionGate, limitMilliseconds: Int
    ) throws(PostgresFailure) {
      let parameters = address.parameters(firstHost: firstHost)
      let connection = PostgresSession.withCStrings(parameters.map(\.keyword)) { keywords in
        PostgresSession.withCStrings(parameters.map(\.value)) { values in
          PQconnectdbParams(keywords, values, 0)
        }
      }
      guard let connection else {
        throw .lost("there is no memory for a connection")
      }
      (self.connection, self.address, self.gate) = (connection, address, gate)
      self.limitMilliseconds = limitMilliseconds
      let host = String(cString: PQhost(connection)), port = String(cString: PQport(connection))
      triedHosts = address.hosts(from: firstHost, through: (host, port))
      guard PQstatus(connection) == CONNECTION_OK, PQsetnonblocking(connection, 1) == 0 else {
        // The object exists, so `deinit` closes the connection.
        throw .lost(connectionMessage)
      }
      PQsetNoticeReceiver(
        connection,
        { list, result in
          guard let list, MessageField.severity.value(in: result) == "WARNING" else { return }
          Unmanaged<NoticeList>.fromOpaque(list).takeUnretainedValue().warnings
            .append(MessageField.text.value(in: result))
        }, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit { PQfinish(connection) }

    /// Passes a list of C strings to a body. The list ends with nil.
    private static func withCStrings<Result>(
      _ strings: [String], body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
      var buffer: [CChar] = []
      let offsets = strings.map { string in
        defer { buffer.append(contentsOf: string.utf8CString) }
        return buffer.count
      }
      return buffer.withUnsafeBufferPointer { buffer in
        body(offsets.map { buffer.baseAddress?.advanced(by: $0) } + [nil])
      }
    }

    /// The version of the server, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(connection)) }

    /// The first warning of the server for the last statement, without passwords.
    var warning: String? { notices.warnings.first.map(address.clean) }

    private var connectionMessage: String {
      address.clean(String(cString: PQerrorMessage(connection)))
    }

    /// A Boolean value that indicates whether the connection is open, as far as this machine knows.
    ///
    /// The property reads the bytes that have arrived. So it finds a connection that the server has
    /// closed, on which a statement would have an unknown outcome.
    var isOpen: Bool {
      // The last message of the server and the end of the connection are read one after the other.
      while !gate.isClosed, gate.wait(forSocket: PQsocket(connection), milliseconds: 0) {
        guard PQconsumeInput(connection) == 1 else { return false }
      }
      return PQstatus(connection) == CONNECTION_OK
    }

    // MARK: Statements

    /// Prepares a statement, if the session has not prepared it before.
    func prepare(_ statement: PostgresStatement) throws(PostgresFailure) {
      guard !preparedNames.contains(statement.name) else { return }
      notices.warnings = []
      guard PQsendPrepare(connection, statement.name, statement.text, 0, nil) == 1 else {
        throw .lost(connectionMessage)
      }
      _ = try result()
      preparedNames.insert(statement.name)
    }

    /// Executes a statement, and prepares it before its third execution. The preparation costs a
    /// round trip, which a program that ends soon would lose.
    func execute(
      _ statement: PostgresStatement, with values: [PostgresValue]
    ) throws(PostgresFailure) -> PostgresRows {
      if executionCounts[statement.name, default: 0] >= 2 { try prepare(statement) }
      notices.warnings = []
      let isSent = withParameters(values) { pointers, lengths, formats in
        preparedNames.contains(statement.name)
          ? PQsendQueryPrepared(
            connection, statement.name, Int32(values.count), pointers, lengths, formats, 1) == 1
          : PQsendQueryParams(
            connection, statement.text, Int32(values.count), nil, pointers, lengths, formats, 1)
            == 1
      }
      guard isSent else { throw .lost(connectionMessage) }
      executionCounts[statement.name, default: 0] += 1
      return try result()
    }

    /// Executes the text of one statement without parameters.
    @discardableResult
    func execute(_ query: String) throws(PostgresFailure) -> PostgresRows {
      notices.warnings = []
      guard PQsendQueryParams(connection, query, 0, nil, nil, nil, nil, 1) == 1 else {
        throw .lost(connectionMessage)
      }
      return try result()
    }

    /// Executes statements without results, in one transaction.
    func executeAll(_ query: String) throws(PostgresFailure) {
      notices.warnings = []
      guard PQsendQuery(connection, query) == 1 else { throw .lost(connectionMessage) }
      _ = try result()
    }

    /// Passes the values to a body in the form that libpq needs.
    private func withParameters<Result>(
      _ values: [PostgresValue],
      body: ([UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
      var buffer: [UInt8] = []
      buffer.reserveCapacity(values.reduce(1) { $0 + $1.byteCount })
      let offsets = values.map { value in
        defer { value.append(to: &buffer) }
        return buffer.count
      }
      // An empty buffer could have no address, which means NULL to libpq.
      buffer.append(0)
      let lengths = values.map { Int32(clamping: $0.byteCount) }
      return buffer.withUnsafeBytes { bytes in
        let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
        return body(offsets.map { start?.advanced(by: $0) }, lengths, values.map { _ in 1 })
      }
    }

    // MARK: Results

    /// Sends what is not sent yet, and returns the last result of the statement.
    private func result() throws(PostgresFailure) -> PostgresRows {
      var rows: OpaquePointer?
      var failure: PostgresFailure?
      defer { if let rows { PQclear(rows) } }
      results: while true {
        // After a FATAL error, the connection ends too. The error says more.
        do { try waitForResult() } catch { throw failure ?? error }
        guard let next = PQgetResult(connection) else { break }
        switch PQresultStatus(next) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
          if let rows { PQclear(rows) }
          rows = next
        default:
          failure = failure ?? self.failure(next)
          PQclear(next)
          // The state of a COPY, for example, has no end.
          if case .lost? = failure { break results }
        }
      }
      if let failure { throw failure }
      guard PQstatus(connection) == CONNECTION_OK, let last = rows.take() else {
        throw .lost(connectionMessage)
      }
      return PostgresRows(last)
    }

    private func failure(_ result: OpaquePointer) -> PostgresFailure {
      let state = MessageField.state.value(in: result)
      let severity = MessageField.severity.value(in: result)
      let message = MessageField.text.value(in: result)
      // After a FATAL error, the server ends the connection. libpq reports a lost connection as a
      // result without a severity.
      guard severity == "ERROR", !SQLState.isUncertain(state) else {
        return .lost(message.isEmpty ? connectionMessage : address.clean(message))
      }
      return .refused(state: state, message: address.clean(message))
    }

    /// Waits until the next result can be read without blocking. The time limit applies to each
    /// interval without any progress of the connection.
    private func waitForResult() throws(PostgresFailure) {
      while true {
        let unsent = PQflush(connection)
        guard unsent >= 0 else { throw .lost(connectionMessage) }
        guard unsent == 1 || PQisBusy(connection) == 1 else { return }
        try wait(isWriting: unsent == 1)
        guard PQconsumeInput(connection) == 1 else { throw lostConnection() }
      }
    }

    /// Returns the failure of a connection that ended while a statement ran. The server may have
    /// sent an error before, which says more.
    private func lostConnection() -> PostgresFailure {
      while PQisBusy(connection) == 0, let next = PQgetResult(connection) {
        defer { PQclear(next) }
        let message = MessageField.text.value(in: next)
        if !message.isEmpty { return .lost(address.clean(message)) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(next)) else { break }
      }
      return .lost(connectionMessage)
    }

    private func wait(isWriting: Bool) throws(PostgresFailure) {
      let isReady = gate.wait(
        forSocket: PQsocket(connection), isWriting: isWriting, milliseconds: limitMilliseconds)
      if gate.isClosed { throw .closed }
      guard isReady else {
        let seconds = Double(limitMilliseconds) / 1000
        throw .late("the server did not react for \(seconds) seconds")
      }
    }

    // MARK: Notifications

    /// The text of the last notification.
    private(set) var lastPayload = ""

    /// Waits until something arrives, or until the gate ends the wait.
    ///
    /// - Returns: True if a notification has arrived.
    func waitForNotification() throws(PostgresFailure) -> Bool {
      _ = gate.wait(forSocket: PQsocket(connection), milliseconds: -1)
      if gate.isClosed { throw .closed }
      guard PQconsumeInput(connection) == 1 else { throw lostConnection() }
      var isNotified = false
      while let notification = PQnotifies(connection) {
        lastPayload = notification.pointee.extra.map { String(cString: $0) } ?? ""
        PQfreemem(notification)
        isNotified = true
      }
      return isNotified
    }
  }
#endif
