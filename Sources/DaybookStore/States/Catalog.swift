import Synchronization

/// The entities of a store and the layouts of their rows, as of one moment.
///
/// The catalog is copy-on-write: every state and every context has a copy, and a change copies the storage only
/// if it is shared.
package struct Catalog: Sendable {
  fileprivate struct Parts: Sendable {
    var layouts = LayoutTable()
    var names: [String] = []
    var indexes: [String: Int] = [:]
    /// The entity of each layout, by its number.
    var entities: [Int] = []
    var history: [[Layout]] = []
    var types = RecordTypes()
    /// What is made of the layouts when it is asked for.
    var derived = DerivedLayouts()
    /// For each entity whether rows of it refer to others or have unique lists.
    var indexed: [Bool] = []
    /// The guarded references of each entity, by its newest layout.
    var guarded: [[GuardedReference]] = []
    let fetches = FetchCounter()
  }

  private var box = SharedValue(Parts())

  package init() {}

  package var layouts: LayoutTable { box.value.layouts }
  /// The entities in the order in which the journal first told of them.
  package var names: [String] { box.value.names }
  /// All layouts of each entity, the oldest first.
  package var history: [[Layout]] { box.value.history }
  /// The types of records that the program has for them.
  package var types: RecordTypes {
    get { box.value.types }
    set { box.edit { $0.types = newValue } }
  }
  /// Counts what is read of the store that the catalog is of, for all who have a copy of it.
  package var fetches: FetchCounter { box.value.fetches }

  /// The place of an entity among all.
  package func index(of entity: String) -> Int? { box.value.indexes[entity] }

  /// The entity whose rows have a layout.
  @inline(__always)
  package func entity(of layout: UInt16) -> Int { box.value.entities[Int(layout)] }

  /// Takes in a layout. For a state with rows ``StateEditor/add(_:)`` does this, and more.
  ///
  /// - Complexity: O(1) amortized while nobody shares the catalog
  package mutating func add(_ layout: Layout) -> LayoutTable.Addition {
    if let known = layouts[layout.number] { return known == layout ? .known : .contradicts }
    return box.edit { $0.add(layout) }
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
    if !layout.entity.unique.isEmpty
      || layout.entity.attributes.contains(where: { $0.type.target != nil })
    {
      indexed[index] = true
    }
    // A new newest layout changes how the older ones are read.
    derived = DerivedLayouts()
    return addition
  }
}

/// A cache of mappings and index plans, which all copies of a catalog share.
///
/// An entry is computed at its first use, as most layouts of a large schema are never used.
final class DerivedLayouts: Sendable {
  private struct Parts {
    var mappings: [UInt16: LayoutMapping] = [:]
    var mappedAttributeCount = 0
    var indexPlans: [UInt16: IndexPlan] = [:]
  }

  /// Mappings of so many attributes are kept: many layouts of an entity with many attributes would take much
  /// more memory than they do in the journal.
  private static let mappedAttributeCountMax = 1 << 18

  // Guarded: all of it.
  private let parts = Mutex(Parts())

  fileprivate func mapping(of number: UInt16, _ make: () -> LayoutMapping) -> LayoutMapping {
    if let known = parts.withLock({ $0.mappings[number] }) { return known }
    // Two that make it at once make the same.
    let made = make()
    parts.withLock { parts in
      if parts.mappedAttributeCount > DerivedLayouts.mappedAttributeCountMax {
        parts.mappings.removeAll()
        parts.mappedAttributeCount = 0
      }
      parts.mappings[number] = made
      parts.mappedAttributeCount += made.sources.count
    }
    return made
  }

  fileprivate func indexPlan(of number: UInt16, _ make: () -> IndexPlan) -> IndexPlan {
    if let known = parts.withLock({ $0.indexPlans[number] }) { return known }
    let made = make()
    parts.withLock { $0.indexPlans[number] = made }
    return made
  }
}

extension Catalog {
  /// Where the newest attributes of an entity are found in rows of one of its layouts.
  ///
  /// - Precondition: The layout is known.
  /// - Complexity: O(1); for the first call for a layout, O(*n*) in the attributes
  package func mapping(of number: UInt16) -> LayoutMapping {
    box.value.derived.mapping(of: number) {
      LayoutMapping(laterLayouts(than: number), to: newest(entity(of: number)).entity)
    }
  }

  /// A layout and those of its entity that came after it.
  private func laterLayouts(than number: UInt16) -> ArraySlice<Layout> {
    let history = box.value.history[entity(of: number)]
    guard let index = history.lastIndex(where: { $0.number == number }) else {
      preconditionFailure("layout \(number) is not known")
    }
    return history[index...]
  }

  // MARK: Indexes

  /// What the indexes take from the rows of a layout; nil if it is not known.
  func indexPlan(_ number: UInt16) -> IndexPlan? {
    guard let layout = layouts[number] else { return nil }
    return box.value.derived.indexPlan(of: number) {
      IndexPlan(layout, newest: newest(entity(of: number)), in: self)
    }
  }

  /// Whether rows of an entity refer to others or have unique lists.
  @inline(__always)
  package func isIndexed(_ entity: Int) -> Bool { box.value.indexed[entity] }

  /// A Boolean value that indicates whether any entity has guarded references.
  var hasGuardedReferences: Bool { box.value.guarded.contains { !$0.isEmpty } }

  /// The guarded references of an entity.
  func guardedReferences(of entity: Int) -> [GuardedReference] { box.value.guarded[entity] }

  /// The guarded references of all entities to one.
  func guardedReferences(to target: Int) -> [GuardedReference] {
    box.value.guarded.joined().filter { index(of: $0.target.entity) == target }
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
    guard let layout = box.value.history[entity].last else {
      preconditionFailure("entity \(entity)")
    }
    return layout
  }
}
