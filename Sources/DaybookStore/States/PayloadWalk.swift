import DaybookJournal

/// The numbers of changes in one payload of the journal.
struct CountedPayload {
  let sequence: UInt64
  let time: JournalTime
  let byteCount: Int
  private(set) var changeCount = 0
  private(set) var deleteCount = 0
  private var entities: [(index: Int, counts: Counts)] = []

  struct Counts {
    var insertCount = 0
    var updateCount = 0
    var deleteCount = 0
  }

  fileprivate init(sequence: UInt64, time: JournalTime, byteCount: Int) {
    self.sequence = sequence
    self.time = time
    self.byteCount = byteCount
  }

  fileprivate mutating func add(_ kind: ChangeKind, of entity: Int) {
    // Most payloads change records of few entities, and changes of one entity are adjacent.
    var index = entities.count - 1
    while index >= 0, entities[index].index != entity { index -= 1 }
    if index < 0 {
      index = entities.count
      entities.append((entity, Counts()))
    }
    changeCount += 1
    switch kind {
    case .insert: entities[index].counts.insertCount += 1
    case .update: entities[index].counts.updateCount += 1
    case .delete:
      entities[index].counts.deleteCount += 1
      deleteCount += 1
    }
  }

  /// Calls a closure with the counts of each entity that has changes.
  func forEachEntity(_ body: (_ index: Int, _ counts: Counts) -> Void) {
    for (index, counts) in entities { body(index, counts) }
  }

  /// Returns whether the payload deletes a record of an entity.
  func deletes(fromEntity entity: Int) -> Bool {
    entities.contains { $0.index == entity && $0.counts.deleteCount > 0 }
  }
}

/// A walk over the payloads of a journal, which counts their changes. It creates no transactions,
/// so it is much faster than reading them.
struct PayloadWalk {
  private let state: FrozenState

  init(_ state: FrozenState) { self.state = state }

  /// Calls a closure with each transaction of a range, until it returns false.
  ///
  /// - Throws: `HistoryDefect` if a transaction cannot be read
  func forEach(
    from first: UInt64, through last: UInt64, _ body: (CountedPayload) -> Bool
  ) throws(HistoryDefect) {
    guard first <= last else { return }
    let memory = state.memory
    var location = memory.locator.location(of: first, in: memory)
    for sequence in first...last {
      if memory.payloadHead(at: location)?.sequence != sequence {
        // The next payload does not follow directly, for example in memory.
        location = memory.locator.location(of: sequence, in: memory)
      }
      guard location != .none, let head = memory.payloadHead(at: location) else {
        throw HistoryDefect(sequence: sequence, offset: 0)
      }
      guard body(try counted(at: location, as: sequence)) else { return }
      location = location + head.byteCountToNext
    }
  }

  /// Returns the counts of the payload at a location.
  ///
  /// - Throws: `HistoryDefect` if the payload is invalid or its frame is damaged
  func counted(
    at location: RowLocation, as sequence: UInt64
  ) throws(HistoryDefect) -> CountedPayload {
    let memory = state.memory
    guard let head = memory.payloadHead(at: location) else {
      throw HistoryDefect(sequence: sequence, offset: 0)
    }
    var counted = CountedPayload(sequence: sequence, time: head.time, byteCount: head.byteCount)
    let isValid = memory.withBytes(at: location) { bytes in
      guard head.byteCount <= bytes.byteCount else { return false }
      let payload = bytes.extracting(0..<head.byteCount)
      var reader = PayloadReader(payload, layouts: state.catalog.layouts)
      while let change = reader.next(in: payload) {
        counted.add(change.kind, of: state.catalog.entity(of: change.layout.number))
      }
      return reader.defect == nil
    }
    guard isValid else { throw HistoryDefect(sequence: sequence, offset: 0) }
    return counted
  }
}
