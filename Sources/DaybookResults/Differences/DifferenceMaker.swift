import DaybookStore

/// The computation of the edits between two snapshots of lists with the same plan, from the edits
/// of single rows. A projection performs it after each change of its rows or its window.
///
/// A row is *placed* if the change removed it from the order, inserted it into the order, or both.
/// All other rows are *fixed*: they form the same sequence before and after the change, and their
/// index in that sequence identifies them.
///
/// A placed row that both snapshots show either *stays* or is a move. A placed row can stay if its
/// section is the same, and if the row is between the same two fixed rows as before. If several
/// rows can stay, the largest set of them that kept its relative order stays. For example, in the
/// rows `a b c d`, the keys of `b` and `c` change. If the order is still the same, both rows stay,
/// and no row moves. If the new order is `a c b d`, one of the two rows stays, and the other row is
/// a move.
struct DifferenceMaker {
  private(set) var script: EditScript
  private let before: ResultSnapshot
  private let after: ResultSnapshot
  private let oldPaths: RankPaths
  private let newPaths: RankPaths
  private let removed: EditedRanks
  private let added: EditedRanks
  /// The positions of the deleted and moved rows in the list before, and the positions of the
  /// inserted and moved rows in the list after. The edits of sections are computed from them.
  private var leaving: [Position] = []
  private var arriving: [Position] = []

  /// The rank of a row, and the index of its section among the shown sections.
  private struct Position: BitwiseCopyable {
    var rank: Int
    var section: Int
  }

  init(_ before: ResultSnapshot, to after: ResultSnapshot, placed: PlacedRows) {
    self.before = before
    self.after = after
    script = EditScript(before, to: after)
    oldPaths = RankPaths(before, count: placed.edits.count)
    newPaths = RankPaths(after, count: placed.edits.count)
    removed = placed.removed
    added = placed.added
    crossEdges()
    append(placed.edits)
    appendSections()
    script.deleted.sort { $0.path > $1.path }
    script.inserted.sort { $0.path < $1.path }
    script.moved.sort { $0.new.path < $1.new.path }
    script.updated.sort { $0.new.path < $1.new.path }
  }

  // MARK: Rows

  /// The fixed rows that the list before shows, as a range of indexes among all fixed rows.
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

  /// The fixed rows that both lists show.
  private var fixedCommon: Range<Int> {
    let (old, new) = (fixedBefore, fixedAfter)
    let lower = max(old.lowerBound, new.lowerBound)
    return lower..<max(lower, min(old.upperBound, new.upperBound))
  }

  /// Reports the fixed rows that crossed an edge of the window: rows that left the window are
  /// deleted, and rows that entered it are inserted.
  private mutating func crossEdges() {
    let (old, new, common) = (fixedBefore, fixedAfter, fixedCommon)
    for fixed in DifferenceMaker.subtract(common, from: old) {
      let rank = removed.rank(ofFixed: fixed)
      delete(rank, slot: before.slot(atRank: rank))
    }
    for fixed in DifferenceMaker.subtract(common, from: new) {
      let rank = added.rank(ofFixed: fixed)
      insert(rank, slot: after.slot(atRank: rank))
    }
  }

  /// Returns the numbers of a range that are not in the common range. The common range is a part of
  /// the range, or is empty.
  private static func subtract(_ common: Range<Int>, from range: Range<Int>) -> [Int] {
    if common.isEmpty { return Array(range) }
    return Array(range.lowerBound..<common.lowerBound) + Array(common.upperBound..<range.upperBound)
  }

  private mutating func delete(_ rank: Int, slot: UInt32) {
    let path = oldPaths.path(ofRank: rank)
    leaving.append(Position(rank: rank, section: path.section))
    script.deleted.append(EditScript.Row(path: path, slot: slot))
  }

  private mutating func insert(_ rank: Int, slot: UInt32) {
    let path = newPaths.path(ofRank: rank)
    arriving.append(Position(rank: rank, section: path.section))
    script.inserted.append(EditScript.Row(path: path, slot: slot))
  }

  /// A placed row that both lists show, with its old and new rank.
  private struct CommonRow {
    var old: Int
    var new: Int
    var oldSlot: UInt32
    var newSlot: UInt32
    var isContentChanged: Bool
    var canStay = true
  }

