import DaybookResults
import DaybookStore
import Testing

/// A play with a list: changes and boundaries as text, and what the list shows and says after each.
///
/// ```
/// insert 1 a 5        a record, its group (- for none) and its rank
/// update 1 b 5
/// delete 1
/// window 1 2          from the second row on, two rows
/// boundary
/// refetch name        with another request, at a boundary
/// ```
struct Storyboard {
  private let plan: (Catalog) throws -> ResultPlan
  private let window: ResultWindow
  private let order: CallbackOrder
  private let requests: [String: ListRequest<Item>]

  init(_ list: ItemList = ItemList(), _ order: CallbackOrder = .observed) {
    plan = list.plan
    window = list.window
    self.order = order
    requests = [:]
  }

  /// With requests by their names, and the one that is shown first.
  init(_ requests: [String: ListRequest<Item>], from first: ListRequest<Item>) {
    plan = first.plan
    window = first.window
    order = .observed
    self.requests = requests
  }

  /// Performs the steps, and draws for each boundary the list after `|`, and then each call.
  func play(_ text: String) throws -> String {
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    var projection = Projection(
      try plan(context.frozen.catalog), of: context.frozen, window: window)
    var lines: [String] = []
    var changed: [EntityKey] = []
    func note(_ id: Int) {
      let key = EntityKey(0, id: .int(Int64(id)))
      if !changed.contains(key) { changed.append(key) }
    }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      let id = words.count > 1 ? Int(words[1]) ?? 0 : 0
      func number(_ place: Int) -> Int { words.count > place ? Int(words[place]) ?? 0 : 0 }
      switch words.first {
      case "insert":
        try context.insert(item(words))
        note(id)
      case "update":
        let item = item(words)
        try context.update(Item.self, id: id) { $0 = item }
        note(id)
      case "note":
        try context.update(Item.self, id: id) { $0.note = words[2] }
        note(id)
      case "delete":
        try context.delete(Item.self, id: id)
        note(id)
      case "window":
        lines += received(
          projection.received { $0.move(to: ResultWindow(offset: id, limit: number(2))) })
      case "refetch":
        let request = try #require(requests[words[1]])
        context.processPendingChanges()
        let next = Projection(
          try request.plan(context.frozen.catalog), of: context.frozen, window: request.window)
        lines += received(ListDifference(from: projection.snapshot, to: next.snapshot))
        projection = next
        changed = []
      default:
        context.processPendingChanges()
        lines += received(projection.received { $0.fold(changed, to: context.frozen) })
        changed = []
      }
    }
    return lines.joined(separator: "\n")
  }

  private func item(_ words: [String]) -> Item {
    Item(
      id: Int(words[1]) ?? 0, group: words[2] == "-" ? nil : words[2], rank: Int(words[3]) ?? 0)
  }

  private func received(_ difference: ListDifference<DynamicRecord>) -> [String] {
    let shown = "| \(difference.after.snapshot.shown)"
    let calls = difference.callbackLines(order: order)
    return [shown]
      + (calls.isEmpty ? ["  silence"] : calls.dropFirst().dropLast().map { "  \($0)" })
  }
}

/// An identifier, for tables.
enum RecordIdentifierCase: Sendable {
  case text(String)
  case number(Int)

  var identifier: RecordIdentifier {
    switch self {
    case .text(let text): RecordIdentifier(text)
    case .number(let number): .int(Int64(number))
    }
  }
}
