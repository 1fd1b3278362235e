import DaybookJournal
import DaybookResults
import DaybookStore

/// The cache of a list beside a journal, for inspection.
public struct InspectedCache: Sendable {
  /// The end of the file's name, after the name of the journal.
  public let fileName: String
  /// The lines that define the list; empty if they cannot be read.
  public let definition: [String]
  fileprivate let found: Result<CacheFile, CacheMisfit>

  /// Returns the rest of each line of the definition that begins with a word, such as `state` for `sections`.
  public func values(of word: String) -> [String] {
    definition.compactMap { line in
      line.hasPrefix(word + " ") ? String(line.dropFirst(word.utf8.count + 1)) : nil
    }
  }
}

/// The result of comparing a cache with the journal.
public enum CacheVerdict: Hashable, Sendable {
  /// It has the rows of the journal at its moment. Updated to the last transaction it has the rows of the journal
  /// then, and so has a replay of all transactions.
  case same(rowCount: Int, sequence: SequenceNumber)
  /// It is not used. The list is computed again when it is fetched.
  case useless(CacheRebuildReason)
  /// Only the program that wrote it can compute its list, for the reason.
  case unknown(String)
  /// It would be used, and differs from the journal. The text says where.
  case different(String)
}

extension Store {
  /// Returns the caches beside the journal, in the order of their names.
  ///
  /// - Throws: ``StoreError`` with `journal`, if the directory cannot be read
  public func inspectedCaches() throws(StoreError) -> [InspectedCache] {
    guard let files = filesBeside else { return [] }
    do throws(JournalError) {
      let names = try files.names(beginningWith: DerivedFiles.cachePrefix)
      return names.map { inspected($0, in: files) }
    } catch { throw StoreError(.journal(error), path: path) }
  }

  private func inspected(_ name: String, in files: DerivedFiles) -> InspectedCache {
    let bytes: [UInt8]
    do throws(DiskError) {
      // One byte more shows that the file is too long for a cache of this journal.
      bytes = try files.read(name, byteCountMax: cacheByteCountMax + 1) ?? []
    } catch {
      let reason = StoreError(.journal(JournalError(error, path: path)), path: path)
      return InspectedCache(
        fileName: name, definition: [], found: .failure(CacheMisfit(reason: .unreadable(reason))))
    }
    guard bytes.count <= cacheByteCountMax else {
      return InspectedCache(
        fileName: name, definition: [], found: .failure(CacheMisfit(reason: .damaged)))
    }
    let definition = CacheFile.definition(in: bytes) ?? ""
    let now = snapshot.frozen
    // What a journal's moment is needed for here is its identity and salt.
    guard let (moment, _) = moment(after: now.sequence, before: now) else {
      return InspectedCache(
        fileName: name, definition: [], found: .failure(CacheMisfit(reason: .otherJournal)))
    }
    return InspectedCache(
      fileName: name, definition: definition.split(separator: "\n").map(String.init),
      found: CacheFile.read(bytes, definition: definition, of: moment))
  }

  /// How many bytes a cache of any list has at most: one of all records that there ever were at a time, with
  /// a definition of a megabyte.
  private var cacheByteCountMax: Int {
    let slotCount = snapshot.frozen.state.tables.map(\.slotCount).max() ?? 0
    return CacheFile.byteCountMax(definition: "", rowCountMax: slotCount) + 1 << 20
  }

