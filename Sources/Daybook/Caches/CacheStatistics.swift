import DaybookStore

/// What a controller's cache was good for, and what has been written to it.
public struct CacheStatistics: Hashable, Sendable {
  /// Where the list came from at the last fetch.
  public var origin: CacheOrigin
  /// The last transaction in the list as it stands in the cache; nil if this controller knows of none there.
  public var sequence: SequenceNumber?
  /// How often the cache has been written.
  public var writeCount = 0
  /// Why it could not be written the last time; nil if it could.
  public var failure: StoreError?
}

/// Where a list came from that has a cache.
@nonexhaustive
public enum CacheOrigin: Hashable, Sendable {
  /// From the cache, as it stood there.
  case reused
  /// From the cache, and the transactions since.
  case caughtUp(transactions: Int)
  /// It was made anew, as the cache was of no use.
  case rebuilt(CacheRebuildReason)
  /// It was made anew, as there can be no cache of it.
  case notCached(CacheObstacle)
}

/// Why a cache was of no use.
@nonexhaustive
public enum CacheRebuildReason: Hashable, Sendable {
  /// There was none.
  case missing
  /// It could not be read.
  case unreadable(StoreError)
  /// It is not whole.
  case damaged
  /// A newer build wrote it.
  case newerFormat
  /// It is of another journal, or of this one before it was compacted.
  case otherJournal
  /// It is of another list: another filter, order or sections, another schema, other tables for texts.
  case otherDefinition
  /// It knows transactions that the journal does not have.
  case ahead
  /// The journal has other transactions than those it was made of.
  case otherHistory
  /// So much has happened since that the list is made faster than it would be brought forward.
  case farBehind(transactions: Int)
}

/// Why there can be no cache of a list.
@nonexhaustive
public enum CacheObstacle: Hashable, Sendable {
  /// The store has no file.
  case inMemory
  /// A part of the filter is evaluated on records, and nothing says whether another is the same.
  case evaluatedPredicate
  /// A closure of the schema converts values that were of another type once, and nothing says whether
  /// another does it alike.
  case conversion
  /// The filter, a sort key or the sections read an attribute with a substitute for unknown values (`unknown:`).
  /// Another program may be able to represent these values.
  case unknownValues
  /// Sections are those of a time zone, and the system may learn other rules of it.
  case timeZone
  /// The journal is followed and read by copying, which keeps nothing to tell one moment from another by.
  case notMapped
  /// The context is as of an earlier moment, and a cache goes with the store.
  case earlierMoment
}

extension CacheOrigin: CustomStringConvertible {
  /// `caught up by 3 transactions`, `rebuilt because there was none`.
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
  /// What was found, as a clause.
  public var description: String {
    switch self {
    case .missing: "there was none"
    case .unreadable(let error): "it could not be read (\(error))"
    case .damaged: "it is damaged"
    case .newerFormat: "a newer build wrote it"
    case .otherJournal: "it is of another journal"
    case .otherDefinition: "it is of another list"
    case .ahead: "it is ahead of the journal"
    case .otherHistory: "the journal has another history"
    case .farBehind(let count): "it is \(count) transactions behind"
    }
  }
}

extension CacheObstacle: CustomStringConvertible {
  /// What stands in the way, as a clause.
  public var description: String {
    switch self {
    case .inMemory: "the store is in memory"
    case .evaluatedPredicate: "a predicate is evaluated on records"
    case .conversion: "its schema converts values"
    case .unknownValues: "its schema declares a substitute for unknown values"
    case .timeZone: "its sections are those of a time zone"
    case .notMapped: "the journal is followed and not mapped"
    case .earlierMoment: "the context is as of an earlier moment"
    }
  }
}
