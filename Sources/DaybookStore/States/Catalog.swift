/// The entities of a store and the layouts of their rows, as of one moment.
package struct Catalog: Sendable {
  package private(set) var layouts = LayoutTable()
  /// The entities in the order in which the journal first told of them.
  package private(set) var names: [String] = []
  private var indexes: [String: Int] = [:]
  /// The entity of each layout, by its number.
  private var entities: [Int] = []
  /// All layouts of each entity, the oldest first.
  package private(set) var history: [[Layout]] = []
  /// The types of records that the program has for them.
  package var types = RecordTypes()

  package init() {}

  /// The place of an entity among all.
  package func index(of entity: String) -> Int? { indexes[entity] }

  /// The entity whose rows have a layout.
  @inline(__always)
  package func entity(of layout: UInt16) -> Int { entities[Int(layout)] }

  /// Takes in a layout that a transaction tells of.
  package mutating func add(_ layout: Layout) -> LayoutTable.Addition {
    let addition = layouts.add(layout)
    guard case .new = addition else { return addition }
    let index: Int
    if let known = indexes[layout.entity.name] {
      index = known
      history[index].append(layout)
    } else {
      index = names.count
      names.append(layout.entity.name)
      indexes[layout.entity.name] = index
      history.append([layout])
    }
    while entities.count <= Int(layout.number) { entities.append(-1) }
    entities[Int(layout.number)] = index
    return addition
  }

  /// The newest layout of an entity.
  package func newest(_ entity: Int) -> Layout {
    guard let layout = history[entity].last else { preconditionFailure("entity \(entity)") }
    return layout
  }
}
