@_spi(Tools) import Daybook

extension JournalCheck {
  // MARK: History

  /// Computes earlier states in two ways and compares the results. The first way is a replay from
  /// the start; the second way is to undo transactions from the last state.
  mutating func inspectHistory(of journal: OpenJournal) throws {
    let check: HistoryCheck
    do throws(StoreError) {
      check = try HistoryCheck(journal.store) {
        Progress.shared.show(
          "checking the history of \(journal.name)", done: $0, of: $1, in: .things("transactions"))
      }
    } catch {
      return try report("\(journal.error(error))")
    }
    for finding in check.findings {
      try report(
        JournalCheck.sentence(
          ofDifferenceIn: LoggedChange.name(finding.entity, id: finding.id),
          after: finding.sequence, in: journal.name))
    }
    count(check.stateCount, one: "state compared", several: "states compared")
  }

  /// Returns the sentence about a record whose earlier state is different in the two computations.
  static func sentence(
    ofDifferenceIn record: String, after sequence: SequenceNumber, in journal: String
  ) -> String {
    "\(journal): after transaction \(sequence), \(record) differs between a replay from the start "
      + "and an undo from the end."
  }

  // MARK: Caches

  /// Fetches the list of each cache from the journal, and compares it with the list in the cache.
  mutating func inspectCaches(of journal: OpenJournal) throws {
    let caches: [InspectedCache]
    do throws(StoreError) { caches = try journal.store.inspectedCaches() } catch {
      throw ToolError(error)
    }
    var sameCount = 0
    for cache in caches {
      let name = "\(journal.name)\(cache.fileName)"
      switch try verdict(on: cache, of: journal) {
      case .same: sameCount += 1
      case .useless(let reason):
        try record("\(name): \(reason); the list is rebuilt at its next fetch.")
      case .unknown(let reason): try record("\(name): not compared with the journal: \(reason)")
      case .different(let reason): try report("\(name): \(reason)")
      }
    }
    count(sameCount, one: "cache", several: "caches")
  }

  // MARK: Checkpoints

  /// Compares each checkpoint with the state that a replay of the journal computes.
  mutating func inspectCheckpoints(of journal: OpenJournal) throws {
    let checkpoints: [(fileName: String, verdict: CheckpointVerdict)]
    do throws(StoreError) { checkpoints = try journal.store.inspectedCheckpoints() } catch {
      return try report("\(journal.error(error))")
    }
    var sameCount = 0
    for (fileName, verdict) in checkpoints {
      let name = "\(journal.name)\(fileName)"
      switch verdict {
      case .same: sameCount += 1
      case .useless(let reason): try record("\(name): \(reason); the journal opens without it.")
      case .unknown(let reason): try record("\(name): not compared with the journal: \(reason)")
      case .different(let reason): try report("\(name): \(reason)")
      }
    }
    count(sameCount, one: "checkpoint", several: "checkpoints")
  }

  private func verdict(
    on cache: InspectedCache, of journal: OpenJournal
  ) throws -> CacheVerdict {
    guard let request = CachedRequest.request(of: cache) else {
      return .unknown("only the program that wrote the cache can rebuild its list.")
    }
    do { return try journal.store.verdict(on: cache, for: request) } catch let error as StoreError {
      return .unknown("\(journal.error(error).sentence)")
    }
  }
}

/// The conversion from the lines of a cache, which describe the request of the list, to a request.
enum CachedRequest {
  /// Returns the request of a cache; nil if a part of the request has no text form. An example is a
  /// closure of a program. The function detects such a part because the text in the cache does not
  /// parse to an equal part.
  static func request(of cache: InspectedCache) -> DynamicRequest? {
    // An unreadable cache has no entity. The comparison reports it as useless for every request.
    let entity = cache.values(of: "entity").first ?? ""
    var request = DynamicRequest(entity: entity)
    if let source = cache.values(of: "where").first {
      guard let filter = try? Filter(source), "\(filter)" == source else { return nil }
      request.filter = filter
    }
    for source in cache.values(of: "sort") {
      guard let key = try? ListArguments.sortKey(source), "\(key)" == source else { return nil }
      request.sortKeys.append(key)
    }
    if let source = cache.values(of: "sections").first {
      guard let sectioning = try? ListArguments.sectioning(source), "\(sectioning)" == source
      else { return nil }
      request.sectioning = sectioning
    }
    return request
  }
}
