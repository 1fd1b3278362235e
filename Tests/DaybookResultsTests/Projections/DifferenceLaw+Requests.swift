import DaybookResults
import DaybookStore
import Testing

extension DifferenceLaw {
  /// A visible section: its identity in every request, and its rows.
  private struct Section {
    var identity: AnyHashable?
    var rows: [Int]
  }

  /// The identities of the sections before, if they matter.
  var sectionsBefore: [AnyHashable?] {
    sections(before, windowBefore, wasSectioned ?? isSectioned).map(\.identity)
  }

  /// The identities of the sections after, if they matter.
  var sectionsAfter: [AnyHashable?] { sections(after, windowAfter, isSectioned).map(\.identity) }

  private func sections(
    _ rows: [ModelRow], _ window: ResultWindow, _ isSectioned: Bool
  ) -> [Section] {
    guard wasSectioned != nil else { return [] }
    let shown = rows[window.range(of: rows.count)]
    guard isSectioned else { return [Section(identity: "one", rows: shown.map(\.id))] }
    var sections: [Section] = []
    for row in shown {
      let identity = row.sectionIdentity
      if sections.last?.identity != identity {
        sections.append(Section(identity: identity, rows: []))
      }
      sections[sections.count - 1].rows.append(row.id)
    }
    return sections
  }

  /// The candidates that could stay, in the new order: sections by their new indexes, and rows by
  /// their positions among the rows that are visible before and after.
  private struct Choice {
    var sections: [Int] = []
    var rows: [Int] = []

    func isBetter(than other: Choice) -> Bool {
      if rows.count != other.rows.count { return rows.count > other.rows.count }
      if sections.count != other.sections.count { return sections.count > other.sections.count }
      if sections != other.sections { return sections.lexicographicallyPrecedes(other.sections) }
      return rows.lexicographicallyPrecedes(other.rows)
    }
  }

  // Rules 39 to 41.
  /// Of two requests: of every choice of sections that stay, and of rows in them that do, the
  /// difference has the best.
  func holdStays(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    let old = sections(before, windowBefore, wasSectioned ?? isSectioned)
    let new = sections(after, windowAfter, isSectioned)
    let oldRows = old.flatMap(\.rows)
    let common = new.flatMap(\.rows).filter { oldRows.contains($0) }
    let twins = new.map { section in old.firstIndex { $0.identity == section.identity } }
    let shared = new.indices.filter { twins[$0] != nil }
    guard common.count <= 7, shared.count <= 5 else { return }
    let oldPlaces = common.map { oldRows.firstIndex(of: $0) ?? -1 }
    let oldSections = common.map { id in old.firstIndex { $0.rows.contains(id) } }
    let newSections = common.map { id in new.firstIndex { $0.rows.contains(id) } }
    var best = Choice()
    for choice in 0..<1 << shared.count {
      let sections = shared.indices.filter { choice >> $0 & 1 == 1 }.map { shared[$0] }
      guard isAscending(sections.compactMap { twins[$0] }) else { continue }
      let able = common.indices.filter { row in
        sections.contains { $0 == newSections[row] && twins[$0] == oldSections[row] }
      }
      for choice in 0..<1 << able.count {
        let rows = able.indices.filter { choice >> $0 & 1 == 1 }.map { able[$0] }
        let stay = Choice(sections: sections, rows: rows)
        if isAscending(rows.map { oldPlaces[$0] }), stay.isBetter(than: best) { best = stay }
      }
    }
    let stays = Set(best.rows.map { common[$0] })
    #expect(
      difference.moved.map { number($0.id) } == common.filter { !stays.contains($0) },
      "moved, \(what)")
    let staying = best.sections.map { twins[$0] }
    #expect(
      difference.deletedSections.map(\.index)
        == old.indices.reversed().filter { !staying.contains($0) }, "sections gone, \(what)")
    #expect(
      difference.insertedSections.map(\.index)
        == new.indices.filter { !best.sections.contains($0) }, "sections come, \(what)")
  }

  private func isAscending(_ places: [Int]) -> Bool {
    zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
  }
}
