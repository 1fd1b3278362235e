import DaybookJournal
import DaybookResults
import DaybookStore

/// The content of a cache file beside a journal, for tools that inspect caches.
@_spi(Tools) public struct InspectedCache: Sendable {
  /// The end of the file's name, after the name of the journal.
  public let fileName: String
  /// The lines that define the list; empty if the file is not a cache that this version can read.
  public let definition: [String]
  fileprivate let found: Result<CacheFile, CacheDefect>

  /// Returns the text after a word, for each line of the definition that starts with this word. For
  /// the line `sections state`, the word `sections` gives `state`.
  public func values(of word: String) -> [String] {
    definition.compactMap { line in
      line.hasPrefix(word + " ") ? String(line.dropFirst(word.utf8.count + 1)) : nil
    }
  }
}

/// The result of comparing a cache with the journal.
@_spi(Tools) public enum CacheVerdict: Hashable, Sendable {
  /// The cache is correct. The rows of the cache are the rows of the list at the cache's moment.
  /// With the later transactions applied, the rows are the current rows. A replay of all
  /// transactions gives the same rows.
  case same(rowCount: Int, sequence: SequenceNumber)
  /// No controller uses the cache, for the given reason. A controller that fetches the list
  /// computes it again.
  case useless(CacheRebuildReason)
  /// Only the program that wrote the cache can compute its list. The text is the reason.
  case unknown(String)
  /// A controller would use the cache, but the cache differs from the journal. The text describes
  /// the difference.
  case different(String)
}

extension Store {
  /// Returns the caches beside the journal, in the order of their names.
  ///
  /// - Throws: ``StoreError`` with `journal`, if the directory cannot be read
  @_spi(Tools) public func inspectedCaches() throws(StoreError) -> [InspectedCache] {
    guard let files = filesBeside else { return [] }
    do throws(JournalError) {
      let names = try files.names(beginningWith: DerivedFiles.cachePrefix)
      return names.map { inspected($0, in: files) }
    } catch { throw StoreError(.journal(error), path: path) }
  }

  /// Returns the content of the cache file with a name, or the reason that the file cannot be used.
  private func inspected(_ name: String, in files: DerivedFiles) -> InspectedCache {
    let bytes: [UInt8]
    do throws(DiskError) {
      // The call reads one byte more than the maximum, so that the check below detects a longer
      // file.
      bytes = try files.read(name, byteCountMax: cacheByteCountMax + 1) ?? []
    } catch {
      let reason = StoreError(.journal(JournalError(error, path: path)), path: path)
      return InspectedCache(
        fileName: name, definition: [], found: .failure(CacheDefect(reason: .unreadable(reason))))
    }
    guard bytes.count <= cacheByteCountMax else {
      return InspectedCache(
        fileName: name, definition: [], found: .failure(CacheDefect(reason: .damaged)))
    }
    let definition = CacheFile.definition(in: bytes) ?? ""
    let now = snapshot.frozen
    // Only the identity and the salt of the moment are used, so any moment of the journal is
    // suitable.
    guard let (moment, _) = moment(after: now.sequence, before: now) else {
      return InspectedCache(
        fileName: name, definition: [], found: .failure(CacheDefect(reason: .otherJournal)))
    }
    return InspectedCache(
      fileName: name, definition: definition.split(separator: "\n").map(String.init),
      found: CacheFile.read(bytes, definition: definition, of: moment))
  }

  /// The maximum size of a cache of this journal: an entry for each slot of the largest entity
  /// table, and one mebibyte for the definition.
  private var cacheByteCountMax: Int {
    let slotCount = snapshot.frozen.state.tables.map(\.slotCount).max() ?? 0
    return CacheFile.byteCountMax(definition: "", rowCountMax: slotCount) + 1 << 20
  }

  /// Computes the list of a cache in three ways, and compares the results with the cache.
  ///
  /// The three ways are the state at the moment of the cache, the newest state, and a replay of all
  /// transactions.
  ///
  /// - Parameters:
  ///   - cache: The cache.
  ///   - request: The request that the cache's definition describes.
  /// - Throws: `StoreError` with `payload`, if a transaction cannot be read
  /// - Complexity: O(*n* log *n*) in all changes
  @_spi(Tools) public func verdict<R: FetchableRecord>(
    on cache: InspectedCache, for request: ListRequest<R>
  ) throws -> CacheVerdict {
    let file: CacheFile
    switch cache.found {
    case .success(let found): file = found
    case .failure(let defect): return .useless(defect.reason)
    }
    let base = snapshot.frozen
    let sequence = file.moment.sequence
    guard sequence <= base.sequence else { return .useless(.ahead) }
    guard (cache.values(of: "base").first ?? "0") == "\(base.state.base)" else {
      return .useless(.otherDefinition)
    }
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
    let ownLines = cache.definition.dropFirst().filter { !$0.hasPrefix("base ") }
    guard expected.filter(CacheVerdict.isRule).elementsEqual(ownLines.filter(CacheVerdict.isRule))
    else { return .unknown("its rules differ from those of this version.") }

    let list = Projection(plan, of: then).snapshot.entries
    guard list == file.entries else {
      // The types of a program with a different schema may read stored values differently. The
      // cache is certainly wrong only if the schemas are the same.
      return ownLines.elementsEqual(expected)
        ? .different(CacheVerdict.difference(of: file.entries, from: list, plan: plan, state: then))
        : .unknown("the program that wrote it has another schema than the journal.")
    }
    let now = Projection(plan, of: base).snapshot
    let identifiers = now.identifiers(atRanks: 0..<now.count)
    let carried = Projection(plan, of: then, entries: file.entries)
    _ = carried.fold(to: base)
    guard carried.snapshot.identifiers(atRanks: 0..<carried.snapshot.count) == identifiers else {
      return .different("after catching up to transaction \(base.sequence) it has other rows.")
    }
    // The replay names the entity, because a store that was opened without record types does not
    // know the type `R`.
    let named = ListRequest(
      entity: request.entity, filter: request.filter, sortedBy: request.sortKeys,
      sectionedBy: request.sectioning, limit: request.limit, offset: request.offset)
    let replay = try replay(named)
    while try replay.next() != nil {}
    let replayed = replay.objects.snapshot
    guard replayed.identifiers(atRanks: 0..<replayed.count) == identifiers else {
      return .different("a replay from the first transaction has other rows.")
    }
    return .same(rowCount: file.entries.rows.count, sequence: sequence)
  }
}

extension CacheVerdict {
  /// Returns whether a line of a definition describes the list. The other lines describe layouts of
  /// the program's schema.
  fileprivate static func isRule(_ line: String) -> Bool { !line.hasPrefix("layout ") }

  /// Returns a description of the first difference between two lists.
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
      "row \(rank + 1) has another record or key than in the journal, where it is \(id)."
  }
}

extension Store {
  /// Deletes the cache with a name, or all caches of the store.
  ///
  /// ```swift
  /// try store.deleteCache(withName: "banks")
  /// ```
  ///
  /// A call is rarely necessary, because a controller detects a cache of a different list, of a
  /// different journal or of an earlier moment. The controller then rebuilds or updates the cache.
  /// A controller that still uses the cache can write the file again after a later save. Files with
  /// the names of caches that are not caches are not deleted.
  ///
  /// - Parameter name: The name; nil for all caches.
  /// - Throws: `StoreError` with `journal`, if a file cannot be deleted
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
