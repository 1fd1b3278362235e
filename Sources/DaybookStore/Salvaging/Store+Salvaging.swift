import DaybookJournal
import DaybookPlatform

/// The result of a salvage: the counts of saved and of lost data.
public struct SalvageReport: Hashable, Sendable {
  /// A range of transactions that the salvage could not read.
  ///
  /// The range contains all transactions after ``after`` and before ``before``. If ``before`` is
  /// nil, the range contains all transactions after ``after``.
  public struct Gap: Hashable, Sendable {
    /// The last transaction before the gap.
    public var after: SequenceNumber
    /// The first transaction after the gap; nil if no readable transaction follows.
    public var before: SequenceNumber?

    package init(after: SequenceNumber, before: SequenceNumber?) {
      self.after = after
      self.before = before
    }
  }

  /// The number of transactions that were copied. Each piece of the base of a compacted journal
  /// counts as one.
  public internal(set) var transactionCount = 0
  /// The ranges of transactions that the salvage could not read.
  public internal(set) var gaps: [Gap] = []
  /// The transactions that are not written, because their changes cannot be understood. Their
  /// frames are intact.
  ///
  /// Usually such a transaction uses a layout that was lost. A later transaction can contain the
  /// layout again, but no readable one does. It can also contain invalid changes.
  public internal(set) var notUnderstood: [SequenceNumber] = []
  /// The number of updates that were written as inserts, because the record did not exist in the
  /// new journal.
  public internal(set) var insertedCount = 0
  /// The number of deletions that were omitted, because the record did not exist in the new
  /// journal.
  public internal(set) var droppedDeleteCount = 0
  /// The number of large values that were lost together with their transactions. Rows that refer to
  /// them have nil instead.
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
  /// The old journal is never changed. The method writes every transaction that it can read and
  /// understand, with its time and its metadata, under the next free number. The metadata of a
  /// transaction after a gap, or after a transaction that was not understood, has a member
  /// `salvage` that describes the loss. An update contains all values of its record, so an update
  /// of a lost record is written as an insert. The deletion of a lost record is omitted.
  ///
  /// The new journal has a temporary name until it is complete and synced. If the process is killed
  /// before that, no file has the new name. If the method fails, it tries to remove the temporary
  /// file.
  ///
  /// - Throws: ``StoreError`` with `journal` if the old journal cannot be read at all, if a file
  ///   with the new name exists, or if the new journal cannot be written; with `limit` if a schema
  ///   of the old journal exceeds a limit.
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
  /// Verifies the bytes of a journal from its start to its end, and reports every problem.
  ///
  /// ```swift
  /// let summary = try Store.verify(at: "banks.daybook") { print($0) }
  /// if summary.problemCount == 0 { print("OK") }
  /// ```
  ///
  /// The method verifies the frames and not the records in them, as
  /// `FileJournal.verify(at:options:report:)` does.
  ///
  /// - Throws: ``StoreError`` with `journal` if the file cannot be opened or read.
  /// - Complexity: O(*n*) in the size of the file, with memory for the largest transaction and some
  ///   bytes for each 64 KiB of the file
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
    let place: JournalLocation
    do throws(JournalError) {
      pieces = try JournalPieces(of: path, on: options.disk)
      place = try JournalLocation(newPath, on: options.disk)
      if try Salvage.exists(newPath, on: options.disk) {
        throw JournalError(.exists, path: newPath)
      }
    } catch { throw StoreError(.journal(error), path: path) }
    // The layouts are collected first, in a pass of their own. Some payloads contain all layouts
    // again. So if the payload with a new layout was lost, a later payload may still contain that
    // layout.
    var catalog = Catalog()
    var survey = pieces
    while let piece = try next(of: &survey, path: path) {
      try record(piece, in: &catalog, path: path)
    }
    // The salvage does not wait for a sync of each transaction. Closing the new journal syncs it.
    var options = options
    options.durability = .none
    // The result must be a single file, without a checkpoint beside it.
    options.keepsCheckpoints = false
    JournalCreation.removeAllAbandoned(at: place, on: options.disk)
    // The temporary name is random. The new journal is not locked after it is closed and before it
    // gets its final name. With a fixed name, a second salvage could open that file and append to
    // it.
    let temporaryPath = place.newPath(options.random())
    do throws(StoreError) {
      // Errors of the removal are ignored, so that the error of the salvage is thrown. The next
      // salvage removes files that remain.
      defer {
        for name in [temporaryPath + JournalLocation.endSuffix, temporaryPath] {
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
    _ temporaryPath: String, as place: JournalLocation, on disk: any Disk
  ) throws(StoreError) {
    do throws(JournalError) {
      let isNamed = try JournalError.translating(place.path) { () throws(DiskError) in
        try? disk.remove(temporaryPath + JournalLocation.endSuffix)
        return try JournalCreation.link(temporaryPath, to: place, on: disk)
      }
      guard isNamed else { throw JournalError(.exists, path: place.path) }
      try JournalError.translating(place.path) { () throws(DiskError) in
        do throws(DiskError) { try disk.syncDirectory(place.directory) } catch {
          // After this error, the new name may be lost in a crash. The salvage fails, so it removes
          // the name.
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
    case .base(let base, let head, _): (payload, sequence) = (base, head.sequence)
    case .transaction(let transaction):
      (payload, sequence) = (transaction.payload, transaction.sequence)
    }
    let defect = payload.withSpan { bytes in
      var reader = PayloadReader(bytes, layouts: catalog.layouts)
      for layout in reader.takeNewLayouts() { _ = catalog.add(layout) }
      return reader.defect
    }
    // A schema in the payload can exceed a limit of this version of Daybook, although the payload
    // is not damaged. If the salvage omitted such a payload, the report would call it not
    // understood. So the salvage fails.
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
  /// Returns the error. If the error names the temporary path, replaces this path by the path that
  /// the caller passed.
  fileprivate func naming(_ path: String, for temporaryPath: String) -> StoreError {
    guard self.path == temporaryPath else { return self }
    guard case .journal(let error) = reason else { return StoreError(reason, path: path) }
    let renamed = JournalError(
      error.reason, path: path, offset: error.offset, lastReadable: error.lastReadable,
      base: error.base)
    return StoreError(.journal(renamed), path: path)
  }
}
