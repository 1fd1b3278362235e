import DaybookJournal
import DaybookResults
import DaybookStore
import Synchronization

/// The cache of a controller's list.
///
/// A controller with a cache name creates this object and owns it. At each fetch the cache reads
/// its file. The file is usable if it contains the same list of the same journal, at the current or
/// an earlier moment. The cache then applies the later transactions to the file's rows. Otherwise
/// it computes the list.
///
/// After the fetch the controller *offers* its list at each boundary. The cache accepts an offer if
/// the list contains no unsaved changes. A background thread writes the newest offer
///
/// - after the list was computed,
/// - after more than 1000 transactions, plus one for each hundred rows, since the moment of the
///   file,
/// - when the controller is released, and
/// - when the store is closed.
///
/// So the file is usually older than the store's state. The next fetch applies the missing
/// transactions.
final class ListCache {
  let name: String
  private let store: Store
  private var keeper: CacheKeeper?
  private var origin: CacheOrigin?

  init(_ name: String, of store: Store) {
    self.name = name
    self.store = store
  }

  deinit {
    if let keeper { store.derivedWork.start(keeper.suffix) }
  }

  /// The statistics of the cache; nil before the first fetch.
  var statistics: CacheStatistics? {
    keeper?.statistics ?? origin.map { CacheStatistics(origin: $0) }
  }

  // MARK: Fetching

  /// Returns the projection of a request over a state of the store.
  ///
  /// - Complexity: O(*n*) and O(*k* log *n*) in the changes since the cache was written; O(*n* log
  ///   *n*) if it cannot be used
  func projection<R: FetchableRecord>(
    _ request: ListRequest<R>, plan: ResultPlan, over base: FrozenState
  ) -> Projection {
    keeper = nil
    let keeping: Keeping
    switch self.keeping(request, plan: plan, over: base) {
    case .success(let success): keeping = success
    case .failure(let failure):
      origin = .notCached(failure.obstacle)
      return Projection(plan, of: base, window: request.window)
    }
    let suffix = CacheFile.suffix(of: name)
    let found = find(suffix, as: keeping, plan: plan, over: base)
    var statistics: CacheStatistics
    let projection: Projection
    switch found {
    case .success(let (file, then)):
      projection = Projection(plan, of: then, entries: file.entries, window: request.window)
      _ = projection.fold(to: base)
      let count = Int(base.sequence.rawValue - file.moment.sequence.rawValue)
      statistics = CacheStatistics(origin: count == 0 ? .reused : .caughtUp(transactions: count))
      statistics.sequence = file.moment.sequence
    case .failure(let defect):
      projection = Projection(plan, of: base, window: request.window)
      statistics = CacheStatistics(origin: .rebuilt(defect.reason))
    }
    origin = statistics.origin
    keeper = CacheKeeper(
      suffix: suffix, files: keeping.files, definition: keeping.definition, path: store.path,
      statistics: statistics)
    store(projection.snapshot, over: base)
    return projection
  }

  /// The error of a list that cannot be cached.
  private struct Obstacle: Error { var obstacle: CacheObstacle }
  /// The parts that a cache of a list needs: its files, the definition, the moment of the state
  /// that is fetched, and the end of the journal at that moment.
  private typealias Keeping = (
    files: DerivedFiles, definition: String, now: JournalMoment, endOffset: UInt64
  )

  /// Returns the files, the definition and the moment that a cache of a list needs, or the reason
  /// that the list cannot be cached.
  private func keeping<R: FetchableRecord>(
    _ request: ListRequest<R>, plan: ResultPlan, over base: FrozenState
  ) -> Result<Keeping, Obstacle> {
    // A context at an earlier moment uses a fork of the pages. The records have different slots
    // there than in the store, and a cache file contains slots.
    guard !base.space.isFork else { return .failure(Obstacle(obstacle: .earlierMoment)) }
    let definition: ListDefinition
    do throws(ListDefinition.Obstacle) {
      definition = try ListDefinition(request, plan: plan, catalog: base.catalog)
    } catch {
      switch error {
      case .evaluatedPredicate: return .failure(Obstacle(obstacle: .evaluatedPredicate))
      case .timeZone: return .failure(Obstacle(obstacle: .timeZone))
      case .conversion: return .failure(Obstacle(obstacle: .conversion))
      case .unknownValues: return .failure(Obstacle(obstacle: .unknownValues))
      }
    }
    guard let files = store.derivedFiles else { return .failure(Obstacle(obstacle: .inMemory)) }
    guard let (now, end) = store.moment(after: base.sequence, before: base) else {
      return .failure(Obstacle(obstacle: .notMapped))
    }
    var lines = "cache \(FilterConstant.quoted(name))\n"
    // A replica that starts from a base of its log has other slots than one with the full history,
    // although all later frames are equal.
    if base.state.base > .zero { lines += "base \(base.state.base)\n" }
    return .success((files, lines + definition.text, now, end))
  }

