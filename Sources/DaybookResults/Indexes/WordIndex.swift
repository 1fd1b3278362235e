import DaybookStore
import Synchronization

/// An index of the words in one attribute, which a record type declares as searchable.
///
/// The index finds *candidates*: all records that match a search, and some others. So it does not
/// remove words. After a change of a record, its slot is a *recent* slot: a candidate of every
/// search. When there are many recent slots, their strings are read into a new *segment*. The
/// segment replaces segments that are not much larger. So each segment contains more than twice as
/// many strings as the next one, and a change costs O(log *n*) reads on average.
///
/// ```
///   segments: all slots │ 1200 changed slots │ 300 changed slots │ recent: 17
/// ```
///
/// The first use of the index builds it, and a use with a newer state of the store advances it. For
/// other states, such as the unsaved changes of a context, the slots that differ are candidates
/// too. A state that differs in many slots has no index.
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

  // Shared state: guarded by its mutex. Searches use segments, outside of the lock.
  private let version = Mutex<Version?>(nil)

  /// - Returns: nil if the entity lacks the attribute.
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

  /// The numbers of strings of the segments.
  var segmentCounts: [Int] { version.withLock { $0?.segments.map(\.textCount) ?? [] } }

  /// Returns the segments, and the slots whose words in a state they may lack.
  private func parts(for state: FrozenState) -> (segments: [WordSegment], others: [UInt32])? {
    version.withLock { version in
      // Rows that cannot be read have no words.
      guard state.memory.damage == nil else {
        version = nil
        return nil
      }
      var next = version ?? whole(state)
      if !next.state.isOfSameStore(as: state) { next = whole(state) }
      let others = slots(of: state, differingFrom: next.state)
      guard !state.space.isFork, state.sequence >= next.state.sequence else {
        version = next
        guard others.count <= max(1024, state.rowCount(of: entity) / 8) else { return nil }
        return (next.segments, next.recent + others)
      }
      // Segments that are replaced are released before their strings are read again.
      version = nil
      next.state = state
      next.recent += others
      if next.recent.count > recentCountMax { readRecent(of: &next) }
      version = next
      return (next.segments, next.recent)
    }
  }

  private func whole(_ state: FrozenState) -> Version {
    Version(state: state, segments: [WordSegment(path, of: entity, slots: nil, in: state)])
  }

  /// Reads the recent slots into a new segment.
  private func readRecent(of version: inout Version) {
    var slots = Set(version.recent)
    var isWhole = false
    while let last = version.segments.last, last.textCount <= 2 * slots.count {
      if let others = last.slots { slots.formUnion(others) } else { isWhole = true }
      version.segments.removeLast()
    }
    version.segments.append(
      WordSegment(path, of: entity, slots: isWhole ? nil : slots.sorted(), in: version.state))
    version.recent = []
  }

  /// Returns the slots with records of a state that differ in an earlier or later state.
  private func slots(of state: FrozenState, differingFrom other: FrozenState) -> [UInt32] {
    if state === other { return [] }
    var slots: [UInt32] = []
    state.forEachDifference(in: entity, from: other) { slot, location, _ in
      if location != .none { slots.append(slot) }
    }
    return slots
  }
}
