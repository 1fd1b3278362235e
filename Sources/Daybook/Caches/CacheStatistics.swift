import DaybookStore

/// The use of a controller's cache by the last fetch, and the later writes to the cache.
public struct CacheStatistics: Hashable, Sendable {
  /// The origin of the list at the last fetch.
  public var origin: CacheOrigin
  /// The last transaction of the list in the cache; nil if this controller has neither read nor
  /// written the cache.
  public var sequence: SequenceNumber?
  /// The number of times that the cache was written.
  public var writeCount = 0
  /// The error of the last write; nil if it succeeded.
  public var failure: StoreError?
}

/// The origin of the list of a controller with a cache name.
@nonexhaustive
public enum CacheOrigin: Hashable, Sendable {
  /// The cache contained the current list.
  case reused
  /// The cache contained an earlier list. The transactions since then were applied to it.
  case caughtUp(transactions: Int)
  /// The list was computed, because the cache could not be used.
  case rebuilt(CacheRebuildReason)
  /// The list was computed, because it cannot be cached.
  case notCached(CacheObstacle)
}

/// The reason that a cache could not be used.
@nonexhaustive
public enum CacheRebuildReason: Hashable, Sendable {
  /// There was no cache.
  case missing
  /// The cache could not be read.
  case unreadable(StoreError)
  /// The cache is damaged.
  case damaged
  /// A newer version of Daybook wrote the cache.
  case newerFormat
  /// The cache belongs to a different journal, or to this journal before it was compacted.
  case otherJournal
  /// The cache belongs to a different list: the filter, the sort order, the sections, the schema,
  /// or the Unicode tables differ. Or it belongs to a replica with a different base.
  case otherDefinition
  /// The cache contains transactions that the journal does not contain.
  case ahead
  /// The cache was made from transactions that differ from those of the journal.
  case otherHistory
  /// The journal contains more bytes after the cache's moment than a fetch reads. Computing the
  /// list is faster than applying these transactions.
  case farBehind(transactions: Int)
}

/// The reason that a list cannot be cached.
@nonexhaustive
public enum CacheObstacle: Hashable, Sendable {
  /// The store has no file.
  case inMemory
  /// A part of the filter is a Swift closure, and two closures cannot be compared.
  case evaluatedPredicate
  /// A closure of the schema converts values of an earlier type, and two closures cannot be
  /// compared.
  case conversion
  /// The filter, a sort key or the sections read an attribute with a substitute for unknown values
  /// (`unknown:`). Another program may be able to represent these values.
  case unknownValues
  /// The sections depend on a time zone, and the rules of time zones can change.
  case timeZone
  /// The store follows a journal that it reads by copying instead of mapping it. The moments of
  /// such a journal cannot be identified.
  case notMapped
  /// The context shows an earlier moment. A cache contains the list of the newest state.
  case earlierMoment
}

extension CacheOrigin: CustomStringConvertible {
  /// The origin, such as `caught up by 3 transactions` or `rebuilt because there was no cache`.
  public var description: String {
    switch self {
    case .reused: "reused"
    case .caughtUp(transactions: 1): "caught up by 1 transaction"
    case .caughtUp(let count): "caught up by \(count) transactions"
    case .rebuilt(let reason): "rebuilt because \(reason)"
    case .notCached(let obstacle): "not cached because \(obstacle)"
    }
  }
}

extension CacheRebuildReason: CustomStringConvertible {
  /// The reason, as a clause.
  public var description: String {
    switch self {
    case .missing: "there was no cache"
    case .unreadable(let error): "it could not be read (\(error))"
    case .damaged: "it is damaged"
    case .newerFormat: "a newer build wrote it"
    case .otherJournal: "it belongs to another journal"
    case .otherDefinition: "it is the cache of another list"
    case .ahead: "it is ahead of the journal"
    case .otherHistory: "the journal has another history"
    case .farBehind(let count): "it is \(count) transactions older"
    }
  }
}

extension CacheObstacle: CustomStringConvertible {
  /// The reason, as a clause.
  public var description: String {
    switch self {
    case .inMemory: "the store is in memory"
    case .evaluatedPredicate: "a predicate is evaluated on records"
    case .conversion: "its schema converts values"
    case .unknownValues: "its schema declares a substitute for unknown values"
    case .timeZone: "its sections depend on a time zone"
    case .notMapped: "the journal is followed and read by copying"
    case .earlierMoment: "the context shows an earlier moment"
    }
  }
}
