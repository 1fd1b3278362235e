import DaybookJournal
import DaybookStore

#if Postgres
  @_spi(Tools) import DaybookPostgres
#endif

/// The connections of the tool to shared logs.
///
/// A build without the trait `Postgres` has none. Its commands then print what to build.
enum SharedLogs {
  /// The paragraph of the help texts about URLs.
  static let notes = """
    URL is postgres://USER@HOST:PORT/DATABASE/LOG: the last part of its path is the
    name of the log. Several hosts are separated by commas. A path with one part is
    the name of the database and of the log. Passwords are read from ~/.pgpass or
    PGPASSWORD. The commands for shared logs need a tool that was built with
    'swift build --traits Postgres'.
    """

  /// A Boolean value that indicates whether this build can connect to shared logs.
  static var isSupported: Bool {
    #if Postgres
      true
    #else
      false
    #endif
  }

  /// Returns a log that connects at its first call.
  ///
  /// - Parameters:
  ///   - url: The URL, or the address that a replica has kept.
  ///   - purpose: The beginning of the sentence for a build without support, such as `clone`.
  /// - Throws: ``ToolError`` if the URL is invalid, or this build cannot connect to logs
  static func log(at url: String, for purpose: String) throws(ToolError) -> any SharedLog {
    #if Postgres
      let parts = try parts(of: url, for: purpose)
      return PostgresLog(parts.database, name: parts.log)
    #else
      throw absence(purpose)
    #endif
  }

  /// Returns a URL without its password.
  static func withoutPassword(_ url: String, for purpose: String) throws(ToolError) -> String {
    #if Postgres
      return try parts(of: url, for: purpose).withoutPassword
    #else
      throw absence(purpose)
    #endif
  }

  /// Prints that the password of a URL is not kept, if there is one.
  static func warnAboutPassword(in url: String, for purpose: String) throws(ToolError) {
    #if Postgres
      guard try parts(of: url, for: purpose).hasPassword else { return }
      StandardError.write(
        "The password of the URL is not kept. Later commands read it from ~/.pgpass or PGPASSWORD.")
    #endif
  }

  /// Creates the tables for logs in the database of a URL, and the roles.
  static func createTables(
    in url: String, readers: [String], writers: [String], keepers: [String], for purpose: String
  ) throws(ToolError) {
    #if Postgres
      let parts = try parts(of: url, for: purpose)
      do throws(SharedLogError) {
        try Waiting.value { () async throws(SharedLogError) in
          try await PostgresLog.createSchema(
            parts.database, readers: readers, writers: writers, keepers: keepers)
        }
      } catch {
        throw ToolError(SharedLogError(error.reason, log: parts.withoutPassword))
      }
    #else
      throw absence(purpose)
    #endif
  }

  /// Removes the log of a URL, and returns its last transaction.
  static func remove(_ url: String, for purpose: String) throws(ToolError) -> SequenceNumber {
    #if Postgres
      let parts = try parts(of: url, for: purpose)
      let log = PostgresLog(parts.database, name: parts.log)
      let last = try last(in: log, at: parts.withoutPassword)
      do throws(SharedLogError) {
        try Waiting.value { () async throws(SharedLogError) in try await log.remove() }
      } catch { throw ToolError(error) }
      return last
    #else
      throw absence(purpose)
    #endif
  }

  /// Returns the last transaction of a log.
  ///
  /// - Throws: ``ToolError`` if the database contains no such log
  static func last(in log: any SharedLog, at url: String) throws(ToolError) -> SequenceNumber {
    let head: SharedHead?
    do throws(SharedLogError) {
      head = try Waiting.value { () async throws(SharedLogError) in try await log.head() }
    } catch { throw ToolError(error) }
    guard let head else {
      throw ToolError(
        .refused, sentence: "\(url): the database contains no log of this name, or an empty one.")
    }
    return SequenceNumber(max(head.next.rawValue, 1) - 1)
  }

  #if Postgres
    private static func parts(
      of url: String, for purpose: String
    ) throws(ToolError) -> PostgresLogURL {
      do throws(SharedLogError) { return try PostgresLogURL(url) } catch {
        throw ToolError(
          .usage, sentence: "\(error)",
          advice: purpose.contains(" ") ? nil : "daybook \(purpose) --help")
      }
    }
  #endif

  /// The error of a build without support for shared logs.
  static func absence(_ purpose: String) -> ToolError {
    ToolError(
      .refused,
      sentence: "\(purpose) needs a tool with PostgreSQL. Install libpq, and build the tool with "
        + "the trait Postgres.",
      advice: "swift build -c release --traits Postgres")
  }
}

extension ToolError {
  init(_ error: SharedLogError) { self.init(.refused, sentence: "\(error)") }

  /// Creates the error of a command that reads a log or publishes to it. The errors of the library
  /// are about saves.
  ///
  /// - Parameters:
  ///   - error: The error of the library.
  ///   - name: The name of the journal.
  init(_ error: StoreError, sharing name: String) {
    guard case .journal(let cause) = error.reason else {
      self.init(StoreError(error.reason, path: name))
      return
    }
    switch cause.reason {
    case .sharedLog(let reason): self.init(.refused, sentence: "\(name): \(reason)")
    case .planOutdated(let log):
      self.init(
        .refused,
        sentence: "\(name): the log \(log) has changed after the command had read it. The replica "
          + "was not changed. Type the command again.")
    default: self.init(StoreError(error.reason, path: name))
    }
  }
}
