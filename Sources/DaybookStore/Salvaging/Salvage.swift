import DaybookJournal
import Glibc

/// Saving what can be saved of a journal that is damaged, into a new one.
///
/// The old journal is never changed. Every transaction that can be read is written again, with its
/// time and what was said about it, under the next number. What a change needs and is lost is made up
/// for: an update of a record that is not there is an insert, as the whole row is there; the delete
/// of one that is not there is left out.
public enum Salvage {
  /// What was saved, and what was not.
  public struct Report: Hashable, Sendable {
    /// Transactions that could not be read: those after one and before another, or, if nil, all that
    /// followed.
    public struct Gap: Hashable, Sendable {
      /// The last transaction before the gap.
      public var after: SequenceNumber
      /// The first one behind it.
      public var before: SequenceNumber?

      package init(after: SequenceNumber, before: SequenceNumber?) {
        self.after = after
        self.before = before
      }
    }

    /// How many transactions were written.
    public internal(set) var transactionCount = 0
    /// What could not be read.
    public internal(set) var gaps: [Gap] = []
    /// Transactions whose frames are whole, and which cannot be understood: layouts that they need
    /// were lost with others, and no later transaction has repeated them.
    public internal(set) var notUnderstood: [SequenceNumber] = []
    /// How many updates have become inserts.
    public internal(set) var insertedCount = 0
    /// How many deletes were left out.
    public internal(set) var droppedDeleteCount = 0
    /// How many values were lost that stood in transactions that are lost.
    public internal(set) var lostValueCount = 0
  }

  /// Writes what can be read of a journal into a new one.
  ///
  /// - Throws: ``StoreError`` with `journal`, if the old one cannot be read at all or the new one
  ///   cannot be made; there must not be a file of its name. A new one that could not be finished is
  ///   removed, if the disk still does that; one whose making itself failed may stay, empty.
  /// - Complexity: O(*n*) in the size of the journal, and memory for what it holds
  @discardableResult
  @available(*, noasync, message: "salvaging takes a thread for as long as it goes on")
  public static func run(
    from path: String, to newPath: String, options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> Report {
    var pieces: JournalPieces
    do throws(JournalError) {
      pieces = try JournalPieces(of: path, on: options.disk)
      if try Salvage.exists(newPath, on: options.disk) {
        throw JournalError(.exists, path: newPath)
      }
    } catch { throw StoreError(.journal(error), path: path) }
    // Layouts are repeated now and then: a later transaction may tell of those that are lost.
    var catalog = Catalog()
    var survey = pieces
    while let piece = try next(&survey, path) { note(piece, in: &catalog) }
    // The whole is made durable by closing.
    var options = options
    options.durability = .none
    // What is left is the journal that was asked for.
    options.keepsCheckpoints = false
    let store = try Store(at: newPath, [], options)
    do throws(StoreError) {
      var run = try SalvageRun(store, catalog)
      while let piece = try next(&pieces, path) { try run.take(piece) }
      try run.finish()
      return run.report
    } catch {
      remove(store, newPath, on: options.disk)
      throw error
    }
  }

  /// Removes a journal that could not be finished.
  private static func remove(_ store: Store, _ path: String, on disk: any Disk) {
    // Whatever refuses now, it is what has gone wrong before that is told of.
    try? store.closeAndWait()
    for name in [path + "-end", path] { try? disk.remove(name) }
  }

  private static func next(
    _ pieces: inout JournalPieces, _ path: String
  ) throws(StoreError) -> JournalPieces.Piece? {
    do throws(JournalError) { return try pieces.next() } catch {
      throw StoreError(.journal(error), path: path)
    }
  }

  private static func note(_ piece: JournalPieces.Piece, in catalog: inout Catalog) {
    let payload: ByteView
    switch piece {
    case .gap: return
    case .base(let base, _): payload = base
    case .transaction(let transaction): payload = transaction.payload
    }
    payload.withSpan { bytes in
      let reader = PayloadReader(bytes, layouts: catalog.layouts)
      for layout in reader.newLayouts { _ = catalog.add(layout) }
    }
  }

  private static func exists(_ path: String, on disk: any Disk) throws(JournalError) -> Bool {
    do throws(DiskError) {
      _ = try disk.status(of: path)
      return true
    } catch {
      guard error.code == ENOENT else { throw JournalError(error, path: path) }
      return false
    }
  }
}
