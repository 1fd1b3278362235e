import DaybookJournal
import DaybookPlatform

/// The result of a salvage: the counts of saved and of lost data.
public struct SalvageReport: Hashable, Sendable {
  /// A range of transactions that could not be read.
  ///
  /// It contains all transactions between two numbers, or all later ones if the second number is
  /// nil.
  public struct Gap: Hashable, Sendable {
    /// The last transaction before the gap.
    public var after: SequenceNumber
    /// The first transaction after the gap, or nil if none follows.
    public var before: SequenceNumber?

    package init(after: SequenceNumber, before: SequenceNumber?) {
      self.after = after
      self.before = before
    }
  }

  /// The number of transactions that were written.
  public internal(set) var transactionCount = 0
  /// The transactions that could not be read.
  public internal(set) var gaps: [Gap] = []
  /// The transactions with intact frames that cannot be understood.
  ///
  /// They use layouts that were lost, and no later transaction repeats these layouts.
  public internal(set) var notUnderstood: [SequenceNumber] = []
  /// The number of updates that were written as inserts, because earlier changes of the record were
  /// lost.
  public internal(set) var insertedCount = 0
  /// The number of deletes that were omitted, because the record was lost.
  public internal(set) var droppedDeleteCount = 0
  /// The number of values that were lost together with their transactions.
  public internal(set) var lostValueCount = 0
}

extension Store {
  /// Writes all readable transactions of a damaged journal to a new journal.
  ///
  /// ```swift
  /// let report = try Store.salvage(from: "banks.daybook", to: "saved.daybook")
  /// print("\(report.transactionCount) transactions were saved; lost: \(report.gaps)")
  /// ```
  ///
  /// The old journal is never changed. Every readable transaction is written with its time and its
  /// metadata, under the next free number. Rows contain all values of a record, so an update of a
  /// lost record is written as an insert. The deletion of a lost record is omitted.
  ///
  /// The new journal has a temporary name until it is complete and synced. If the process is
  /// killed, no file has the new name. If the new journal cannot be completed, the salvage tries to
  /// remove it.
  ///
  /// - Throws: ``StoreError`` with `journal` if the old journal cannot be read at all, or if the
  ///   new journal cannot be created. A file with its name must not exist.
  /// - Complexity: O(*n*) in the size of the journal, and memory for its contents
  @discardableResult
  @available(*, noasync, message: "salvaging blocks a thread until it ends")
  public static func salvage(
    from path: String, to newPath: String, options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> SalvageReport {
    try Salvage.run(from: path, to: newPath, options: options)
  }
}

extension Store {
  /// Verifies a journal from end to end, and reports every problem.
  ///
  /// ```swift
  /// let summary = try Store.verify(at: "banks.daybook") { print($0) }
  /// if summary.problemCount == 0 { print("OK") }
  /// ```
  ///
  /// The function verifies the bytes of the file, but not the records; see
  /// `FileJournal.verify(at:options:report:)`.
  ///
  /// - Throws: ``StoreError`` with `journal` if the file cannot be opened or read.
  /// - Complexity: O(*n*) in the size of the file, in constant memory
  public static func verify(
    at path: String, options: JournalOptions = JournalOptions(),
    report: (VerificationProblem) -> Void
  ) throws(StoreError) -> VerificationSummary {
    do throws(JournalError) {
      return try FileJournal.verify(at: path, options: options, report: report)
    } catch { throw StoreError(.journal(error), path: path) }
  }
}

/// The steps of a salvage.
private enum Salvage {
  static func run(
    from path: String, to newPath: String, options: JournalOptions
  ) throws(StoreError) -> SalvageReport {
    var pieces: JournalPieces
    let place: JournalPlace
    do throws(JournalError) {
      pieces = try JournalPieces(of: path, on: options.disk)
      place = try JournalPlace(newPath, on: options.disk)
      if try Salvage.exists(newPath, on: options.disk) {
        throw JournalError(.exists, path: newPath)
      }
    } catch { throw StoreError(.journal(error), path: path) }
    // Some payloads repeat all layouts. A later transaction may therefore contain the layouts that
    // were lost.
    var catalog = Catalog()
    var survey = pieces
    while let piece = try next(of: &survey, path: path) {
      try record(piece, in: &catalog, path: path)
    }
    // The new journal is synced as a whole when it is closed.
    var options = options
    options.durability = .none
    // The result must be a single file, without a checkpoint beside it.
    options.keepsCheckpoints = false
    JournalCreation.removeAllAbandoned(at: place, on: options.disk)
    // The temporary name is unique. The journal is not locked between its closing and its final
    // naming. With a fixed name, this salvage could open and continue the file of another salvage.
    let temporaryPath = place.newPath(options.random())
    do throws(StoreError) {
      // Errors of the removal are ignored, so that an earlier error is thrown. The next salvage
      // removes remaining files.
      defer {
        for name in [temporaryPath + JournalPlace.endSuffix, temporaryPath] {
          try? options.disk.remove(name)
        }
      }
      let store = try Store(at: temporaryPath, types: [], options: options)
      do throws(StoreError) {
        var run = try SalvageRun(into: store, catalog: catalog)
        while let piece = try next(of: &pieces, path: path) { try run.add(piece) }
        try run.finish()
        try name(temporaryPath, as: place, on: options.disk)
        return run.report
      } catch {
        try? store.closeAndWait()
        throw error
      }
    } catch {
      throw error.naming(newPath, for: temporaryPath)
    }
  }

