import DaybookStore

/// What a moment shows, row by row, for whoever looks at all of it.
///
/// Rows are counted over all sections that are shown, and these from the first that is.
struct ShownRows {
  /// The slot of each row.
  private(set) var slots: [UInt32] = []
  /// The section of each row.
  private(set) var sections: [Int] = []
  /// Where each section begins.
  private(set) var starts: [Int] = []

  /// - Complexity: O(rows, and log *n* for each section)
  init(_ snapshot: ResultSnapshot) {
    slots = snapshot.order.values(snapshot.visible, in: snapshot.space)
    sections.reserveCapacity(slots.count)
    for (section, place) in snapshot.visibleSections.enumerated() {
      starts.append(sections.count)
      for _ in snapshot.visibleRanks(ofSection: place) { sections.append(section) }
    }
    precondition(
      sections.count == slots.count, "\(slots.count) rows, and \(sections.count) in sections")
  }

  /// The path and the slot of a row.
  subscript(row: Int) -> EditScript.Row {
    let section = sections[row]
    return EditScript.Row(
      path: RowPath(section: section, row: row - starts[section]), slot: slots[row])
  }
}