  /// Returns the list in the file and the state at the file's moment, or the reason that the file
  /// cannot be used. `Journal/CACHES.md` has the table of the checks.
  private func find(
    _ suffix: String, as keeping: Keeping, plan: ResultPlan, over base: FrozenState
  ) -> Result<(file: CacheFile, then: FrozenState), CacheDefect> {
    func defect(
      _ reason: CacheRebuildReason
    ) -> Result<(file: CacheFile, then: FrozenState), CacheDefect> {
      .failure(CacheDefect(reason: reason))
    }
    let tables = base.state.tables
    let (slotCount, recordCount) =
      plan.entity < tables.count
      ? (tables[plan.entity].slotCount, tables[plan.entity].count) : (0, 0)
    func read(_ byteCountMax: Int) -> Result<[UInt8], CacheDefect> {
      do throws(DiskError) {
        let bytes = try keeping.files.read(suffix, byteCountMax: byteCountMax)
        return bytes.map { .success($0) } ?? .failure(CacheDefect(reason: .missing))
      } catch {
        let error = JournalError(error, path: store.path)
        let reason = CacheRebuildReason.unreadable(StoreError(.journal(error), path: store.path))
        return .failure(CacheDefect(reason: reason))
      }
    }
    let (definition, now) = (keeping.definition, keeping.now)
    let head = read(CacheFile.headByteCount(definition: definition)).flatMap {
      CacheFile.readHead($0, definition: definition, of: now)
    }
    let known: JournalMoment
    switch head {
    case .success(let moment): known = moment
    case .failure(let other): return .failure(other)
    }
    let sequence = known.sequence
    guard sequence <= base.sequence else { return defect(.ahead) }
    guard let (moment, end) = store.moment(after: sequence, before: base), moment == known
    else { return defect(.otherHistory) }
    let tailMax = ListCache.tailByteCountMax + ListCache.tailByteCountPerRecord * recordCount
    guard keeping.endOffset - end <= UInt64(tailMax) else {
      return defect(.farBehind(transactions: Int(base.sequence.rawValue - sequence.rawValue)))
    }
    // The second read has a limit of one byte more than allowed, so that a longer file is detected.
    let limit = CacheFile.byteCountMax(definition: definition, rowCountMax: slotCount) + 1
    let file: CacheFile
    switch read(limit).flatMap({ CacheFile.read($0, definition: definition, of: now) }) {
    // Another process may have replaced the file between the two reads.
    case .success(let read) where read.moment == known: file = read
    case .success: return defect(.damaged)
    case .failure(let other): return .failure(other)
    }
    // An error here is not reported: the list is computed instead. A later read of that moment
    // reports it.
    guard let then = try? base.state(after: sequence.rawValue) else { return defect(.otherHistory) }
    guard file.entries.fit(plan, in: then) else { return defect(.damaged) }
    return .success((file, then))
  }

  /// The number of bytes that the journal may contain after the cache's moment, before the part for
  /// each record of the entity is added. Above the sum, computing the list is faster than updating
  /// it. Undoing and applying one change again takes about as long as computing the sort keys of a
  /// hundred records.
  private static let tailByteCountMax = 1 << 20
  private static let tailByteCountPerRecord = 2

  // MARK: Keeping

  /// Offers a list for writing, if it contains no unsaved changes of the context.
  func store(_ snapshot: ResultSnapshot, over base: FrozenState) {
    guard let keeper, !base.space.isFork, snapshot.hasSlots(of: base) else { return }
    let statistics = keeper.statistics
    let written = statistics.sequence
    if written == base.sequence { return }
    guard let (moment, end) = store.moment(after: base.sequence, before: base) else { return }
    let origin = DerivedFiles.Origin(moment, endOffset: end)
    store.derivedWork.offer(keeper.suffix) { keeper.write(snapshot, from: origin) }
    // After a failed write, only the release of the controller and the closing of the store try
    // again. Otherwise every save would write to a full disk.
    guard statistics.failure == nil else { return }
    let behind = written.map { Int(base.sequence.rawValue) - Int($0.rawValue) }
    if behind.map({ $0 > 1000 + snapshot.count / 100 }) ?? true {
      store.derivedWork.start(keeper.suffix)
    }
  }
}

/// An object that writes lists to the file of one cache, on any thread. A fetch of `ListCache`
/// creates it, and the store's queue of derived files calls it.
//
// Shared state: the statistics, guarded by `statisticsMutex`.
final class CacheKeeper: Sendable {
  /// The end of the file's name, which follows the name of the journal.
  let suffix: String
  private let files: DerivedFiles
  private let definition: String
  private let path: String
  private let statisticsMutex: Mutex<CacheStatistics>

  init(
    suffix: String, files: DerivedFiles, definition: String, path: String,
    statistics: CacheStatistics
  ) {
    self.suffix = suffix
    self.files = files
    self.definition = definition
    self.path = path
    statisticsMutex = Mutex(statistics)
  }

  var statistics: CacheStatistics { statisticsMutex.withLock { $0 } }

  /// Writes a list. The slots of its rows must be those of a moment.
  ///
  /// - Parameter origin: The moment, and its position in the journal.
  func write(_ snapshot: ResultSnapshot, from origin: DerivedFiles.Origin) {
    let moment = origin.moment
    let file = CacheFile(moment: moment, definition: definition, entries: snapshot.entries)
    var failure: StoreError?
    do throws(JournalError) {
      try files.write(suffix, from: origin) { (output) throws(DiskError) in
        try output.writeAll(file.bytes.span.bytes, at: 0)
      }
    } catch {
      failure = StoreError(.journal(error), path: path)
    }
    statisticsMutex.withLock { current in
      current.failure = failure
      guard failure == nil else { return }
      current.writeCount += 1
      current.sequence = moment.sequence
    }
  }
}