  /// Reports the placed rows as deletions, insertions, moves or updates, and the fixed rows with
  /// changed content as updates.
  private mutating func append(_ edits: [RowEdit]) {
    let (oldVisible, newVisible) = (before.visible, after.visible)
    let common = fixedCommon
    var rows: [CommonRow] = []
    for edit in edits {
      let old = edit.old.flatMap { oldVisible.contains($0) ? $0 : nil }
      let new = edit.new.flatMap { newVisible.contains($0) ? $0 : nil }
      switch (old, edit.oldSlot, new, edit.newSlot) {
      case (let old?, let oldSlot?, let new?, let newSlot?):
        var row = CommonRow(
          old: old, new: new, oldSlot: oldSlot, newSlot: newSlot,
          isContentChanged: edit.isContentChanged)
        guard edit.isPlaced else {
          if row.isContentChanged { script.updated.append(pair(row)) }
          continue
        }
        // Only fixed rows that both lists show count. A row that passes a hidden fixed row does not
        // move visibly.
        let oldGap = clamp(removed.fixedCount(before: old), to: common)
        let newGap = clamp(added.fixedCount(before: new), to: common)
        row.canStay = oldGap == newGap && !edit.isSectionChanged
        rows.append(row)
      case (let old?, let slot?, nil, _) where edit.isPlaced: delete(old, slot: slot)
      case (nil, _, let new?, let slot?) where edit.isPlaced: insert(new, slot: slot)
      // `crossEdges` reports the fixed rows that crossed an edge of the window.
      default: break
      }
    }
    rows.sort { $0.new < $1.new }
    let able = rows.indices.filter { rows[$0].canStay }
    var staying = StayingRows.longestAscending(able.map { rows[$0].old }).map { able[$0] }[...]
    for (index, row) in rows.enumerated() {
      if staying.first == index {
        staying.removeFirst()
        if row.isContentChanged { script.updated.append(pair(row)) }
      } else {
        let pair = pair(row)
        leaving.append(Position(rank: row.old, section: pair.old.path.section))
        arriving.append(Position(rank: row.new, section: pair.new.path.section))
        script.moved.append(pair)
      }
    }
  }

  /// Returns the number of a range that is nearest to a given number. The upper bound of the range
  /// is included.
  private func clamp(_ number: Int, to range: Range<Int>) -> Int {
    min(max(number, range.lowerBound), range.upperBound)
  }

  /// Returns a row with its paths and slots in both snapshots.
  private func pair(_ row: CommonRow) -> EditScript.Pair {
    EditScript.Pair(
      old: EditScript.Row(path: oldPaths.path(ofRank: row.old), slot: row.oldSlot),
      new: EditScript.Row(path: newPaths.path(ofRank: row.new), slot: row.newSlot),
      isContentChanged: row.isContentChanged)
  }

  // MARK: Sections

  /// Reports the deleted and inserted sections.
  ///
  /// A section is deleted if all its shown rows were deleted or moved, and if the list after shows
  /// no section with its key. Inserted sections are found in the same way, with the two lists
  /// exchanged.
  private mutating func appendSections() {
    guard before.plan.appendSection != nil else { return }
    for position in DifferenceMaker.emptied(&leaving, paths: oldPaths) {
      if after.shows(section: before.sectionKey(atRank: position.rank)) { continue }
      script.deletedSections.append(position.section)
    }
    for position in DifferenceMaker.emptied(&arriving, paths: newPaths) {
      if before.shows(section: after.sectionKey(atRank: position.rank)) { continue }
      script.insertedSections.append(position.section)
    }
    script.deletedSections.sort(by: >)
    script.insertedSections.sort()
  }

  /// Returns one position for each section that shows rows at the given positions only.
  private static func emptied(_ positions: inout [Position], paths: RankPaths) -> [Position] {
    positions.sort { $0.rank < $1.rank }
    var emptied: [Position] = []
    var rest = positions[...]
    while let first = rest.first {
      let run = rest.prefix { $0.section == first.section }
      rest = rest[run.endIndex...]
      if paths.count(inSection: first.section) == run.count { emptied.append(first) }
    }
    return emptied
  }
}

extension ResultSnapshot {
  /// Returns whether the section with a key is shown.
  fileprivate func shows(section key: [UInt8]) -> Bool {
    let (index, isFound) = search.section(key[...])
    return isFound && visibleSections.contains(index)
  }
}
