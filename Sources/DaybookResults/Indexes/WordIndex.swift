import DaybookStore
import Synchronization

/// An index of the words in one attribute, which a record type declares as searchable.
///
/// The index finds *candidates*: all records that match a search, and some others. So it need not
/// remove the words of a changed record. After a change of a record, its slot is a *recent* slot,
/// which is a candidate in every search. When there are many recent slots, their strings are read
/// into a new *segment*. The new segment also replaces earlier segments that have at most twice as
/// many strings. So each segment contains more than twice as many strings as the next one, and a
/// change costs O(log *n*) reads on average.
///
/// ```
///   segments: all slots │ 1200 changed slots │ 300 changed slots │ recent: 17
/// ```
///
/// The first use of the index builds it, and a use with a newer state of the store advances it. For
/// other states, such as the unsaved changes of a context, the index is advanced to the state of
/// the store before these changes, and the slots that differ are candidates too. The index cannot
/// be used for a state that differs in many slots.
final class WordIndex: Sendable {
  private let entity: Int
  private let path: ValuePath
  /// The number of layouts of the entity when the index was created.
  private let layoutCount: Int
  /// The largest number of recent slots.
  private let recentCountMax: Int

  private struct Version {
    var state: FrozenState
    /// The first segment contains all slots.
    var segments: [WordSegment]
    /// The slots that changed after the last segment was read.
    var recent: [UInt32] = []
  }

  private struct Versions {
    /// The version of the newest published state that was searched, or from which a searched state
    /// was forked.
    var main: Version?
    /// The version of an earlier moment, if there is no main version.
    var fork: Version?
  }

  // Shared state: guarded by its mutex. Searches use segments, outside of the lock.
  private let versions = Mutex(Versions())

  /// Creates an index of the words in an attribute; nil if the entity lacks the attribute.
  init?(_ name: String, of entity: Int, in catalog: Catalog, recentCountMax: Int = 256) {
    guard let path = try? ValuePath([name], from: entity, in: catalog) else { return nil }
    self.entity = entity
    self.path = path
    self.recentCountMax = recentCountMax
    layoutCount = catalog.history[entity].count
  }

  /// Returns whether the index covers all layouts that rows may have.
  func fits(_ catalog: Catalog) -> Bool { catalog.history[entity].count == layoutCount }

  /// Returns the slots of all records of a state that match a search, and perhaps other slots.
  /// Returns nil if rows cannot be read, or if the state differs too much from the newest one that
  /// was searched.
  ///
  /// - Complexity: O(*s*/64 + *p*) for *s* slots of the entity, and *p* slots of the words that are
  ///   found. Advancing also reads the pages of records that the two states do not share. Building
  ///   the index is O(bytes of all strings).
  func candidates(for query: WordQuery, in state: FrozenState) -> SlotSet? {
    guard let (segments, others) = parts(for: state) else { return nil }
    let limit = state.state.tables[entity].slotCount
    var found: SlotSet?
    for word in query.words {
      var slots = SlotSet(below: limit)
      for segment in segments { segment.insertSlots(ofWordsStartingWith: word, into: &slots) }
      if let found { slots.formIntersection(found) }
      found = slots
    }
    var candidates = found ?? SlotSet(below: limit)
    for slot in others { candidates.insert(slot) }
    return candidates
  }

  /// The number of strings in each segment.
  var segmentCounts: [Int] { versions.withLock { $0.main?.segments.map(\.stringCount) ?? [] } }

  /// Returns the segments, and the slots whose words in a state may be missing from the segments.
  private func parts(for state: FrozenState) -> (segments: [WordSegment], others: [UInt32])? {
    versions.withLock { versions in
      // The index cannot contain the words of rows that cannot be read.
      guard state.memory.damage == nil else {
        versions = Versions()
        return nil
      }
      // A state with unsaved changes, or with transactions in flight, is never the main version: if
      // a transaction fails, a later one can have its number and its offset.
      if let published = state.space.isFork ? state.published : state {
        moveMain(&versions, to: published)
      }
      let version: Version
      if let main = versions.main, main.state.isOfSameStore(as: state) {
        version = main
      } else {
        let fork = versions.fork.flatMap { $0.state.space === state.space ? $0 : nil }
        version = fork ?? completeVersion(state)
        versions = Versions(main: nil, fork: version)
      }
      if version.state === state { return (version.segments, version.recent) }
      let others = slots(of: state, differingFrom: version.state)
      guard others.count <= max(1024, state.rowCount(of: entity) / 8) else { return nil }
      return (version.segments, version.recent + others)
    }
  }

  /// Advances the main version to a published state, unless it is newer.
  private func moveMain(_ versions: inout Versions, to state: FrozenState) {
    guard var next = versions.main, next.state.isOfSameStore(as: state) else {
      versions = Versions(main: completeVersion(state))
      return
    }
    if state.sequence < next.state.sequence || state === next.state { return }
    let others = slots(of: state, differingFrom: next.state)
    // Segments that are replaced are released before their strings are read again.
    versions = Versions()
    next.state = state
    next.recent += others
    if next.recent.count > recentCountMax { readRecent(of: &next) }
    versions.main = next
  }

  private func completeVersion(_ state: FrozenState) -> Version {
    state.catalog.fetches.recordIndexBuild()
    return Version(state: state, segments: [WordSegment(path, of: entity, slots: nil, in: state)])
  }

  /// Reads the recent slots into a new segment.
  private func readRecent(of version: inout Version) {
    var slots = Set(version.recent)
    var isComplete = false
    while let last = version.segments.last, last.stringCount <= 2 * slots.count {
      if let others = last.slots { slots.formUnion(others) } else { isComplete = true }
      version.segments.removeLast()
    }
    version.segments.append(
      WordSegment(path, of: entity, slots: isComplete ? nil : slots.sorted(), in: version.state))
    version.recent = []
  }

  /// Returns the slots of those records of a state that differ from another state, which may be
  /// earlier or later.
  private func slots(of state: FrozenState, differingFrom other: FrozenState) -> [UInt32] {
    if state === other { return [] }
    var slots: [UInt32] = []
    state.forEachDifference(in: entity, from: other) { slot, location, _ in
      if location != .none { slots.append(slot) }
    }
    return slots
  }
}
