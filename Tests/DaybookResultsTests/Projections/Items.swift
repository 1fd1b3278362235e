import DaybookJournal
import DaybookResults
import DaybookStore

/// A record to make lists of.
struct Item: Record, Hashable {
  var id = 0
  var group: String?
  var rank = 0
  var note = ""
  static let schema = RecordSchema<Item>("Item")
    .attribute("group", at: \.group).attribute("rank", at: \.rank).attribute("note", at: \.note)
}

/// A list of the items with a low rank, in sections by group if it is sectioned, sorted by rank.
struct ItemList: Hashable, Sendable {
  var isSectioned = true
  var rankMax: Int?
  var window = ResultWindow()

  /// Returns the plan of the list.
  func plan(_ catalog: Catalog) throws -> ResultPlan {
    let entity = catalog.index(of: "Item") ?? 0
    let group = try ValuePath(["group"], from: entity, in: catalog)
    let rank = try ValuePath(["rank"], from: entity, in: catalog)
    let rankMax = rankMax
    var check: ResultPlan.Check?
    if let rankMax {
      check = { row, state in rank.number(of: row, in: state) ?? 0 <= rankMax }
    }
    var sections: ResultPlan.Sections?
    if isSectioned {
      sections = ResultPlan.Sections(
        append: { row, state, buffer in
          if let text = group.text(of: row, in: state) {
            buffer.append(1 as UInt8)
            buffer.append(text)
          } else {
            buffer.append(0 as UInt8)
          }
        }, name: { key in String(decoding: key.dropFirst(), as: UTF8.self) })
    }
    return ResultPlan(
      entity: entity, matches: check, sections: sections,
      order: { row, state, buffer in
        let number = rank.number(of: row, in: state) ?? 0
        buffer.append(UInt64(bitPattern: number &+ .min).byteSwapped)
      })
  }

  /// All rows that match, in order, by an obviously right way.
  func rows(_ snapshot: StoreSnapshot) throws -> [ModelRow] {
    try snapshot.objects(Item.self).filter { $0.rank <= rankMax ?? .max }.map { item in
      ModelRow(
        id: item.id, section: isSectioned ? .text(item.group) : .none, order: [.number(item.rank)],
        creation: snapshot.creation("Item", item.id), content: item)
    }.sorted()
  }
}
