#if Postgres
  import DaybookJournal

  /// A URL of a log: a connection string of libpq, with the name of the log as the last part of its
  /// path.
  ///
  /// ```
  /// postgres://daybook@db.example.com/app/banks   the log "banks" in the database "app"
  /// postgres://daybook@db.example.com/banks       the log "banks" in the database "banks"
  /// ```
  @_spi(Tools) public struct PostgresLogURL: Hashable, Sendable {
    /// The URL of the database.
    public let database: String
    /// The name of the log in the database.
    public let log: String

    /// Creates the parts of a URL.
    ///
    /// - Throws: ``SharedLogError`` with `refused`, whose texts contain nothing of the URL, because
    ///   it can contain a password
    public init(_ url: String) throws(SharedLogError) {
      do throws(PostgresAddress.Defect) {
        self = try PostgresLogURL(parsing: url)
        _ = try PostgresAddress(database)
      } catch { throw SharedLogError(.refused(error.reason), log: "of the URL") }
    }

    /// A Boolean value that indicates whether the URL contains a password.
    public var hasPassword: Bool { (try? PostgresAddress(database))?.hasPassword ?? false }

    /// The same URL without passwords.
    public var withoutPassword: String {
      (try? PostgresAddress(database))?.url(ofLog: log) ?? "postgres:///\(PercentCode.encoded(log))"
    }

    init(parsing url: String) throws(PostgresAddress.Defect) {
      guard let scheme = ["postgres://", "postgresql://"].first(where: url.hasPrefix) else {
        throw PostgresLogURL.defect
      }
      let question = url.firstIndex(of: "?") ?? url.endIndex
      let start = url.index(url.startIndex, offsetBy: scheme.count)
      guard start <= question,
        let slash = url[start..<question].firstIndex(of: "/"),
        let last = url[slash..<question].lastIndex(of: "/"),
        let name = PercentCode.decoded(url[url.index(after: last)..<question]), !name.isEmpty,
        // The rest of a password that contains a slash must not become the name of a log.
        !url[last..<question].contains("@")
      else { throw PostgresLogURL.defect }
      log = name
      // The only part of a path is the name of the database too.
      database = last == slash ? url : String(url[..<last] + url[question...])
    }

    private static let defect = PostgresAddress.Defect(
      reason: """
        its URL must be postgres://user@host:port/database/log, with each special character of a \
        part as a percent sign and two digits
        """)
  }

  extension PostgresLog {
    /// Creates a log from a URL that contains its name as the last part of the path. The tool uses
    /// such URLs.
    ///
    /// ```swift
    /// let log = PostgresLog("postgres://daybook@db.example.com/app/banks")
    /// ```
    ///
    /// If the path has only one part, it is the name of the database and of the log.
    ///
    /// - Parameters:
    ///   - url: The URL. One that cannot be used is reported by the first call.
    ///   - options: The time limit and other options.
    public convenience init(_ url: String, options: PostgresOptions = PostgresOptions()) {
      let parts = Result { () throws(PostgresAddress.Defect) in try PostgresLogURL(parsing: url) }
      self.init(
        parts.flatMap { parts in
          Result { () throws(PostgresAddress.Defect) in try PostgresAddress(parts.database) }
        },
        name: (try? parts.get().log) ?? "of the URL", options: options)
    }
  }
#endif
