import DaybookStore

/// The rows and the sections of a list, in order and as numbers. A cache file contains them,
/// because computing them takes long and storing them needs little space.
package struct ListEntries: Equatable, Sendable {
  /// The first eight bytes of each row's key, and its slot.
  package var rows: RankEntries
  /// The first eight bytes of each section's key, and its number of rows; empty for a list without
  /// sections.
  package var sections: RankEntries

  package init(rows: RankEntries, sections: RankEntries) {
    self.rows = rows
    self.sections = sections
  }

  /// Returns whether these can be the entries of a list over a state.
  ///
  /// The function checks that
  ///
  /// - each row exists and occurs once,
  /// - the sections contain all rows,
  /// - the known parts of the keys are in order,
  /// - some rows, evenly distributed over the list, match the filter and have these keys.
  ///
  /// If a closure defines the sections, the function checks all rows, because the closure may have
  /// changed without a new version. The checks find most wrong entries, but not all: only computing
  /// the list again can prove that the entries are correct.
  ///
  /// - Complexity: O(*n*)
  package func fit(_ plan: ResultPlan, in state: FrozenState) -> Bool {
    guard plan.entity < state.state.tables.count else { return rows.isEmpty && sections.isEmpty }
    return standOnce(in: state.state.tables[plan.entity], state.space)
      && areInOrder(isSectioned: plan.appendSection != nil) && haveTheirKeys(plan, in: state)
  }

  /// Returns whether each row has a slot that is in use, and no two rows have the same slot.
  private func standOnce(in table: EntityTable, _ space: PageSpace) -> Bool {
    guard rows.count <= table.count else { return false }
    // Usually only a few slots are free. So marking the free slots is faster than reading the table
    // for each row.
    let slotCount = table.slotCount
    // A bit for each slot that is free or already belongs to a row.
    var taken = [UInt64](repeating: 0, count: slotCount / 64 + 1)
    table.forEachFree(in: space) { slot in taken[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }
    for row in rows {
      let slot = row.value
      let bit: UInt64 = 1 << UInt64(slot & 63)
      guard Int(slot) < slotCount, taken[Int(slot >> 6)] & bit == 0 else { return false }
      taken[Int(slot >> 6)] |= bit
    }
    return true
  }

  /// Returns whether the sections contain all rows, and whether the first eight bytes of all keys
  /// are in order.
  private func areInOrder(isSectioned: Bool) -> Bool {
    guard isSectioned else { return sections.isEmpty && areInOrder(rows.indices) }
    var start = 0
    for (index, section) in sections.enumerated() {
      let end = start + Int(section.value)
      guard section.value > 0, end <= rows.count, areInOrder(start..<end),
        index == 0 || sections[index - 1].key <= section.key
      else { return false }
      start = end
    }
    return start == rows.count
  }

  private func areInOrder(_ range: Range<Int>) -> Bool {
    guard var last = range.first.map({ rows[$0].key }) else { return true }
    for rank in range.dropFirst() {
      let key = rows[rank].key
      guard last <= key else { return false }
      last = key
    }
    return true
  }

  /// The approximate number of rows to check if not all rows are checked. The number is small,
  /// because each row may be in a part of the journal that has not been read yet. Reading such a
  /// part verifies a checksum.
  private static let sampleCount = 32

  /// Returns whether some rows match the filter, and have the keys of their entries and sections.
  private func haveTheirKeys(_ plan: ResultPlan, in state: FrozenState) -> Bool {
    let isClosure = plan.sectionSource?.isClosure ?? false
    let step = isClosure ? 1 : max(1, rows.count / ListEntries.sampleCount)
    let table = state.state.tables[plan.entity]
    var buffer = RowBuffer()
    var section = 0
    var sectionEnd = sections.first.map { Int($0.value) } ?? rows.count
    var lastSection: (index: Int, key: [UInt8])?
    for rank in stride(from: 0, to: rows.count, by: step) {
      let location = table.row(rows[rank].value, in: state.space).location
      guard plan.includes(location, in: state) else { return false }
      buffer.removeAll()
      plan.appendOwn(location, in: state, to: &buffer)
      guard buffer.bytes.span.bytes.orderWord == rows[rank].key else { return false }
      guard let appendSection = plan.appendSection else { continue }
      while rank >= sectionEnd {
        section += 1
        sectionEnd += Int(sections[section].value)
      }
      buffer.removeAll()
      appendSection(location, state, &buffer)
      guard buffer.bytes.span.bytes.orderWord == sections[section].key else { return false }
      if let lastSection {
        let order = RowKey.compare(lastSection.key[...], to: buffer.bytes[...])
        guard lastSection.index == section ? order == 0 : order < 0 else { return false }
      }
      lastSection = (section, buffer.bytes)
    }
    return true
  }
}

extension ResultSnapshot {
  /// All rows and sections of the list, including those outside of the window.
  ///
  /// - Complexity: O(*n*)
  package var entries: ListEntries {
    func entries(of tree: RankTree) -> [RankEntry] {
      var entries: [RankEntry] = []
      entries.reserveCapacity(tree.count)
      tree.forEach(0..<tree.count, in: space) { entries.append($0) }
      return entries
    }
    return ListEntries(
      rows: RankEntries(entries(of: order)), sections: RankEntries(entries(of: sections)))
  }

  /// Returns whether the rows of all entities that the list reads are the same, and in the same
  /// slots, in a second state. The entries of this snapshot are then valid for that state.
  package func hasSlots(of other: FrozenState) -> Bool {
    plan.entities.allSatisfy { entity in
      guard entity < state.state.tables.count, entity < other.state.tables.count else {
        return entity >= state.state.tables.count && entity >= other.state.tables.count
      }
      return state.state.tables[entity].isSame(as: other.state.tables[entity])
    }
  }
}

/// The entries of a list or of its sections, in order. The entries are in an array, or in the bytes
/// of a cache file, where each entry is read when it is accessed.
package struct RankEntries: RandomAccessCollection, Sendable {
  private let made: [RankEntry]
  private let written: [UInt8]
  private let keysOffset: Int
  private let valuesOffset: Int
  private let isWritten: Bool
  package let count: Int

  package init(_ made: [RankEntry]) {
    self.made = made
    count = made.count
    written = []
    (keysOffset, valuesOffset) = (0, 0)
    isWritten = false
  }

  /// Creates a collection of entries in the bytes of a file. The keys start at one offset and have
  /// 8 bytes each. The values start at a second offset and have 4 bytes each.
  package init(_ count: Int, in bytes: [UInt8], keysAt keysOffset: Int, valuesAt valuesOffset: Int)
  {
    precondition(
      count >= 0 && keysOffset >= 0 && valuesOffset >= 0 && keysOffset + 8 * count <= bytes.count
        && valuesOffset + 4 * count <= bytes.count,
      "\(count) entries at \(keysOffset) and \(valuesOffset) of \(bytes.count) bytes")
    made = []
    written = bytes
    self.keysOffset = keysOffset
    self.valuesOffset = valuesOffset
    self.count = count
    isWritten = true
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(rank: Int) -> RankEntry {
    guard isWritten else { return made[rank] }
    precondition(rank >= 0 && rank < count, "entry \(rank) of \(count)")
    let bytes = written.span.bytes
    // The initializer has checked the number of bytes.
    return RankEntry(
      bytes.number(at: keysOffset + 8 * rank, as: UInt64.self) ?? 0,
      value: bytes.number(at: valuesOffset + 4 * rank, as: UInt32.self) ?? 0)
  }
}

extension RankEntries: Equatable {
  /// Returns whether both collections contain equal entries. The entries may be stored in different
  /// ways.
  package static func == (one: RankEntries, other: RankEntries) -> Bool {
    one.elementsEqual(other)
  }
}
