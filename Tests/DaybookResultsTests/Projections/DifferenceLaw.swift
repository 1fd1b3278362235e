import DaybookResults
import DaybookStore
import Testing

/// The laws that every difference obeys.
struct DifferenceLaw {
  let isSectioned: Bool
  /// All rows that match before and after, in order.
  let before: [ModelRow]
  let after: [ModelRow]
  let windowBefore: ResultWindow
  let windowAfter: ResultWindow
  /// Indicates whether the list had sections, if the moment before is of another request.
  let wasSectioned: Bool?
  let shownBefore: Shown
  let shownAfter: Shown

  init(
    isSectioned: Bool, before: [ModelRow], after: [ModelRow], windowBefore: ResultWindow,
    windowAfter: ResultWindow, wasSectioned: Bool? = nil
  ) {
    self.isSectioned = isSectioned
    self.before = before
    self.after = after
    self.windowBefore = windowBefore
    self.windowAfter = windowAfter
    self.wasSectioned = wasSectioned
    shownBefore = Shown(before, windowBefore, isSectioned: wasSectioned ?? isSectioned)
    shownAfter = Shown(after, windowAfter, isSectioned: isSectioned)
  }

  // Rules 35 to 38: both moments are read again from the difference, and other ways lead to it too.
  func hold(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    #expect(difference.before.snapshot.shown == shownBefore, "before, \(what)")
    #expect(difference.after.snapshot.shown == shownAfter, "after, \(what)")
    #expect(rebuilt(difference) == shownAfter, "old + difference, \(what)")
    holdRows(difference, what)
    if wasSectioned == nil { holdMoves(difference, what) } else { holdStays(difference, what) }
    let inverse = DifferenceLaw(
      isSectioned: wasSectioned ?? isSectioned, before: after, after: before,
      windowBefore: windowAfter, windowAfter: windowBefore,
      wasSectioned: wasSectioned.map { _ in isSectioned })
    #expect(inverse.rebuilt(difference.inverse) == shownBefore, "new + inverse, \(what)")
    inverse.holdRows(difference.inverse, "inverse, \(what)")
    #expect(difference.inverse.inverse.hasSameLists(as: difference), "twice inverse, \(what)")
    let between = ListDifference<DynamicRecord>(
      from: difference.before.snapshot, to: difference.after.snapshot)
    #expect(between.hasSameLists(as: difference), "between, \(what)")
    holdAdapters(difference, what)
  }

