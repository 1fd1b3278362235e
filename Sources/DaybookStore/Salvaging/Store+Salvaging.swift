import DaybookJournal
import DaybookPlatform

/// The result of a salvage: what was saved, and what was not.
public struct SalvageReport: Hashable, Sendable {
  /// Transactions that could not be read: those after one and before another, or, if nil, all that
  /// followed.
  public struct Gap: Hashable, Sendable {
    /// The last transaction before the gap.
    public var after: SequenceNumber
    /// The first transaction after the gap.
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
  /// Transactions whose frames are whole, and which cannot be understood: layouts that they need
  /// were lost with others, and no later transaction has repeated them.
  public internal(set) var notUnderstood: [SequenceNumber] = []
  /// The number of updates that have become inserts.
  public internal(set) var insertedCount = 0
  /// The number of deletes that were left out.
  public internal(set) var droppedDeleteCount = 0
  /// The number of values that were lost with the transactions that contained them.
  public internal(set) var lostValueCount = 0
}

extension Store {
  /// Writes what can be read of a damaged journal into a new one.
  ///
  /// ```swift
  /// let report = try Store.salvage(from: "banks.daybook", to: "saved.daybook")
  /// print("\(report.transactionCount) transactions were saved; lost: \(report.gaps)")
  /// ```
  ///
  /// The old journal is never changed. Every transaction that can be read is written again, with its time and
  /// metadata, under the next number. An update of a record that is lost becomes an insert, as a row is written
  /// whole. The deletion of a record that is lost is left out.
  ///
  /// The new journal has a temporary name until it is complete and synced, so that a salvage that is killed leaves
  /// no file under the new name. A new journal that could not be finished is removed, if the disk still does that.
  ///
  /// - Throws: ``StoreError`` with `journal`, if the old one cannot be read at all or the new one
  ///   cannot be made; there must not be a file of its name.
  /// - Complexity: O(*n*) in the size of the journal, and memory for what it holds
  @discardableResult
  @available(*, noasync, message: "salvaging takes a thread for as long as it goes on")
  public static func salvage(
    from path: String, to newPath: String, options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> SalvageReport {
    try Salvage.run(from: path, to: newPath, options: options)
  }
}

extension Store {
  /// Reads a journal from end to end and reports every complaint, not only the first.
  ///
  /// ```swift
  /// let summary = try Store.verify(at: "banks.daybook") { print($0) }
  /// if summary.complaintCount == 0 { print("OK") }
  /// ```
  ///
  /// It is what ``FileJournal/verify(at:options:complain:)`` does: the bytes are read, and not the records.
  ///
  /// - Throws: ``StoreError`` with `journal`, if the file cannot be opened or read.
  /// - Complexity: O(*n*) in the size of the file, in constant memory
  public static func verify(
    at path: String, options: JournalOptions = JournalOptions(), complain: (Complaint) -> Void
  ) throws(StoreError) -> VerificationSummary {
    do throws(JournalError) {
      return try FileJournal.verify(at: path, options: options, complain: complain)
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
    // Layouts are repeated now and then: a later transaction may tell of those that are lost.
    var catalog = Catalog()
    var survey = pieces
    while let piece = try next(of: &survey, path: path) {
      try note(piece, in: &catalog, path: path)
    }
    // The whole is made durable by closing.
    var options = options
    options.durability = .none
    // What is left is the journal that was asked for.
    options.keepsCheckpoints = false
    JournalCreation.removeAllAbandoned(at: place, on: options.disk)
    // The name is the salvage's own: the journal has no lock between its closing and its naming, and one that
    // another salvage has written under the same name would be opened and continued.
    let temporaryPath = place.newPath(options.random())
    do throws(StoreError) {
      // Whatever refuses to be removed now, what has gone wrong before is thrown; the next salvage removes the rest.
      defer {
        for name in [temporaryPath + JournalPlace.endSuffix, temporaryPath] {
          try? options.disk.remove(name)
        }
      }
      let store = try Store(at: temporaryPath, types: [], options: options)
      do throws(StoreError) {
        var run = try SalvageRun(into: store, catalog: catalog)
        while let piece = try next(of: &pieces, path: path) { try run.take(piece) }
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

  /// Gives a journal that is complete its name.
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
          // Whether the name would last is not known, so it is removed.
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

  private static func note(
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
    let misfit = payload.withSpan { bytes in
      var reader = PayloadReader(bytes, layouts: catalog.layouts)
      for layout in reader.takeNewLayouts() { _ = catalog.add(layout) }
      return reader.misfit
    }
    // What exceeds a limit is not damaged, and leaving it out would look as if it were.
    if let misfit, case .limit = misfit.kind {
      throw StoreError(misfit, in: sequence, path: path)
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
  /// The same error, about the file that the caller named.
  fileprivate func naming(_ path: String, for temporaryPath: String) -> StoreError {
    guard self.path == temporaryPath else { return self }
    guard case .journal(let error) = reason else { return StoreError(reason, path: path) }
    let renamed = JournalError(
      error.reason, path: path, offset: error.offset, lastReadable: error.lastReadable,
      base: error.base)
    return StoreError(.journal(renamed), path: path)
  }
}
