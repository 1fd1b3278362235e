import DaybookResults
import DaybookStore

/// The visible contents of a list: the sections and their rows.
struct Shown: Hashable, CustomStringConvertible {
  struct Section: Hashable {
    var name: String
    var rows: [Int]
  }

  var sections: [Section]

  var description: String {
    sections.map { "\($0.name): \($0.rows.map(String.init).joined(separator: " "))" }
      .joined(separator: ", ")
  }

  // Rules 7 to 9, 12 and 13.
  /// Creates the visible contents of sorted rows in a window.
  init(_ rows: [ModelRow], _ window: ResultWindow, isSectioned: Bool) {
    let lower = min(window.offset, rows.count)
    let upper = window.limit.map { min(rows.count, lower + $0) } ?? rows.count
    var values: [ModelValue] = isSectioned ? [] : [.none]
    sections = values.map { Section(name: $0.name, rows: []) }
    for row in rows[lower..<upper] {
      if isSectioned, values.last != row.section {
        values.append(row.section)
        sections.append(Section(name: row.sectionName ?? row.section.name, rows: []))
      }
      sections[sections.count - 1].rows.append(row.id)
    }
  }

  init(sections: [Section]) { self.sections = sections }
}

extension ResultSnapshot {
  /// The visible contents, read through paths.
  var shown: Shown {
    Shown(
      sections: (0..<sectionCount).map { section in
        Shown.Section(
          name: name(ofSection: section),
          rows: (0..<count(inSection: section)).map { row in
            number(identifier(atRank: rank(at: RowPath(section: section, row: row))))
          })
      })
  }
}

/// The number of an item's identifier.
func number(_ id: RecordIdentifier) -> Int {
  if case .int(let number) = id { Int(number) } else { -1 }
}
