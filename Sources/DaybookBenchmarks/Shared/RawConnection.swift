#if Postgres
  import CLibPQ

  /// A connection to a server for yardsticks, used as by a program without Daybook. Its calls block
  /// the thread.
  //
  // `@unchecked` is safe because measurements use a connection from only one thread at a time.
  final class RawConnection: @unchecked Sendable {
    private let connection: OpaquePointer

    struct RawFailure: Error, CustomStringConvertible {
      let description: String
    }

    init(_ url: String) throws {
      guard let connection = PQconnectdb(url) else { throw RawFailure(description: "no memory") }
      self.connection = connection
      guard PQstatus(connection) == CONNECTION_OK else { throw failure() }
      try execute(
        """
        set client_min_messages = warning;
        create table if not exists plain (number bigint primary key, frames bytea not null);
        alter table plain alter column frames set storage external
        """)
      PQclear(
        PQprepare(
          connection, "plain", "insert into plain values ($1::bigint, $2::bytea)", 2, nil))
    }

    deinit { PQfinish(connection) }

    private func failure() -> RawFailure {
      RawFailure(description: String(cString: PQerrorMessage(connection)))
    }

    private func check(_ result: OpaquePointer?, is expected: ExecStatusType) throws {
      defer { PQclear(result) }
      guard PQresultStatus(result) == expected else { throw failure() }
    }

    func execute(_ text: String) throws {
      try check(PQexec(connection, text), is: PGRES_COMMAND_OK)
    }

    /// Inserts a row and commits.
    func insert(_ number: Int, bytes: [UInt8]) throws {
      try withUnsafeBytes(of: Int64(number).bigEndian) { number in
        try bytes.withUnsafeBytes { bytes in
          let values = [number, bytes].map { $0.assumingMemoryBound(to: CChar.self).baseAddress }
          let lengths = [Int32(number.count), Int32(bytes.count)]
          try check(
            PQexecPrepared(connection, "plain", 2, values, lengths, [1, 1], 0),
            is: PGRES_COMMAND_OK)
        }
      }
    }

    /// Copies rows of equal sizes into the table in the binary format, in one transaction.
    func copyIn(from first: Int, count: Int, byteCount: Int) throws {
      var buffer = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]
      buffer += [UInt8](repeating: 0, count: 8)
      func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
      }
      let frames = [UInt8](repeating: 7, count: byteCount)
      for number in first..<first + count {
        append(Int16(2))
        append(Int32(8))
        append(Int64(number))
        append(Int32(byteCount))
        buffer.append(contentsOf: frames)
      }
      append(Int16(-1))
      try check(PQexec(connection, "copy plain from stdin (format binary)"), is: PGRES_COPY_IN)
      let status = buffer.withUnsafeBytes { bytes in
        PQputCopyData(
          connection, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count))
      }
      guard status == 1, PQputCopyEnd(connection, nil) == 1 else { throw failure() }
      try check(PQgetResult(connection), is: PGRES_COMMAND_OK)
      while let rest = PQgetResult(connection) { PQclear(rest) }
    }

    /// Passes each row of a query in the binary format of COPY to a closure.
    func copyOut(_ query: String, each body: (UnsafeRawBufferPointer) throws -> Void) throws {
      try check(
        PQexec(connection, "copy (\(query)) to stdout (format binary)"), is: PGRES_COPY_OUT)
      var buffer: UnsafeMutablePointer<CChar>?
      while true {
        let count = PQgetCopyData(connection, &buffer, 0)
        guard count > 0, let bytes = buffer else { break }
        defer { PQfreemem(bytes) }
        try body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      }
      try check(PQgetResult(connection), is: PGRES_COMMAND_OK)
      while let rest = PQgetResult(connection) { PQclear(rest) }
    }
  }
#endif
