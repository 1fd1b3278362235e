import Daybook

extension JournalCheck {
  // MARK: History

  /// Holds earlier states, as they come from folding the beginning, against what taking back the end makes of
  /// the last.
  mutating func lookAtHistory(of journal: OpenJournal) throws {
    let check: HistoryCheck
    do throws(StoreError) {
      check = try HistoryCheck(journal.store) {
        Progress.shared.show("going through the history of \(journal.name)", done: $0, of: $1)
      }
    } catch {
      return try complain("\(journal.error(error))")
    }
    for finding in check.findings {
      try complain(
        "\(journal.name): after transaction \(finding.sequence) \(finding.entity) \(finding.id) is not "
          + "what taking back the transactions behind it makes of it.")
    }
    count(check.stateCount, one: "state made twice", several: "states made twice")
  }

  // MARK: Caches

  /// Makes each list anew that there is a cache of.
  mutating func lookAtCaches(of journal: OpenJournal) throws {
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
        try note("\(name): \(reason); the list is made anew when it is asked for.")
      case .unknown(let reason): try note("\(name): not held against the journal: \(reason)")
      case .different(let reason): try complain("\(name): \(reason)")
      }
    }
    count(sameCount, one: "cache", several: "caches")
  }

  // MARK: Checkpoints

  /// Holds each checkpoint against the state that the journal comes to.
  mutating func lookAtCheckpoints(of journal: OpenJournal) throws {
    let checkpoints: [(fileName: String, verdict: CheckpointVerdict)]
    do throws(StoreError) { checkpoints = try journal.store.inspectedCheckpoints() } catch {
      return try complain("\(journal.error(error))")
    }
    var sameCount = 0
    for (fileName, verdict) in checkpoints {
      let name = "\(journal.name)\(fileName)"
      switch verdict {
      case .same: sameCount += 1
      case .useless(let reason): try note("\(name): \(reason); openings do without it.")
      case .unknown(let reason): try note("\(name): not held against the journal: \(reason)")
      case .different(let reason): try complain("\(name): \(reason)")
      }
    }
    count(sameCount, one: "checkpoint", several: "checkpoints")
  }

  private func verdict(
    on cache: InspectedCache, of journal: OpenJournal
  ) throws -> CacheVerdict {
    guard let request = CachedRequest.request(of: cache) else {
      return .unknown("only the program that made it can make its list.")
    }
    do { return try journal.store.verdict(on: cache, for: request) } catch let error as StoreError {
      return .unknown("\(journal.error(error).sentence)")
    }
  }
}

/// The request that the lines of a cache say it is of.
enum CachedRequest {
  /// The request; nil if the lines have what cannot be typed, as a closure of a program: then they are others
  /// when they are made again.
  static func request(of cache: InspectedCache) -> ListRequest? {
    // A cache that cannot be read is of no use whatever was asked of it.
    let entity = cache.values(of: "entity").first ?? ""
    var request = ListRequest(entity: entity)
    if let text = cache.values(of: "where").first {
      guard let filter = try? Filter(text), "\(filter)" == text else { return nil }
      request.filter = filter
    }
    for text in cache.values(of: "sort") {
      guard let key = try? ListArguments.sortKey(text), "\(key)" == text else { return nil }
      request.sortKeys.append(key)
    }
    if let text = cache.values(of: "sections").first {
      guard let sectioning = try? ListArguments.sectioning(text), "\(sectioning)" == text
      else { return nil }
      request.sectioning = sectioning
    }
    return request
  }
}
