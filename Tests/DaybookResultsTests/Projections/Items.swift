import DaybookJournal
import DaybookResults
import DaybookStore

/// A record to make lists of.
struct Item: Record, Equatable {
  var id = 0
  var group: String?
  var rank = 0
  var note = ""
  static let schema = Schema<Item>("Item")
    .attribute("group", \.group).attribute("rank", \.rank).attribute("note", \.note)
}

/// What a list shows: the sections, and in each the rows.
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
}

/// A list of items: those whose rank is low enough, by group if it is sectioned, and by rank.
struct ItemList: Hashable, Sendable {
  var isSectioned = true
  var rankMax: Int?
  var window = ResultWindow()

  /// What a projection asks for it.
  func plan(_ catalog: Catalog) throws -> ResultPlan {
    let entity = catalog.index(of: "Item") ?? 0
    let group = try ValuePath(["group"], from: entity, in: catalog)
    let rank = try ValuePath(["rank"], from: entity, in: catalog)
    let rankMax = rankMax
    var check: ResultPlan.Check?
    if let rankMax {
      check = { row, state in ItemList.number(rank, of: row, in: state) <= rankMax }
    }
    var section: ResultPlan.Encoder?
    if isSectioned {
      section = { row, state, buffer in
        if let text = ItemList.text(group, of: row, in: state) {
          buffer.append(1 as UInt8)
          buffer.append(text)
        } else {
          buffer.append(0 as UInt8)
        }
      }
    }
    return ResultPlan(
      entity: entity, matches: check, section: section,
      order: { row, state, buffer in
        let number = ItemList.number(rank, of: row, in: state)
        buffer.append(UInt64(bitPattern: number &+ .min).byteSwapped)
      },
      nameOfSection: { key in String(decoding: key.dropFirst(), as: UTF8.self) })
  }

  private static func number(
    _ path: ValuePath, of row: RowLocation, in state: FrozenState
  ) -> Int64 {
    path.withBytes(of: row, in: state) { bytes -> Int64 in
      guard let bytes else { return 0 }
      return bytes.number(at: 0, as: Int64.self) ?? 0
    }
  }

  private static func text(
    _ path: ValuePath, of row: RowLocation, in state: FrozenState
  ) -> String? {
    path.withBytes(of: row, in: state) { bytes -> String? in
      guard let bytes else { return nil }
      return RowText.text(bytes)
    }
  }

  /// All rows that match, in order, by an obviously right way.
  func rows(_ snapshot: StoreSnapshot) throws -> [ModelRow] {
    try ModelRow.all(snapshot).filter { $0.item.rank <= rankMax ?? .max }
      .sorted { one, other in
        if isSectioned, one.item.group != other.item.group {
          guard let group = one.item.group else { return true }
          guard let otherGroup = other.item.group else { return false }
          return Array(group.utf8).lexicographicallyPrecedes(Array(otherGroup.utf8))
        }
        return (one.item.rank, one.creation) < (other.item.rank, other.creation)
      }
  }

  /// What is shown of rows in order.
  func shown(_ rows: [ModelRow]) -> Shown {
    let lower = min(window.offset, rows.count)
    let upper = window.limit.map { min(rows.count, lower + $0) } ?? rows.count
    var sections: [(group: String?, rows: [Int])] = isSectioned ? [] : [(nil, [])]
    for row in rows[lower..<upper] {
      if isSectioned, sections.last.map({ $0.group != row.item.group }) ?? true {
        sections.append((row.item.group, []))
      }
      sections[sections.count - 1].rows.append(row.item.id)
    }
    return Shown(
      sections: sections.map { Shown.Section(name: $0.group ?? "", rows: $0.rows) })
  }
}

/// An item and when it was made.
struct ModelRow: Hashable {
  var item: Item
  var creation: UInt64

  static func == (one: ModelRow, other: ModelRow) -> Bool {
    one.item == other.item && one.creation == other.creation
  }

  func hash(into hasher: inout Hasher) { hasher.combine(item.id) }

  static func all(_ snapshot: StoreSnapshot) throws -> [ModelRow] {
    let frozen = snapshot.frozen
    guard let entity = frozen.catalog.index(of: "Item") else { return [] }
    return try snapshot.objects(Item.self).map { item in
      let row = frozen.location(entity, IdentifierBytes(.int(Int64(item.id))))
      return ModelRow(
        item: item, creation: frozen.memory.withBytes(at: row) { Layout.creation(of: $0) })
    }
  }
}

extension ResultSnapshot {
  /// What it shows, read through paths.
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
