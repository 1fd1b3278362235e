import DaybookStore

/// The computation of the edits between a snapshot of one request and a snapshot of a second
/// request, for one entity of one store. A controller needs it when a program changes its request,
/// or when the schema has grown.
///
/// The two requests may have completely different orders and sections. Therefore the computation
/// compares all shown rows, and any row may be a move. A row can *stay*, which means that it is not
/// a move, only if its section stays. Rows that stay in one section have the same relative order in
/// both snapshots.
///
/// 1. A section either stays, or is deleted and inserted. The sections that stay have the same
///    relative order in both snapshots. Of all such sets of sections, the set that lets the most
///    rows stay is chosen. Of sets with equal numbers of rows, the set with more sections is
///    chosen, and then the set that is earliest in the new order.
/// 2. In a section that stays, as many rows as possible stay. Of several such sets of rows, the set
///    that is earliest in the new order is chosen.
struct RefetchMaker {
  private(set) var script: EditScript
  private let before: ResultSnapshot
  private let after: ResultSnapshot
  private let old: ShownRows
  private let new: ShownRows

  /// - Parameter touched: The records that may have different values in the two states. The new
  ///   request decides which referenced records count.
  /// - Complexity: O(*n* log *n*) in the shown rows, and memory of one word for each slot of the
  ///   entity
  init(_ before: ResultSnapshot, to after: ResultSnapshot, touched: [TouchedRow]) {
    self.before = before
    self.after = after
    old = ShownRows(before)
    new = ShownRows(after)
    script = EditScript(before, to: after)
    let sharedRows = appendUnshared(touched)
    let stays = staying(sharedRows)
    appendSections(except: stays.sections)
    for (index, row) in sharedRows.enumerated() {
      let pair = EditScript.Pair(
        old: old[row.old], new: new[row.new], isContentChanged: row.isContentChanged)
      if !stays.rows[index] {
        script.moved.append(pair)
      } else if row.isContentChanged {
        script.updated.append(pair)
      }
    }
  }

  // MARK: Rows

  /// A row that both snapshots show, with its number in each of them.
  private struct SharedRow {
    var old: Int
    var new: Int
    var isContentChanged: Bool
  }

  /// Reports the rows that only one of the snapshots shows, and returns the rows that both show, in
  /// the new order.
  private mutating func appendUnshared(_ touched: [TouchedRow]) -> [SharedRow] {
    var oldRowBySlot = [Int?](repeating: nil, count: old.slots.max().map { Int($0) + 1 } ?? 0)
    for (row, slot) in old.slots.enumerated() { oldRowBySlot[Int(slot)] = row }
    // An untouched record has the same slot in both states.
    var touchedBySlot: [UInt32: TouchedRow] = [:]
    for row in touched { if let slot = row.new?.slot { touchedBySlot[slot] = row } }
    var sharedRows: [SharedRow] = []
    var isShared = [Bool](repeating: false, count: old.slots.count)
    for (row, slot) in new.slots.enumerated() {
      let touched = touchedBySlot[slot]
      let oldSlot = touched.map { $0.old?.slot } ?? slot
      guard let oldSlot, oldSlot < oldRowBySlot.count, let oldRow = oldRowBySlot[Int(oldSlot)]
      else {
        script.inserted.append(new[row])
        continue
      }
      isShared[oldRow] = true
      let isChanged =
        touched?.isContentChanged(after.plan, from: before.state, to: after.state) ?? false
      sharedRows.append(SharedRow(old: oldRow, new: row, isContentChanged: isChanged))
    }
    for row in old.slots.indices.reversed() where !isShared[row] {
      script.deleted.append(old[row])
    }
    return sharedRows
  }

  // MARK: Staying rows

  /// A section that both snapshots show, and the rows that stay if the section stays, as indexes of
  /// the shared rows.
  private struct SharedSection {
    var old: Int
    var new: Int
    var rows: [Int] = []
  }

  /// Returns the sections that stay, and a Boolean value for each shared row that indicates whether
  /// the row stays.
  private func staying(_ sharedRows: [SharedRow]) -> (sections: [SharedSection], rows: [Bool]) {
    var shared = sharedSections
    var first = 0
    for index in shared.indices {
      let section = shared[index]
      while first < sharedRows.count, new.sections[sharedRows[first].new] < section.new {
        first += 1
      }
      var able: [Int] = []
      while first < sharedRows.count, new.sections[sharedRows[first].new] == section.new {
        if old.sections[sharedRows[first].old] == section.old { able.append(first) }
        first += 1
      }
      let longest = StayingRows.longestAscending(able.map { sharedRows[$0].old })
      shared[index].rows = longest.map { able[$0] }
    }
    // One row outweighs any number of sections.
    let rowWeight = shared.count + 1
    let sections = StayingRows.heaviestAscending(
      shared.map(\.old), weights: shared.map { $0.rows.count * rowWeight + 1 }
    ).map { shared[$0] }
    var rows = [Bool](repeating: false, count: sharedRows.count)
    for section in sections { for row in section.rows { rows[row] = true } }
    return (sections, rows)
  }

  /// The sections that both snapshots show, in the new order.
  private var sharedSections: [SharedSection] {
    if before.plan.appendSection == nil && after.plan.appendSection == nil {
      return [SharedSection(old: 0, new: 0)]
    }
    guard let source = before.plan.sectionSource, let newSource = after.plan.sectionSource,
      source == newSource
    else { return [] }
    var sectionIndexes = [[UInt8]: Int](minimumCapacity: old.starts.count)
    for section in old.starts.indices {
      sectionIndexes[source.own(in: before.sectionKey(ofSection: section))] = section
    }
    return new.starts.indices.compactMap { section in
      let own = newSource.own(in: after.sectionKey(ofSection: section))
      return sectionIndexes[own].map { SharedSection(old: $0, new: section) }
    }
  }

  // MARK: Sections

  /// Reports all sections except those that stay.
  private mutating func appendSections(except staying: [SharedSection]) {
    let (oldStaying, newStaying) = (Set(staying.map(\.old)), Set(staying.map(\.new)))
    for section in old.starts.indices.reversed() where !oldStaying.contains(section) {
      script.deletedSections.append(section)
    }
    for section in new.starts.indices where !newStaying.contains(section) {
      script.insertedSections.append(section)
    }
  }
}