  /// Computes a cached list again in three ways, and compares it with the cache.
  ///
  /// - Parameters:
  ///   - cache: The cache.
  ///   - request: The request that the cache's definition states.
  /// - Throws: ``StoreError`` with `payload`, if a transaction cannot be read
  /// - Complexity: O(*n* log *n*) in all changes
  public func verdict<R: FetchableRecord>(
    on cache: InspectedCache, for request: FetchRequest<R>
  ) throws -> CacheVerdict {
    let file: CacheFile
    switch cache.found {
    case .success(let found): file = found
    case .failure(let misfit): return .useless(misfit.reason)
    }
    let base = snapshot.frozen
    let sequence = file.moment.sequence
    guard sequence <= base.sequence else { return .useless(.ahead) }
    guard let (moment, _) = moment(after: sequence, before: base), moment == file.moment else {
      return .useless(.otherHistory)
    }
    let then = try snapshot(at: sequence).frozen
    let plan: ResultPlan
    do throws(RequestError) { plan = try request.plan(base.catalog) } catch {
      return .unknown("\(error)")
    }
    let definition: String
    do throws(ListDefinition.Obstacle) {
      definition = try ListDefinition(request, plan: plan, catalog: base.catalog).text
    } catch { return .unknown("its list is of a kind that is not cached.") }
    let expected = definition.split(separator: "\n").map(String.init)
    let ownLines = cache.definition.dropFirst()
    guard expected.filter(CacheVerdict.isRule).elementsEqual(ownLines.filter(CacheVerdict.isRule))
    else { return .unknown("its rules are others than those of this build.") }

    let list = Projection(plan, of: then).snapshot.entries
    guard list == file.entries else {
      // A program's own types can have other values for what its rows say.
      return ownLines.elementsEqual(expected)
        ? .different(CacheVerdict.difference(of: file.entries, from: list, plan: plan, state: then))
        : .unknown("the program that made it has another schema than the journal.")
    }
    let now = Projection(plan, of: base).snapshot
    let identifiers = now.identifiers(atRanks: 0..<now.count)
    let carried = Projection(plan, of: then, entries: file.entries)
    _ = carried.fold(to: base)
    guard carried.snapshot.identifiers(atRanks: 0..<carried.snapshot.count) == identifiers else {
      return .different("brought forward to transaction \(base.sequence) it has other rows.")
    }
    // A store that is only read may not know the type of the records.
    let named = FetchRequest(
      entity: request.entity, filter: request.filter, sortedBy: request.sortKeys,
      sectionedBy: request.sectioning, limit: request.limit, offset: request.offset)
    let replay = try replay(named)
    while try replay.next() != nil {}
    let replayed = replay.objects.snapshot
    guard replayed.identifiers(atRanks: 0..<replayed.count) == identifiers else {
      return .different("replayed from the beginning the list has other rows.")
    }
    return .same(rowCount: file.entries.rows.count, sequence: sequence)
  }
}

extension CacheVerdict {
  /// Whether a line of a definition says which list it is, and not what a program's schema is.
  fileprivate static func isRule(_ line: String) -> Bool { !line.hasPrefix("layout ") }

  /// The first place where two lists differ.
  fileprivate static func difference(
    of cached: ListEntries, from made: ListEntries, plan: ResultPlan, state: FrozenState
  ) -> String {
    guard cached.rows.count == made.rows.count else {
      return "it has \(cached.rows.count) rows, and the journal \(made.rows.count)."
    }
    guard let rank = cached.rows.indices.first(where: { cached.rows[$0] != made.rows[$0] }) else {
      return "it has other sections than the journal."
    }
    let id = state.reader.identifier(ofSlot: made.rows[rank].value, in: plan.entity)
    return
      "in row \(rank + 1) it has another record, or another key, than the journal, which has \(id)."
  }
}

extension Store {
  /// Deletes the cache of a name, or all caches of the store.
  ///
  /// ```swift
  /// try store.deleteCache(withName: "banks")
  /// ```
  ///
  /// There is seldom a need to: a cache of another list, of another journal, or of an earlier moment is
  /// found out and made good. A controller that lives on writes its cache again, when something has been
  /// saved. Files of such names that are no caches are left alone.
  ///
  /// - Parameter name: The name; nil for all.
  /// - Throws: ``StoreError`` with `journal`, if the disk refuses
  public func deleteCache(withName name: String?) throws(StoreError) {
    guard let files = derivedFiles else { return }
    let suffix = name.map { CacheFile.suffix(of: $0) }
    derivedWork.cancel { work in
      suffix.map { work == $0 } ?? work.hasPrefix(DerivedFiles.cachePrefix)
    }
    do throws(JournalError) {
      if let suffix { return try files.removeCache(suffix) }
      try files.removeCaches()
    } catch {
      throw StoreError(.journal(error), path: path)
    }
  }
}
