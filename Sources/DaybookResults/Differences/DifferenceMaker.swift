import DaybookStore

/// Finds out what happened between two moments of a projection, from what was done to single rows.
///
/// Rows that were not put elsewhere are *fixed*: they are the same list before and after, and are told
/// apart by their places in it. A row that was put elsewhere can stay if it stood between the same two
/// fixed rows before; of those that can, as many stay as can all be in the same order.
struct DifferenceMaker {
  private(set) var difference: Difference
  private let before: ResultSnapshot
  private let after: ResultSnapshot
  private let oldPaths: RankPaths
  private let newPaths: RankPaths
  private let removed: EditedRanks
  private let added: EditedRanks
  /// The rows that went or moved away, and those that came or moved there, by their ranks.
  private var leaving: [Int] = []
  private var arriving: [Int] = []

  init(_ before: ResultSnapshot, _ after: ResultSnapshot, _ edits: [RowEdit]) {
    self.before = before
    self.after = after
    difference = Difference(before, after)
    oldPaths = RankPaths(before, count: edits.count)
    newPaths = RankPaths(after, count: edits.count)
    removed = EditedRanks(edits.compactMap { $0.isPlaced ? $0.old : nil })
    added = EditedRanks(edits.compactMap { $0.isPlaced ? $0.new : nil })
    crossEdges()
    tell(edits)
    tellSections()
    difference.deleted.sort { $0.path > $1.path }
    difference.inserted.sort { $0.path < $1.path }
    difference.moved.sort { $0.new < $1.new }
    difference.updated.sort { $0.new < $1.new }
  }

  // MARK: Rows

  /// The fixed rows that are shown, by their places among all fixed rows.
  private var fixedBefore: Range<Int> {
    let visible = before.visible
    return removed.fixedCount(
      before: visible.lowerBound)..<removed.fixedCount(before: visible.upperBound)
  }

  private var fixedAfter: Range<Int> {
    let visible = after.visible
    return added.fixedCount(
      before: visible.lowerBound)..<added.fixedCount(before: visible.upperBound)
  }

  /// The fixed rows that are shown before and after.
  private var fixedCommon: Range<Int> {
    let (old, new) = (fixedBefore, fixedAfter)
    let lower = max(old.lowerBound, new.lowerBound)
    return lower..<max(lower, min(old.upperBound, new.upperBound))
  }

  /// Tells of fixed rows that were pushed over the edges of the window.
  private mutating func crossEdges() {
    let (old, new, common) = (fixedBefore, fixedAfter, fixedCommon)
    for fixed in DifferenceMaker.subtract(common, from: old) {
      let rank = removed.rank(ofFixed: fixed)
      delete(rank, before.slot(atRank: rank))
    }
    for fixed in DifferenceMaker.subtract(common, from: new) {
      let rank = added.rank(ofFixed: fixed)
      insert(rank, after.slot(atRank: rank))
    }
  }

  private static func subtract(_ common: Range<Int>, from range: Range<Int>) -> [Int] {
    if common.isEmpty { return Array(range) }
    return Array(range.lowerBound..<common.lowerBound) + Array(common.upperBound..<range.upperBound)
  }

  private mutating func delete(_ rank: Int, _ slot: UInt32) {
    leaving.append(rank)
    difference.deleted.append(
      Difference.Row(path: oldPaths.path(ofRank: rank), id: before.identifier(in: slot)))
  }

  private mutating func insert(_ rank: Int, _ slot: UInt32) {
    arriving.append(rank)
    difference.inserted.append(
      Difference.Row(path: newPaths.path(ofRank: rank), id: after.identifier(in: slot)))
  }

  /// A row that is shown before and after.
  private struct Kept {
    var old: Int
    var new: Int
    var newSlot: UInt32
    var isContentChanged: Bool
    var canStay = true
  }

