#if Postgres
  import CLibPQ

  /// The ways in which a statement fails.
  enum PostgresFailure: Error {
    /// The connection ended. The server may have executed the statement.
    case lost(String)
    /// The server did not react in the time limit. The server may have executed the statement.
    case late(String)
    /// The log was closed during the statement. The server may have executed the statement.
    case closed
    /// The server refused the statement, and has undone it.
    case refused(state: String, message: String)

    var text: String {
      switch self {
      case .lost(let message), .late(let message), .refused(_, let message): message
      case .closed: "the log was closed"
      }
    }
  }

  /// The SQL states that the module distinguishes.
  enum SQLState {
    static let uniqueViolation = "23505"
    static let readOnly = "25006"
    static let insufficientPrivilege = "42501"
    static let duplicateObject = "42710"
    static let undefinedTable = "42P01"
    static let undefinedSchema = "3F000"
    static let duplicateStatement = "42P05"
    static let unknownStatement = "26000"
    static let deadlock = "40P01"

    /// Returns a Boolean value that indicates whether the same statement can succeed later, on the
    /// same server, without a change of rights or of tables.
    static func isTransient(_ state: String) -> Bool {
      // Lost connections, rolled-back transactions, a lack of resources, objects in use, an
      // administrator's intervention, errors of the system, internal errors.
      ["08", "40", "53", "55", "57", "58", "XX"].contains { state.hasPrefix($0) }
    }

    /// Returns a Boolean value that indicates whether an error leaves the outcome open.
    static func isUncertain(_ state: String) -> Bool {
      state.hasPrefix("08") || state == "40003"
    }
  }

  /// A field of an error or a warning, in the protocol of PostgreSQL.
  enum MessageField: UInt8 {
    case severity = 0x56  // V: the severity that is not translated.
    case state = 0x43  // C
    case text = 0x4D  // M

    func value(in result: OpaquePointer?) -> String {
      PQresultErrorField(result, Int32(rawValue)).map { String(cString: $0) } ?? ""
    }
  }
#endif
