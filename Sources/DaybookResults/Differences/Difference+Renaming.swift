extension Difference {
  /// A section that went, and one that came with exactly its rows.
  package struct RenamedSection: Hashable, Sendable {
    /// Its place before.
    package var old: Int
    /// Its place after.
    package var new: Int
    package var oldName: String
    package var newName: String
  }

  /// A second reading of sections that went and came: those that only changed their names. All rows of
  /// such a section, and no others, are in the new one, in the same order. Beside this they are told of
  /// as sections and rows as well.
  ///
  /// - Complexity: O(*k* log *n*)
  package var renamedSections: [RenamedSection] {
    let dead = Dictionary(uniqueKeysWithValues: deletedSections.map { ($0.index, $0) })
    var rows: [Int: [Pair]] = [:]
    var firsts: [Int: Pair] = [:]
    for pair in moved where dead[pair.old.section] != nil {
      rows[pair.old.section, default: []].append(pair)
      if pair.new.row == 0 { firsts[pair.new.section] = pair }
    }
    let renamed = insertedSections.compactMap { section -> RenamedSection? in
      guard let first = firsts[section.index], let old = dead[first.old.section],
        let pairs = rows[old.index],
        pairs.count == before.count(inSection: old.index),
        pairs.count == after.count(inSection: section.index),
        // They are in the order of their new paths.
        pairs.allSatisfy({ $0.new.section == section.index && $0.new.row == $0.old.row })
      else { return nil }
      return RenamedSection(
        old: old.index, new: section.index, oldName: old.name, newName: section.name)
    }
    return renamed.sorted { $0.new < $1.new }
  }
}