  private mutating func tell(_ edits: [RowEdit]) {
    let (oldVisible, newVisible) = (before.visible, after.visible)
    let common = fixedCommon
    var kept: [Kept] = []
    for edit in edits {
      let old = edit.old.flatMap { oldVisible.contains($0) ? $0 : nil }
      let new = edit.new.flatMap { newVisible.contains($0) ? $0 : nil }
      switch (old, edit.oldSlot, new, edit.newSlot) {
      case (let old?, _, let new?, let newSlot?):
        var row = Kept(
          old: old, new: new, newSlot: newSlot, isContentChanged: edit.isContentChanged)
        guard edit.isPlaced else {
          if row.isContentChanged { difference.updated.append(pair(row)) }
          continue
        }
        // Fixed rows that are not shown on both sides do not stand in its way.
        let oldGap = clamp(removed.fixedCount(before: old), common)
        let newGap = clamp(added.fixedCount(before: new), common)
        row.canStay = oldGap == newGap && !edit.isSectionChanged
        kept.append(row)
      case (let old?, let slot?, nil, _) where edit.isPlaced: delete(old, slot)
      case (nil, _, let new?, let slot?) where edit.isPlaced: insert(new, slot)
      // Those that kept their keys were told of as they crossed the edges.
      default: break
      }
    }
    kept.sort { $0.new < $1.new }
    let able = kept.indices.filter { kept[$0].canStay }
    let staying = Set(StayingRows.longestAscending(able.map { kept[$0].old }).map { able[$0] })
    for (index, row) in kept.enumerated() {
      if staying.contains(index) {
        if row.isContentChanged { difference.updated.append(pair(row)) }
      } else {
        leaving.append(row.old)
        arriving.append(row.new)
        difference.moved.append(pair(row))
      }
    }
  }

  private func clamp(_ place: Int, _ range: Range<Int>) -> Int {
    min(max(place, range.lowerBound), range.upperBound)
  }

  private func pair(_ row: Kept) -> Difference.Pair {
    Difference.Pair(
      old: oldPaths.path(ofRank: row.old), new: newPaths.path(ofRank: row.new),
      id: after.identifier(in: row.newSlot), isContentChanged: row.isContentChanged)
  }

  // MARK: Sections

  /// A section goes if all its rows leave and none of its name arrives, which the other moment tells.
  private mutating func tellSections() {
    guard before.plan.appendSection != nil else { return }
    for (section, rank) in DifferenceMaker.emptied(leaving, before, oldPaths) {
      if after.shows(section: before.sectionKey(atRank: rank)) { continue }
      let index = section - before.visibleSections.lowerBound
      difference.deletedSections.append(
        Difference.Section(index: index, name: before.name(ofSection: index)))
    }
    for (section, rank) in DifferenceMaker.emptied(arriving, after, newPaths) {
      if before.shows(section: after.sectionKey(atRank: rank)) { continue }
      let index = section - after.visibleSections.lowerBound
      difference.insertedSections.append(
        Difference.Section(index: index, name: after.name(ofSection: index)))
    }
    difference.deletedSections.sort { $0.index > $1.index }
    difference.insertedSections.sort { $0.index < $1.index }
  }

  /// The sections of which all rows that are shown are among some, each with one of its ranks.
  private static func emptied(
    _ ranks: [Int], _ snapshot: ResultSnapshot, _ paths: RankPaths
  ) -> [(Int, rank: Int)] {
    var counts: [Int: (count: Int, rank: Int)] = [:]
    for rank in ranks {
      counts[paths.section(ofRank: rank), default: (0, rank)].count += 1
    }
    return counts.compactMap { section, found in
      snapshot.visibleRanks(ofSection: section).count == found.count ? (section, found.rank) : nil
    }
  }
}

extension ResultSnapshot {
  /// Whether a section is shown.
  fileprivate func shows(section key: [UInt8]) -> Bool {
    let (index, isFound) = search.section(key[...])
    return isFound && visibleSections.contains(index)
  }
}
