import DaybookJournal

/// The result of a publication.
public struct PublicationReport: Hashable, Sendable {
  /// The last transaction of the journal.
  public internal(set) var last: SequenceNumber
  /// The number of transactions that the log contains of the journal.
  public internal(set) var transactionCount: Int
}

extension Store {
  /// Appends a journal to an empty shared log. Afterwards, the file is a replica of the log.
  ///
  /// ```swift
  /// try await Store.publish(at: "banks.daybook", to: PostgresLog("postgres://db/app/banks"))
  /// let store = try await Store(
  ///   at: "banks.daybook", sharing: PostgresLog("postgres://db/app/banks"), records: Bank.self)
  /// ```
  ///
  /// All transactions keep their numbers, times and authors. Other machines may open the log when
  /// the call has returned. If the call throws an error, the file is no replica, and the log can
  /// contain a part of the journal. A later call continues there.
  ///
  /// - Throws: ``StoreError`` with `journal` if the journal is open for writing, damaged or a
  ///   replica, or if the log cannot be used.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  public static func publish(
    at path: String, to log: any SharedLog, options: JournalOptions = JournalOptions()
  ) async throws(StoreError) -> PublicationReport {
    let publishing = await options.workers.value {
      Result { () throws(StoreError) in try publishAndWait(at: path, to: log, options: options) }
    }
    return try publishing.get()
  }

  /// Publishes like ``publish(at:to:options:)``, for programs without tasks: the calling thread
  /// waits for the log.
  @discardableResult
  @available(
    *, noasync, message: "use publish, which does not block a thread of the cooperative pool"
  )
  public static func publishAndWait(
    at path: String, to log: any SharedLog, options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> PublicationReport {
    var options = options
    options.createsIfMissing = false
    let link = SharedLink(log)
    defer { link.close() }
    do throws(JournalError) {
      let journal = try FileJournal(at: path, options: options)
      do throws(JournalError) { try journal.publish(to: link) } catch {
        try? journal.closeAndWait()
        throw error
      }
      let (base, last) = (journal.header.base.sequence, journal.head.sequence)
      try journal.closeAndWait()
      return PublicationReport(
        last: last, transactionCount: Int(last.rawValue - base.rawValue))
    } catch { throw StoreError(.journal(error), path: path) }
  }
}
