import Synchronization

/// The entities of a store and the layouts of their rows, as of a moment.
///
/// The catalog is copy-on-write. Every state and every context has a copy. A change copies the
/// storage only if the storage is shared.
package struct Catalog: Sendable {
  fileprivate struct Parts: Sendable {
    var layouts = LayoutTable()
    var names: [String] = []
    var indexes: [String: Int] = [:]
    /// For each layout number, the index of the layout's entity; -1 if no layout has the number.
    var entities: [Int] = []
    var history: [[Layout]] = []
    /// For each layout number, the index of the layout in the history of its entity.
    var historyIndexes: [Int] = []
    /// The renames of attributes in the layouts of each entity.
    var renames: [RenameHistory] = []
    var types = RecordTypes()
    /// The values that are computed from the layouts on demand.
    var derived = DerivedLayouts()
    /// For each entity, whether any of its layouts has references or unique lists. A unique list is
    /// a list of attributes whose values together must differ in every two records.
    var indexed: [Bool] = []
    /// The references of each entity, according to its newest layout.
    var references: [[ReferenceAttribute]] = []
    /// A Boolean value for each entity that indicates whether it has guarded references.
    var hasGuards: [Bool] = []
    /// For each name of an entity, the number of references to it that its deletion changes.
    var ruledReferenceCounts: [String: Int] = [:]
    let fetches = FetchCounter()
    let attachment = StoreAttachment()
  }

  private var box = SharedValue(Parts())

  package init() {}

  package var layouts: LayoutTable { box.value.layouts }
  /// The names of the entities, in the order of their first appearance in the journal.
  package var names: [String] { box.value.names }
  /// All layouts of each entity, the oldest first.
  package var history: [[Layout]] { box.value.history }
  /// The record types that the program declares for the entities.
  package var types: RecordTypes {
    get { box.value.types }
    set { box.edit { $0.types = newValue } }
  }
  /// Counts the fetches from the store, for its statistics. All copies of the catalog share it.
  package var fetches: FetchCounter { box.value.fetches }
  /// The object that a higher module keeps for the store. All copies of the catalog share it.
  package var attachment: StoreAttachment { box.value.attachment }

  /// Returns the index of an entity in the catalog; nil if the catalog does not contain it.
  package func index(of entity: String) -> Int? { box.value.indexes[entity] }

  /// Returns the index of the entity that has or had a name; nil if there is none.
  package func index(ofCurrentOrEarlierName name: String) -> Int? {
    layouts.currentName(of: name).flatMap { index(of: $0) }
  }

  /// Returns the name by which an entity's hashes in indexes are computed: the first name that it
  /// had in the journal. So a rename changes no index.
  func indexedName(of entity: String) -> String {
    guard let index = index(of: entity), let first = history[index].first else { return entity }
    return layouts.original(first).entity.name
  }

  /// Returns the index of the entity that has a layout.
  @inline(__always)
  package func entity(of layout: UInt16) -> Int { box.value.entities[Int(layout)] }

  /// Returns the index of the entity that a new layout belongs to; nil if the entity is new.
  func entity(havingHad layout: Layout) -> Int? {
    let membership = EntityMembership(layout.entity, currentName: layouts.currentName)
    guard case .of(let name) = membership else { return nil }
    return index(of: name)
  }

  /// Adds a layout. For a state with rows, call ``StateEditor/add(_:)``, which also updates tables
  /// and indexes.
  ///
  /// - Complexity: O(1) amortized while the catalog's storage is not shared.
  package mutating func add(_ layout: Layout) -> LayoutTable.Addition {
    if let known = layouts[layout.number] {
      return layouts.original(known) == layout ? .known : .contradicts
    }
    return box.edit { $0.add(layout) }
  }
}

