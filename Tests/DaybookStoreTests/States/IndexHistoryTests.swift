import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookSimulation
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Indexes over the history of a store` {
  @Test(arguments: UInt64(0)..<4)
  func `indexes agree with a scan at every moment and after reopening`(_ seed: UInt64) throws {
    var history = try IndexHistory(seed: seed)
    try history.run()
  }

  /// Reverting folded changes restores the indexes of each moment and frees all other pages.
  @Test(arguments: UInt64(0)..<4)
  func `reverting changes restores the indexes`(_ seed: UInt64) throws {
    var history = try IndexHistory(seed: seed)
    let base = history.indexed.frozen
    var editor = StateEditor(base, in: base.fork())
    var moments: [(FrozenState, [RowChange])] = []
    for step in 0..<12 {
      if step == 4 || step == 8 {
        for entity in IndexedStore.entities(step / 4) {
          guard let number = editor.reader.catalog.layouts.nextNumber else { continue }
          _ = editor.add(Layout(number: number, of: entity))
        }
        // Changes are reverted in reverse order; layouts are not.
        moments = []
      }
      let before = editor.frozen()
      let payload = history.payload(on: before)
      let location = editor.memory.draft.add(payload.span.bytes, sequence: 0)
      var changes: [RowChange]? = []
      let defect = editor.fold(payload.span.bytes, at: location, changes: &changes)
      #expect(defect == nil)
      expectIndexes(
        of: editor.frozen(), mayReferTo: history.targets)
      moments.append((before, changes ?? []))
    }
    for (before, changes) in moments.reversed() {
      for change in changes.reversed() { editor.revert(change) }
      let now = editor.frozen()
      expectIndexes(of: now, mayReferTo: history.targets)
      expectIndexes(of: before, mayReferTo: history.targets)
    }
    moments = []
    // The remaining records are deleted, restored and deleted again.
    for round in 0..<2 {
      let now = editor.frozen()
      let payload = history.deletion(of: now)
      let location = editor.memory.draft.add(payload.span.bytes, sequence: 0)
      var changes: [RowChange]? = []
      _ = editor.fold(payload.span.bytes, at: location, changes: &changes)
      #expect(editor.state.references.tree == PageTree())
      #expect(editor.state.unique.tree == PageTree())
      guard round == 0 else { continue }
      for change in (changes ?? []).reversed() { editor.revert(change) }
      expectIndexes(
        of: editor.frozen(), mayReferTo: history.targets)
    }
    expectAccounted(editor.state, in: editor.reader.space)
  }

  /// Folding with right positions uses them; with wrong ones it looks up the records.
  @Test(arguments: 0..<UInt64(FaultRow.count(8, full: 80)))
  func `folding gives the same changes with or without known positions`(_ seed: UInt64) throws {
    var history = try IndexHistory(seed: seed)
    try history.run()
    let base = history.indexed.frozen
    let payload = history.payload(on: base)
    func folded(_ positions: [RecordPosition]) -> [RowChange] {
      var editor = StateEditor(base, in: base.fork())
      let location = editor.memory.draft.add(payload.span.bytes, sequence: 0)
      var changes: [RowChange]? = []
      let defect = editor.fold(
        payload.span.bytes, at: location, changes: &changes, positions: positions)
      #expect(defect == nil)
      expectIndexes(
        of: editor.frozen(), mayReferTo: history.targets)
      return changes ?? []
    }
    let changes = folded([])
    let positions = changes.map { change in
      change.kind == .insert
        ? RecordPosition(.max, at: .none) : RecordPosition(change.slot, at: change.old)
    }
    #expect(positions.contains { $0.location != .none })
    #expect(folded(positions) == changes)
    #expect(folded(Array(positions.dropLast(2))) == changes)
    let wrong = positions.map { RecordPosition($0.slot &+ 1, at: $0.location) }
    #expect(folded(wrong) == changes)
    #expect(folded(Array(repeating: RecordPosition(.max, at: .none), count: 40)) == changes)
  }

  @Test func `reading deferred indexes traps`() async {
    await #expect(processExitsWith: .failure) {
      var editor = StateEditor()
      editor.deferIndexes()
      editor.reader.forEachReferrer(of: EntityKey(0, id: "a")) { _, _, _ in }
    }
  }

  @Test func `opening a store fills the pages of the indexes`() throws {
    var indexed = try IndexedStore()
    let names = (0..<600).map { "p\($0)" }
    for names in [names[..<300], names[300...]] {
      let changes = names.map {
        IndexedStore.Change.set(
          "Person", RecordIdentifier($0), ["name": .string($0), "team": .reference(.int(1))])
      }
      _ = try indexed.store.saveAndWait(indexed.proposal(changes))
    }
    func pageCounts(_ state: FrozenState) -> [Int] {
      [state.state.references.tree, state.state.unique.tree].map { tree in
        var count = 0
        tree.forEachPage(in: state.space) { _ in count += 1 }
        return count
      }
    }
    let before = pageCounts(indexed.frozen)
    try indexed.reopen(version: 0)
    // Eight leaves of up to 84 pairs, and the root.
    #expect(pageCounts(indexed.frozen) == [9, 9])
    #expect(before[1] > 9)
    expectIndexes(of: indexed.frozen, mayReferTo: [Target(entity: "Team", id: .int(1))])
  }

  @Test func `an invalid transaction leaves the indexes unchanged`() throws {
    var history = try IndexHistory(seed: 9)
    let base = history.indexed.frozen
    var editor = StateEditor(base, in: base.fork())
    var changes: [RowChange]?
    let payload = history.payload(on: base)
    let location = editor.memory.draft.add(payload.span.bytes, sequence: 0)
    _ = editor.fold(payload.span.bytes, at: location, changes: &changes)
    let before = editor.frozen()
    // All its records exist already, except for the first one.
    let other = history.payload(on: base, including: "new")
    let otherLocation = editor.memory.draft.add(other.span.bytes, sequence: 0)
    let defect = editor.fold(other.span.bytes, at: otherLocation, changes: &changes)
    #expect(defect?.kind == .change)
    let now = editor.frozen()
    expectIndexes(of: now, mayReferTo: history.targets)
    #expect(IndexModel(now).referrers == IndexModel(before).referrers)
  }

  /// Checks that every page in use is reachable from the roots of the state.
  private func expectAccounted(_ state: StoreState, in space: PageSpace) {
    var pages: Set<PageNumber> = []
    state.forEachPage(in: space) { pages.insert($0) }
    #expect(space.statistics.inUseCount == pages.filter { $0.rawValue >> 31 == 1 }.count)
  }
}

/// A random history of people, teams and badges.
private struct IndexHistory {
  var generator: SplitMix64
  var indexed: IndexedStore
  private var version = 0
  private let badges: [RecordIdentifier]

  init(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    badges = (0..<4).map { _ in
      let (high, low) = (generator.next().bigEndian, generator.next().bigEndian)
      return .uuid(UUID(uuid: unsafeBitCast((high, low), to: uuid_t.self)))
    }
    self.generator = generator
    indexed = try IndexedStore()
  }

  mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  /// All records that a reference may name, existing or not.
  var targets: [Target] {
    (0..<24).map { Target(entity: "Person", id: person($0)) }
      + (0..<8).map { Target(entity: "Team", id: .int(Int64($0))) }
      + badges.map { Target(entity: "Badge", id: $0) }
  }

  private func person(_ number: Int) -> RecordIdentifier { RecordIdentifier("p\(number)") }

  mutating func run() throws {
    var kept: [FrozenState] = []
    for step in 0..<36 {
      if step == 12 || step == 24 {
        version += 1
        try indexed.store.define(IndexedStore.entities(version))
      }
      let changes = changes()
      if below(8) == 0 { try expectUndone(changes) }
      _ = try indexed.store.saveAndWait(indexed.proposal(changes))
      expectIndexes(of: indexed.frozen, mayReferTo: targets)
      if below(4) == 0 { kept.append(indexed.frozen) }
      if below(12) == 0 { try expectSameAfterReopening() }
    }
    for state in kept { expectIndexes(of: state, mayReferTo: targets) }
    // The same moments, restored from the journal.
    let last = indexed.frozen
    for state in kept {
      let again = try #require(try last.state(after: state.sequence.rawValue))
      expectIndexes(of: again, mayReferTo: targets)
    }
    kept = []
    try expectSameAfterReopening()
  }

  private mutating func expectSameAfterReopening() throws {
    let before = indexed.frozen
    try indexed.reopen(version: version)
    expectIndexes(of: indexed.frozen, mayReferTo: targets)
    #expect(indexed.frozen.state.references.count == before.state.references.count)
    #expect(indexed.frozen.state.unique.count == before.state.unique.count)
  }

  /// Checks a save that the full disk refuses.
  private mutating func expectUndone(_ changes: [IndexedStore.Change]) throws {
    var changes = changes
    changes.append(.set("Person", "big", ["note": .data(Array(repeating: 1, count: 100_000))]))
    let before = indexed.frozen
    let proposal = try indexed.proposal(changes)
    indexed.disk.capacity = 0
    let indexed = indexed
    #expect(throws: StoreError.self) { _ = try indexed.store.saveAndWait(proposal) }
    indexed.disk.capacity = nil
    expectIndexes(of: indexed.frozen, mayReferTo: targets)
    #expect(IndexModel(indexed.frozen).referrers == IndexModel(before).referrers)
  }

  // MARK: Random values

  /// Returns a few changes of different records.
  private mutating func changes() -> [IndexedStore.Change] {
    var changes: [IndexedStore.Change] = []
    var drawn: Set<Target> = []
    let frozen = indexed.frozen
    for _ in 0...below(4) {
      let change = change(on: frozen)
      if drawn.insert(Target(entity: change.entity, id: change.id)).inserted {
        changes.append(change)
      }
    }
    return changes
  }

  private mutating func change(on frozen: FrozenState) -> IndexedStore.Change {
    let targets = targets
    let target = targets[below(targets.count)]
    let entity = frozen.catalog.index(of: target.entity) ?? 0
    let exists = frozen.reader.location(of: IdentifierBytes(target.id), in: entity) != .none
    if exists, below(3) == 0 { return .delete(target.entity, target.id) }
    var values: [String: AttributeValue] = [:]
    for attribute in frozen.catalog.newest(entity).entity.attributes where below(3) > 0 {
      values[attribute.name] = value(of: attribute)
    }
    return .set(target.entity, target.id, values)
  }

  private mutating func value(of attribute: AttributeDefinition) -> AttributeValue {
    switch attribute.type {
    case .scalar(.string):
      let texts = ["\u{EB}", "e\u{308}", "x", "y", String(repeating: "\u{EB}", count: 300)]
      return .string(texts[below(texts.count)])
    case .scalar(.data): return .data(Array(repeating: 7, count: below(600)))
    case .scalar: return .int(Int64(below(3)))
    case .reference(let target): return .reference(id(of: target))
    default:
      guard let target = attribute.type.target else { return .null }
      // Some arrays are too large for a row, with many duplicates.
      let count = below(10) == 0 ? 150 : below(4)
      return .array((0..<count).map { _ in .reference(id(of: target)) })
    }
  }

  private mutating func id(of target: EntityReference) -> RecordIdentifier {
    switch target.identifierKind {
    case .string: person(below(24))
    case .uuid: badges[below(badges.count)]
    default: .int(Int64(below(8)))
    }
  }

  // MARK: Payloads

  /// Returns the payload of a draft, which stores every value in its row.
  mutating func payload(on state: FrozenState, including extra: String? = nil) -> [UInt8] {
    var drawn: [IndexedStore.Change] = []
    if let extra { drawn.append(.set("Person", RecordIdentifier(extra), ["name": .string("x")])) }
    var known: Set<Target> = []
    for target in targets.shuffled(using: &generator).prefix(12) {
      var change = change(on: state)
      change.entity = target.entity
      change.id = target.id
      let entity = state.catalog.index(of: target.entity) ?? 0
      let exists = state.reader.location(of: IdentifierBytes(target.id), in: entity) != .none
      if change.values == nil, !exists { continue }
      if change.values != nil {
        var values: [String: AttributeValue] = [:]
        for attribute in state.catalog.newest(entity).entity.attributes where below(3) > 0 {
          values[attribute.name] = value(of: attribute)
        }
        change.values = values
      }
      if known.insert(target).inserted { drawn.append(change) }
    }
    return payload(drawn, on: state)
  }

  /// Returns the payload that deletes every record.
  func deletion(of state: FrozenState) -> [UInt8] {
    var changes: [IndexedStore.Change] = []
    for target in targets {
      guard let entity = state.catalog.index(of: target.entity) else { continue }
      if state.reader.location(of: IdentifierBytes(target.id), in: entity) != .none {
        changes.append(.delete(target.entity, target.id))
      }
    }
    return payload(changes, on: state)
  }

  private func payload(_ changes: [IndexedStore.Change], on state: FrozenState) -> [UInt8] {
    var writer = PayloadWriter(changeCount: changes.count)
    var creation = state.state.nextCreation
    let draft = ChangePosition(sequence: 0, payloadOffset: 0)
    for change in changes {
      guard let entity = state.catalog.index(of: change.entity) else { continue }
      let layout = state.catalog.newest(entity)
      let location = state.reader.location(of: IdentifierBytes(change.id), in: entity)
      guard let values = change.values else {
        writer.delete(change.id, in: layout, after: draft)
        continue
      }
      var row = RowBuffer()
      DynamicRecord(
        change.entity, id: change.id,
        values: layout.entity.attributes.map { values[$0.name] ?? .null }
      ).append(layout, to: &row)
      if location == .none {
        writer.insert(row.bytes.span.bytes, creation: creation)
        creation += 1
      } else {
        writer.update(
          row.bytes.span.bytes,
          creation: state.memory.withBytes(at: location) { Layout.creation(of: $0) },
          after: draft, changed: AttributeSet(all: layout.fields.count))
      }
    }
    return writer.finish()
  }
}
