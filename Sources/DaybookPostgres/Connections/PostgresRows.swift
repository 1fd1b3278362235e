#if Postgres
  import CLibPQ
  import DaybookJournal

  /// A value of a parameter, in the binary format of PostgreSQL.
  enum PostgresValue {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// Returns a sequence number as a parameter. A number beyond the range becomes its end.
    static func number(_ number: SequenceNumber) -> PostgresValue {
      .integer(Int64(clamping: number.rawValue))
    }

    /// Returns a checksum or a nonce as a parameter.
    static func check(_ checksum: UInt64) -> PostgresValue { .integer(Int64(bitPattern: checksum)) }

    /// Appends the value to a buffer.
    func append(to buffer: inout [UInt8]) {
      switch self {
      case .integer(let value):
        withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
      case .text(let value): buffer.append(contentsOf: value.utf8)
      case .bytes(let value): buffer.append(contentsOf: value)
      }
    }

    var byteCount: Int {
      switch self {
      case .integer: 8
      case .text(let value): value.utf8.count
      case .bytes(let value): value.count
      }
    }
  }

  /// The rows that a statement returned, in the binary format.
  struct PostgresRows: ~Copyable {
    private let result: OpaquePointer

    /// Creates rows from a result of libpq, which the rows then own.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    func isNull(row: Int, column: Int) -> Bool {
      PQgetisnull(result, Int32(row), Int32(column)) != 0
    }

    func bytes(row: Int, column: Int) -> [UInt8] {
      guard let start = PQgetvalue(result, Int32(row), Int32(column)) else { return [] }
      let byteCount = Int(PQgetlength(result, Int32(row), Int32(column)))
      return [UInt8](UnsafeRawBufferPointer(start: start, count: byteCount))
    }

    func text(row: Int, column: Int) -> String {
      String(decoding: bytes(row: row, column: column), as: UTF8.self)
    }

    /// Returns an integer of eight bytes.
    func integer(row: Int, column: Int) throws(PostgresFailure) -> Int64 {
      let bytes = bytes(row: row, column: column)
      guard bytes.count == 8 else {
        throw .refused(
          state: "", message: "a column has \(bytes.count) bytes, where an integer of 8 is expected"
        )
      }
      return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    func number(row: Int, column: Int) throws(PostgresFailure) -> SequenceNumber {
      SequenceNumber(UInt64(max(0, try integer(row: row, column: column))))
    }

    func check(row: Int, column: Int) throws(PostgresFailure) -> UInt64 {
      UInt64(bitPattern: try integer(row: row, column: column))
    }
  }
#endif