  // Rules 29 to 31.
  private func holdAdapters(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    let new = difference.after.identifiers
    holdCollections(of: difference, what: what)
    #expect(rebuilt(difference.batchSafe) == shownAfter, "batch-safe, \(what)")
    let dead = Set(difference.deletedSections.map(\.index))
    let born = Set(difference.insertedSections.map(\.index))
    for pair in difference.batchSafe.moved {
      #expect(!dead.contains(pair.old.section) && !born.contains(pair.new.section), "\(what)")
    }
    let renamed = difference.insertedSections.compactMap { section -> [Int]? in
      let rows = shownAfter.sections[section.index].rows
      guard
        let twin = shownBefore.sections.firstIndex(where: { $0.rows == rows }), dead.contains(twin)
      else { return nil }
      return [twin, section.index]
    }
    #expect(
      difference.renamedSections.map { [$0.old.index, $0.new.index] } == renamed, "renamed, \(what)"
    )
    let changes = difference.moved + difference.updated
    let changed = new.filter { id in changes.contains { $0.id == id && $0.isContentChanged } }
    #expect(difference.changedIdentifiers == Set(changed), "changed, \(what)")
    #expect(
      ListSnapshot(after: difference).changedIdentifiers == changed, "changed in order, \(what)")
    holdDiffable(difference, what)
  }

  // Rule 43.
  /// A view that compares identifiers finds the remaining sections, and equal rows apart from those
  /// that the difference reports.
  private func holdDiffable(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    let (old, new) = (ListSnapshot(after: difference.inverse), ListSnapshot(after: difference))
    let (oldSections, newSections) = (old.sectionIdentifiers, new.sectionIdentifiers)
    #expect(Set(newSections).count == shownAfter.sections.count, "unique, \(what)")
    let dead = difference.deletedSections.map(\.index)
    let born = difference.insertedSections.map(\.index)
    #expect(
      oldSections.indices.filter { !dead.contains($0) }.map { oldSections[$0] }
        == newSections.indices.filter { !born.contains($0) }.map { newSections[$0] },
      "sections that stay, \(what)")
    if wasSectioned == nil {
      #expect(
        Set(dead.map { oldSections[$0] }).isDisjoint(with: newSections), "sections gone, \(what)")
    }
    #expect(
      newSections.indices.map { new.itemIdentifiers(inSection: $0).map(number) }
        == shownAfter.sections.map(\.rows), "rows of sections, \(what)")
  }

  // Rule 24.
  /// The law of reconstruction: the list before, with what the difference says.
  private func rebuilt(_ difference: ListDifference<DynamicRecord>) -> Shown? {
    var sections = shownBefore.sections
    let taken =
      (difference.deleted.map { ($0.path, $0.id) } + difference.moved.map { ($0.old, $0.id) })
      .sorted { $0.0 > $1.0 }
    for (path, id) in taken {
      guard sections.indices.contains(path.section),
        sections[path.section].rows.indices.contains(path.row),
        sections[path.section].rows.remove(at: path.row) == number(id)
      else { return nil }
    }
    for section in difference.deletedSections {
      guard sections.indices.contains(section.index), sections[section.index].rows.isEmpty,
        sections.remove(at: section.index).name == section.name
      else { return nil }
    }
    for section in difference.insertedSections {
      guard section.index <= sections.count else { return nil }
      sections.insert(Shown.Section(name: section.name, rows: []), at: section.index)
    }
    let put =
      (difference.inserted.map { ($0.path, $0.id) } + difference.moved.map { ($0.new, $0.id) })
      .sorted { $0.0 < $1.0 }
    for (path, id) in put {
      guard sections.indices.contains(path.section),
        path.row <= sections[path.section].rows.count
      else { return nil }
      sections[path.section].rows.insert(number(id), at: path.row)
    }
    return Shown(sections: sections)
  }

  private func shownRows(_ rows: [ModelRow], _ window: ResultWindow) -> [Int: ModelRow] {
    let lower = min(window.offset, rows.count)
    let upper = window.limit.map { min(rows.count, lower + $0) } ?? rows.count
    return Dictionary(uniqueKeysWithValues: rows[lower..<upper].map { ($0.id, $0) })
  }

  // Rules 15, 17, 20, 21, 25 and 26.
  /// Each changed row is reported once, with its kind and paths. Unchanged rows are not reported.
  private func holdRows(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    let old = shownRows(before, windowBefore)
    let new = shownRows(after, windowAfter)
    #expect(
      difference.deleted.map { number($0.id) }.sorted()
        == old.keys.filter { new[$0] == nil }.sorted(),
      "deleted, \(what)")
    #expect(
      difference.inserted.map { number($0.id) }.sorted()
        == new.keys.filter { old[$0] == nil }.sorted(), "inserted, \(what)")
    let moved = Set(difference.moved.map { number($0.id) })
    let changed = new.keys.filter { id in old[id].map { $0.content != new[id]?.content } ?? false }
    #expect(
      difference.updated.map { number($0.id) }.sorted()
        == changed.filter { !moved.contains($0) }.sorted(), "updated, \(what)")
    for pair in difference.moved + difference.updated {
      #expect(path(pair.id, in: shownBefore) == pair.old, "old path, \(what)")
      #expect(path(pair.id, in: shownAfter) == pair.new, "new path, \(what)")
      #expect(pair.isContentChanged == changed.contains(number(pair.id)), "content, \(what)")
    }
    #expect(difference.deleted.map(\.path) == difference.deleted.map(\.path).sorted(by: >))
    #expect(difference.inserted.map(\.path) == difference.inserted.map(\.path).sorted())
    #expect(difference.moved.map(\.new) == difference.moved.map(\.new).sorted())
    #expect(difference.updated.map(\.new) == difference.updated.map(\.new).sorted())
    #expect(
      difference.isEmpty
        == (shownBefore == shownAfter && sectionsBefore == sectionsAfter && changed.isEmpty),
      "empty, \(what)")
  }

  private func path(_ id: RecordIdentifier, in shown: Shown) -> RowPath? {
    for (index, section) in shown.sections.enumerated() {
      if let row = section.rows.firstIndex(of: number(id)) {
        return RowPath(section: index, row: row)
      }
    }
    return nil
  }

  // Rules 16, 18 and 19.
  /// Only rows whose keys changed move, and as few as possible. The law tries every choice of
  /// remaining rows, and takes among the largest choices the one with the lowest new ranks.
  private func holdMoves(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    let old = shownRows(before, windowBefore)
    let new = shownRows(after, windowAfter)
    let common = after.filter { old[$0.id] != nil && new[$0.id] != nil }.map(\.id)
    let candidates = common.filter { id in
      guard let one = old[id], let other = new[id] else { return false }
      return !one.hasSameKey(as: other)
    }
    guard candidates.count <= 8 else { return }
    let oldOrder = before.map(\.id).filter { common.contains($0) }
    var best: [Int]?
    for choice in 0..<(1 << candidates.count) {
      let staying = candidates.indices.filter { choice >> $0 & 1 == 1 }
      if staying.contains(where: { old[candidates[$0]]?.section != new[candidates[$0]]?.section }) {
        continue
      }
      let leaving = Set(candidates.indices.filter { choice >> $0 & 1 == 0 }.map { candidates[$0] })
      guard
        oldOrder.filter({ !leaving.contains($0) }) == common.filter({ !leaving.contains($0) })
      else { continue }
      guard let known = best else {
        best = staying
        continue
      }
      if staying.count > known.count
        || staying.count == known.count && staying.lexicographicallyPrecedes(known)
      {
        best = staying
      }
    }
    let stays = Set((best ?? []).map { candidates[$0] })
    #expect(
      difference.moved.map { number($0.id) }.sorted()
        == candidates.filter { !stays.contains($0) }.sorted(), "moved, \(what)")
  }
}

extension ListDifference {
  init(from before: ResultSnapshot, to after: ResultSnapshot) {
    self.init(EditScript(from: before, to: after))
  }

  init(_ script: EditScript) { self.init(script, batchSize: 0, isOfHistory: false) }

  /// Returns whether another difference contains the same lists.
  func hasSameLists(as other: ListDifference) -> Bool {
    deletedSections == other.deletedSections && insertedSections == other.insertedSections
      && deleted == other.deleted && inserted == other.inserted && moved == other.moved
      && updated == other.updated
  }
}
