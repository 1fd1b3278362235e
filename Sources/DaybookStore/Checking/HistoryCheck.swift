import DaybookJournal

/// A check of a journal's history: computes earlier states in two ways and compares them. One way
/// undoes the later transactions, starting at the newest state. The other way applies the earlier
/// transactions, starting at the base. If they differ, a transaction names a wrong previous change,
/// or one of the computations is wrong.
@_spi(Tools) public struct HistoryCheck: Sendable {
  /// A record that differs between the two states.
  public struct Finding: Hashable, Sendable {
    /// The transaction after which the states differ.
    public let sequence: SequenceNumber
    /// The name of the record's entity.
    public let entity: String
    /// The identifier of the record.
    public let id: RecordIdentifier
  }

  /// The number of states that were compared.
  public private(set) var stateCount = 0
  /// The differences: for each compared moment, at most the first record that differs.
  public private(set) var findings: [Finding] = []

  /// The approximate number of moments that are compared, without the last one.
  package static let momentCount = 8

  /// Compares states of a store at moments that are spread evenly over its history.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - progress: A closure that is called after each transaction, with the number of applied
  ///     transactions and the total number.
  /// - Throws: ``StoreError`` with `payload` if a transaction cannot be read
  /// - Complexity: O(*n*) in the number of all changes
  public init(
    _ store: Store, progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
  ) throws(StoreError) {
    let head = store.snapshot.frozen
    let (first, last) = (store.base.rawValue, head.sequence.rawValue)
    let walk = try store.walk()
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
    let undone: FrozenState?
    do throws(HistoryDefect) { undone = try head.state(after: sequence) } catch {
      throw StoreError(error, path: path)
    }
    if let undone { compare(folded, with: undone) }
  }

  private mutating func compare(_ folded: FrozenState, with other: FrozenState) {
    stateCount += 1
    if let finding = HistoryCheck.difference(of: folded, from: other) { findings.append(finding) }
  }

  /// Returns the first record that differs between two states of a store, or nil if the states are
  /// equal.
  package static func difference(of folded: FrozenState, from other: FrozenState) -> Finding? {
    for entity in folded.catalog.names.indices {
      // Only the locations of rows are compared, and not the slots. Undoing and applying a change
      // can give a record a different slot.
      let different = folded.changed(in: entity, since: other).first {
        let key = IdentifierBytes($0.id)
        return folded.reader.location(of: key, in: entity)
          != other.reader.location(of: key, in: entity)
      }
      if let different {
        return Finding(
          sequence: folded.sequence, entity: folded.catalog.names[entity], id: different.id)
      }
    }
    return nil
  }
}
