import DaybookJournal

/// Holds the two ways to an earlier state against each other: to take back what came since, and to fold what
/// came before.
package struct HistoryCheck {
  /// Where the two differ.
  package struct Finding: Hashable, Sendable {
    /// The transaction after which they differ.
    package var sequence: SequenceNumber
    package var entity: String
    package var id: RecordIdentifier
  }

  /// How many states were held against each other.
  package private(set) var stateCount = 0
  /// Where they differ: of each state the first record.
  package private(set) var findings: [Finding] = []

  /// At so many moments, evenly spread, beside the last.
  package static let momentCount = 8

  /// Looks at a store's history.
  ///
  /// - Parameter progress: Is told how many transactions of how many were folded.
  /// - Throws: ``StoreError`` with `payload`, if a transaction says what cannot be.
  /// - Complexity: O(*n*) in all changes
  package init(
    _ store: Store, progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
  ) throws(StoreError) {
    let head = store.snapshot.frozen
    let (first, last) = (store.base.rawValue, head.sequence.rawValue)
    let walk = try store.walk(from: nil)
    let step = max(1, (last - first) / UInt64(HistoryCheck.momentCount))
    if walk.frozen.sequence.rawValue == first {
      try compare(walk.frozen, after: first, with: head, path: store.path)
    }
    while try walk.next() != nil {
      let sequence = walk.frozen.sequence.rawValue
      if sequence == last {
        compare(walk.frozen, with: head)
      } else if (sequence - first).isMultiple(of: step) {
        try compare(walk.frozen, after: sequence, with: head, path: store.path)
      }
      progress(sequence - first, last - first)
    }
  }

  private mutating func compare(
    _ folded: FrozenState, after sequence: UInt64, with head: FrozenState, path: String
  ) throws(StoreError) {
    let takenBack: FrozenState?
    do throws(HistoryMisfit) { takenBack = try head.state(after: sequence) } catch {
      throw StoreError(error, path: path)
    }
    if let takenBack { compare(folded, with: takenBack) }
  }

  private mutating func compare(_ folded: FrozenState, with other: FrozenState) {
    stateCount += 1
    if let finding = HistoryCheck.difference(of: folded, from: other) { findings.append(finding) }
  }

  /// The first record in which two states of a store differ; nil if they are the same.
  package static func difference(of folded: FrozenState, from other: FrozenState) -> Finding? {
    for entity in folded.catalog.names.indices {
      // A record that was taken back and folded again may have another slot.
      let different = folded.changed(entity, since: other).first {
        let key = IdentifierBytes($0.id)
        return folded.location(entity, key) != other.location(entity, key)
      }
      if let different {
        return Finding(
          sequence: folded.sequence, entity: folded.catalog.names[entity], id: different.id)
      }
    }
    return nil
  }
}
