import DaybookStore
import DaybookEssentials

/// A random sequence of changes of rows, for the measurements of lists. It is the same on every
/// machine.
struct ChangeStream {
  /// A change of a row: the identifier of the row and the new value, or the complete new row.
  enum Change {
    case state(Int, String)
    case createdAt(Int, Date)
    case note(Int, String)
    case insert(Row)
    case delete(Int)
  }

  private let generator: RowGenerator
  private var stream: UInt64 = 7
  private var live: [Int]
  private var last: Int

  /// - Parameter rowCount: The number of existing rows. Their identifiers are the numbers from 1 to
  ///   this number.
  init(_ generator: RowGenerator, rowCount: Int) {
    self.generator = generator
    live = Array(1...rowCount)
    last = rowCount
  }

  mutating func next() -> Change {
    switch draw(100) {
    case ..<40:
      let id = live[draw(live.count)]
      if draw(2) == 0 { return .state(id, RowGenerator.states[draw(50)]) }
      return .createdAt(id, RowGenerator.moment(draw(100_000_000_000)))
    case ..<80:
      let id = live[draw(live.count)]
      return .note(id, RowGenerator.letters(26 + draw(9), randomizedBy: &stream))
    case ..<90:
      last += 1
      live.append(last)
      return .insert(generator.row(last))
    default:
      let index = draw(live.count)
      live.swapAt(index, live.count - 1)
      return .delete(live.removeLast())
    }
  }

  private mutating func draw(_ bound: Int) -> Int {
    Int(RowGenerator.next(&stream) % UInt64(bound))
  }
}

extension ChangeStream.Change {
  /// The kind of a change, by its effect on the live list: a `content` change keeps the position of
  /// the row, and a `move` can change it.
  enum Kind: String, CaseIterable {
    case insert, delete, content, move
  }

  var kind: Kind {
    switch self {
    case .state, .createdAt: .move
    case .note: .content
    case .insert: .insert
    case .delete: .delete
    }
  }

  /// The identifier of the changed row.
  var id: Int {
    switch self {
    case .state(let id, _), .createdAt(let id, _), .note(let id, _), .delete(let id): id
    case .insert(let row): row.id
    }
  }

  func make(in context: EditingContext) throws {
    switch self {
    case .state(let id, let state): try context.update(Row.self, id: id) { $0.state = state }
    case .createdAt(let id, let moment):
      try context.update(Row.self, id: id) { $0.createdAt = moment }
    case .note(let id, let note): try context.update(Row.self, id: id) { $0.note = note }
    case .insert(let row): try context.insert(row)
    case .delete(let id): try context.delete(Row.self, id: id)
    }
  }
}