  /// Gives a complete journal its final name.
  private static func name(
    _ temporaryPath: String, as place: JournalPlace, on disk: any Disk
  ) throws(StoreError) {
    do throws(JournalError) {
      let isNamed = try JournalError.translating(place.path) { () throws(DiskError) in
        try? disk.remove(temporaryPath + JournalPlace.endSuffix)
        return try JournalCreation.link(temporaryPath, to: place, on: disk)
      }
      guard isNamed else { throw JournalError(.exists, path: place.path) }
      try JournalError.translating(place.path) { () throws(DiskError) in
        do throws(DiskError) { try disk.syncDirectory(place.directory) } catch {
          // It is unknown whether the name is durable, so the name is removed.
          try? disk.remove(place.resolvedPath)
          throw error
        }
      }
    } catch { throw StoreError(.journal(error), path: place.path) }
  }

  private static func next(
    of pieces: inout JournalPieces, path: String
  ) throws(StoreError) -> JournalPieces.Piece? {
    do throws(JournalError) { return try pieces.next() } catch {
      throw StoreError(.journal(error), path: path)
    }
  }

  private static func record(
    _ piece: JournalPieces.Piece, in catalog: inout Catalog, path: String
  ) throws(StoreError) {
    let payload: ByteView
    let sequence: SequenceNumber
    switch piece {
    case .gap: return
    case .base(let base, let head): (payload, sequence) = (base, head.sequence)
    case .transaction(let transaction):
      (payload, sequence) = (transaction.payload, transaction.sequence)
    }
    let defect = payload.withSpan { bytes in
      var reader = PayloadReader(bytes, layouts: catalog.layouts)
      for layout in reader.takeNewLayouts() { _ = catalog.add(layout) }
      return reader.defect
    }
    // A payload that exceeds a limit is not damaged. Omitting it would make it look damaged.
    if let defect, case .limit = defect.kind {
      throw StoreError(defect, in: sequence, path: path)
    }
  }

  private static func exists(_ path: String, on disk: any Disk) throws(JournalError) -> Bool {
    do throws(DiskError) {
      _ = try disk.status(of: path)
      return true
    } catch {
      guard error.code == Errno.noSuchFile else { throw JournalError(error, path: path) }
      return false
    }
  }
}

extension StoreError {
  /// Returns the same error with the path that the caller passed.
  fileprivate func naming(_ path: String, for temporaryPath: String) -> StoreError {
    guard self.path == temporaryPath else { return self }
    guard case .journal(let error) = reason else { return StoreError(reason, path: path) }
    let renamed = JournalError(
      error.reason, path: path, offset: error.offset, lastReadable: error.lastReadable,
      base: error.base)
    return StoreError(.journal(renamed), path: path)
  }
}
