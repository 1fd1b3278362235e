/// The entities of a store and the layouts of their rows, as of one moment.
///
/// It is handed about with every state and every context, so it is one reference to parts that change when the
/// schema does.
package struct Catalog: Sendable {
  fileprivate struct Parts {
    var layouts = LayoutTable()
    var names: [String] = []
    var indexes: [String: Int] = [:]
    /// The entity of each layout, by its number.
    var entities: [Int] = []
    var history: [[Layout]] = []
    var types = RecordTypes()
    /// What the indexes take from the rows of each layout, by its number.
    var indexPlans: [IndexPlan?] = []
    /// For each entity whether rows of it refer to others or have unique lists.
    var indexed: [Bool] = []
    /// The guarded references of each entity, by its newest layout.
    var guarded: [[GuardedReference]] = []
    let fetches = FetchCounter()
  }

  // They never change, as each look at parts that may would be checked for exclusivity: a change makes others.
  fileprivate final class Box: Sendable {
    let parts: Parts

    init(_ parts: Parts) { self.parts = parts }
  }

  private var box = Box(Parts())

  package init() {}

  package var layouts: LayoutTable { box.parts.layouts }
  /// The entities in the order in which the journal first told of them.
  package var names: [String] { box.parts.names }
  /// All layouts of each entity, the oldest first.
  package var history: [[Layout]] { box.parts.history }
  /// The types of records that the program has for them.
  package var types: RecordTypes {
    get { box.parts.types }
    set { edit { $0.types = newValue } }
  }
  /// Counts what is read of the store that the catalog is of, for all who have a copy of it.
  package var fetches: FetchCounter { box.parts.fetches }

  private mutating func edit<Result>(_ body: (inout Parts) -> Result) -> Result {
    var parts = box.parts
    defer { box = Box(parts) }
    return body(&parts)
  }

  /// The place of an entity among all.
  package func index(of entity: String) -> Int? { box.parts.indexes[entity] }

  /// The entity whose rows have a layout.
  @inline(__always)
  package func entity(of layout: UInt16) -> Int { box.parts.entities[Int(layout)] }

  /// Takes in a layout. For a state with rows ``StoreState/add(_:to:in:_:)`` does this, and more.
  package mutating func add(_ layout: Layout) -> LayoutTable.Addition {
    edit { $0.add(layout) }
  }
}

extension Catalog.Parts {
  mutating func add(_ layout: Layout) -> LayoutTable.Addition {
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
      indexed.append(false)
      guarded.append([])
    }
    while entities.count <= Int(layout.number) { entities.append(-1) }
    entities[Int(layout.number)] = index
    guarded[index] = layout.entity.attributes.enumerated().compactMap {
      GuardedReference($1, at: $0, of: index)
    }
    plan(index)
    return addition
  }

  /// Plans anew what is taken from the rows of an entity, as its newest layout is another.
  private mutating func plan(_ entity: Int) {
    let layouts = history[entity]
    for (place, layout) in layouts.enumerated() {
      let plan = IndexPlan(layout, history: layouts[place...])
      while indexPlans.count <= Int(layout.number) { indexPlans.append(nil) }
      indexPlans[Int(layout.number)] = plan
      if !plan.references.isEmpty || !plan.unique.isEmpty { indexed[entity] = true }
    }
  }
}

extension Catalog {
  // MARK: Indexes

  /// What the indexes take from the rows of a layout; nil if it is not known.
  @inline(__always)
  func indexPlan(_ layout: UInt16) -> IndexPlan? {
    Int(layout) < box.parts.indexPlans.count ? box.parts.indexPlans[Int(layout)] : nil
  }

  /// Whether rows of an entity refer to others or have unique lists.
  @inline(__always)
  package func isIndexed(_ entity: Int) -> Bool { box.parts.indexed[entity] }

  /// A Boolean value that indicates whether any entity has guarded references.
  var hasGuardedReferences: Bool { box.parts.guarded.contains { !$0.isEmpty } }

  /// The guarded references of an entity.
  func guardedReferences(of entity: Int) -> [GuardedReference] { box.parts.guarded[entity] }

  /// The guarded references of all entities to one.
  func guardedReferences(to target: Int) -> [GuardedReference] {
    box.parts.guarded.joined().filter { index(of: $0.target.entity) == target }
  }

  /// The attribute whose way back, from the entity it refers to, has a name; nil if there is none, or
  /// if that entity has an attribute of that name.
  func inverse(_ name: String, of target: Int) -> (entity: Int, attribute: Int)? {
    let targetEntity = newest(target).entity
    guard targetEntity.index(of: name) == nil else { return nil }
    for entity in names.indices {
      let attribute = newest(entity).entity.attributes.firstIndex {
        $0.inverse == name && $0.type.target?.entity == targetEntity.name
      }
      if let attribute { return (entity, attribute) }
    }
    return nil
  }

  /// The newest layout of an entity.
  package func newest(_ entity: Int) -> Layout {
    guard let layout = box.parts.history[entity].last else {
      preconditionFailure("entity \(entity)")
    }
    return layout
  }
}