extension Catalog.Parts {
  mutating func add(_ layout: Layout) -> LayoutTable.Addition {
    let membership = EntityMembership(layout.entity, currentName: layouts.currentName)
    let addition = layouts.add(layout)
    guard case .new = addition, let layout = layouts[layout.number] else { return addition }
    let index: Int
    if case .of(let name) = membership, let known = indexes[name] {
      index = known
      if name != layout.entity.name { rename(index, to: layout.entity.name) }
      history[index].append(layout)
    } else {
      index = names.count
      names.append(layout.entity.name)
      indexes[layout.entity.name] = index
      history.append([layout])
      renames.append(RenameHistory())
      indexed.append(false)
      references.append([])
      hasGuards.append(false)
    }
    while entities.count <= Int(layout.number) {
      entities.append(-1)
      historyIndexes.append(-1)
    }
    entities[Int(layout.number)] = index
    historyIndexes[Int(layout.number)] = history[index].count - 1
    renames[index].append(layout.entity)
    findReferences(of: index)
    if !layout.entity.unique.isEmpty
      || layout.entity.attributes.contains(where: { $0.type.target != nil })
    {
      indexed[index] = true
    }
    // Rows of older layouts are now read as the new layout, so their mappings have changed.
    derived = DerivedLayouts()
    return addition
  }

  /// Finds the references in the newest layout of an entity.
  private mutating func findReferences(of index: Int) {
    guard let newest = history[index].last else { return }
    countRuledReferences(of: index, by: -1)
    references[index] = newest.entity.attributes.enumerated().compactMap {
      ReferenceAttribute($1, at: $0, of: index)
    }
    hasGuards[index] = references[index].contains(where: \.isGuarded)
    countRuledReferences(of: index, by: 1)
  }

  private mutating func countRuledReferences(of index: Int, by step: Int) {
    for reference in references[index] where reference.effect != nil {
      ruledReferenceCounts[reference.target.entity, default: 0] += step
    }
  }

  /// Gives an entity a new name. The table of layouts has that name already.
  private mutating func rename(_ index: Int, to name: String) {
    indexes[names[index]] = nil
    indexes[name] = index
    names[index] = name
    for entity in history.indices {
      history[entity] = history[entity].compactMap { layouts[$0.number] }
      findReferences(of: entity)
    }
  }
}

/// A cache of mappings and index plans. Copies of a catalog share it until one of them adds a
/// layout.
///
/// A ``LayoutMapping`` translates rows of an older layout to the newest one. An ``IndexPlan`` finds
/// the indexed values in a row. Both are computed at their first use, because most layouts of a
/// large schema are never used. Each path to an attribute reads the mappings of all layouts, so the
/// cache keeps all mappings.
final class DerivedLayouts: Sendable {
  private struct Parts {
    /// For each entity, what its mappings have in common.
    var preparations: [Int: LayoutMappings] = [:]
    var mappings: [UInt16: LayoutMapping] = [:]
    var computedMappingCount = 0
    var indexPlans: [UInt16: IndexPlan] = [:]
  }

  // Shared state: `parts`, guarded by its mutex.
  private let parts = Mutex(Parts())

  fileprivate var computedMappingCount: Int { parts.withLock { $0.computedMappingCount } }

  /// Returns the mapping of a layout.
  ///
  /// - Parameters:
  ///   - number: The number of the layout.
  ///   - index: The index of the layout in the history of its entity.
  ///   - prepare: Prepares the mappings of the entity.
  fileprivate func mapping(
    of number: UInt16, at index: Int, entity: Int, _ prepare: () -> LayoutMappings
  ) -> LayoutMapping {
    if let known = parts.withLock({ $0.mappings[number] }) { return known }
    // Threads that compute a mapping at the same time compute equal mappings.
    let preparation = parts.withLock { $0.preparations[entity] } ?? prepare()
    let made = preparation[index]
    parts.withLock { parts in
      parts.preparations[entity] = preparation
      parts.mappings[number] = made
      parts.computedMappingCount += 1
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
  /// Returns the mapping from rows of a layout to the attributes of the entity's newest layout.
  ///
  /// - Precondition: The catalog contains the layout.
  /// - Complexity: O(1) if the mapping is cached; otherwise O(*n*) in the attributes and in the
  ///   renames in later layouts
  package func mapping(of number: UInt16) -> LayoutMapping {
    let entity = entity(of: number)
    return box.value.derived.mapping(
      of: number, at: box.value.historyIndexes[Int(number)], entity: entity
    ) {
      LayoutMappings(
        box.value.history[entity], renames: box.value.renames[entity], to: newest(entity).entity)
    }
  }

  /// The number of mappings that the catalog and its copies have computed since a layout was added
  /// last.
  package var computedMappingCount: Int { box.value.derived.computedMappingCount }

  // MARK: Indexes

  /// Returns the index plan for the rows of a layout; nil if the catalog does not contain the
  /// layout.
  func indexPlan(_ number: UInt16) -> IndexPlan? {
    guard let layout = layouts[number] else { return nil }
    return box.value.derived.indexPlan(of: number) {
      IndexPlan(layout, newest: newest(entity(of: number)), in: self)
    }
  }

  /// Returns whether any layout of an entity has references or unique lists.
  @inline(__always)
  package func isIndexed(_ entity: Int) -> Bool { box.value.indexed[entity] }

  /// A Boolean value that indicates whether any entity has guarded references.
  var hasGuardedReferences: Bool { box.value.hasGuards.contains(true) }

  /// Returns whether an entity has guarded references.
  func hasGuardedReferences(_ entity: Int) -> Bool { box.value.hasGuards[entity] }

  /// Returns whether the deletion of a record can change or delete other records, or can be denied
  /// by what the record owns.
  func hasDeleteRules(_ entity: Int) -> Bool {
    box.value.ruledReferenceCounts[names[entity], default: 0] > 0 || isOwner(entity)
  }

  /// Returns whether an entity has references that declare the effect of a deletion on their
  /// targets.
  func isOwner(_ entity: Int) -> Bool {
    references(of: entity).contains {
      $0.ownDeleteRule == .cascade || $0.ownDeleteRule == .deny
    }
  }

  /// Returns the references of an entity.
  func references(of entity: Int) -> [ReferenceAttribute] { box.value.references[entity] }

  /// Returns the reference of an entity that is an attribute of its newest layout.
  func reference(_ attribute: Int, of entity: Int) -> ReferenceAttribute? {
    box.value.references[entity].first { $0.attribute == attribute }
  }

  /// Returns the guarded references of all entities to an entity.
  func guardedReferences(to target: Int) -> [ReferenceAttribute] {
    box.value.references.joined().filter {
      $0.isGuarded && index(of: $0.target.entity) == target
    }
  }

  /// Finds the attribute whose references have the target entity and whose declared inverse has the
  /// name.
  ///
  /// Returns nil if no such attribute exists, or if the target entity itself has an attribute with
  /// the name.
  package func inverse(_ name: String, of target: Int) -> (entity: Int, attribute: Int)? {
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

  /// Finds the attribute of the other entity that is stored as the inverse of a reference. At least
  /// one of the two declares the other as its inverse.
  func storedInverse(of attribute: Int, in entity: Int) -> (entity: Int, attribute: Int)? {
    let definition = newest(entity).entity
    let reference = definition.attributes[attribute]
    guard let target = reference.type.target, let other = index(of: target.entity) else {
      return nil
    }
    let found = newest(other).entity.attributes.firstIndex { back in
      guard back.type.target?.entity == definition.name else { return false }
      let isDeclared = reference.inverse == back.name || back.inverse == reference.name
      return isDeclared && (reference.inverse ?? back.name) == back.name
        && (back.inverse ?? reference.name) == reference.name
    }
    return found.map { (other, $0) }
  }

  /// Returns the names of the inverses that are computed for the records of an entity, in the order
  /// of the references that declare them.
  package func inverseNames(of target: Int) -> [String] {
    let targetEntity = newest(target).entity
    return names.indices.flatMap { newest($0).entity.attributes }.compactMap {
      $0.type.target?.entity == targetEntity.name ? $0.inverse : nil
    }.filter { targetEntity.index(of: $0) == nil }
  }

  /// Returns whether at most one saved record refers to each target by an attribute: the unique
  /// lists of its entity contain the attribute alone.
  package func isUnique(_ attribute: Int, of entity: Int) -> Bool {
    let definition = newest(entity).entity
    return definition.unique.contains([definition.attributes[attribute].name])
  }

  /// Returns the newest layout of an entity.
  package func newest(_ entity: Int) -> Layout {
    guard let layout = box.value.history[entity].last else {
      preconditionFailure("unknown entity \(entity)")
    }
    return layout
  }
}
