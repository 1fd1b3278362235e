import DaybookSimulation
import DaybookStore

/// A record with two unique lists and a reference of each delete rule. One list contains a
/// reference.
struct UniqueNode: Record, Equatable {
  var id = 0
  var code: String?
  var place: Reference<UniqueNode>?
  var slot = 0
  var mark = 0
  var parent: Reference<UniqueNode>?
  var guardian: Reference<UniqueNode>?
  var friend: Reference<UniqueNode>?
  var loose: Reference<UniqueNode>?
  var tags: [Reference<UniqueNode>] = []
  static let schema = RecordSchema<UniqueNode>("Node")
    .attribute("code", at: \.code).attribute("slot", at: \.slot).attribute("mark", at: \.mark)
    .reference("place", at: \.place, whenTargetDeleted: .nullify)
    .reference("parent", at: \.parent, whenTargetDeleted: .cascade)
    .reference("guardian", at: \.guardian, whenTargetDeleted: .deny)
    .reference("friend", at: \.friend, whenTargetDeleted: .nullify)
    .reference("loose", at: \.loose, whenTargetDeleted: .keep)
    .references("tags", at: \.tags, whenTargetDeleted: .nullify)
    .unique(\.code).unique(\.place, \.slot)

  typealias Path = WritableKeyPath<UniqueNode, Reference<UniqueNode>?>
  static var paths: [Path] { [\.place, \.parent, \.guardian, \.friend, \.loose] }

  /// Returns whether two nodes have the same values of a unique list.
  func isInConflict(with other: UniqueNode) -> Bool {
    code != nil && code == other.code
      || place != nil && place == other.place && slot == other.slot
  }

  /// Sets a random property to a random value. Most references lead to one of some records.
  mutating func change(toOneOf ids: [Int], using generator: inout SplitMix64) {
    func isOne(of count: UInt64) -> Bool { generator.next() % count == 0 }
    func reference() -> Reference<UniqueNode>? {
      if ids.isEmpty || isOne(of: 6) { return nil }
      let number = Int(generator.next() % 64)
      return Reference(isOne(of: 60) ? number % 14 : ids[number % ids.count])
    }
    switch generator.next() % 12 {
    case 0, 1, 2: code = isOne(of: 5) ? nil : ["a", "b", "c", "d", "e"][Int(generator.next() % 5)]
    case 3, 4: place = reference()
    case 5: slot = Int(generator.next() % 2)
    case 6: parent = reference()
    case 7: guardian = isOne(of: 3) ? reference() : nil
    case 8: friend = reference()
    case 9: loose = reference()
    case 10: tags = (0..<generator.next() % 3).compactMap { _ in reference() }
    default: mark = Int(generator.next() % 9)
    }
  }
}

/// One save under a policy for unique conflicts, in its plainest form: each record is compared with
/// every other one.
struct UniqueConflictModel {
  /// The records of the store before the save.
  let stored: [Int: UniqueNode]
  /// The records of the store and of the save.
  private(set) var nodes: [Int: UniqueNode]
  /// The records that the save updates, in the order of their first change.
  private var updated: [Int] = []
  /// The records that the save inserts, in the order of their creation.
  private(set) var inserted: [Int] = []
  /// The references that the save sets, and the arrays of references.
  private var set: [Int: Set<UniqueNode.Path>] = [:]
  private var setTags: Set<Int> = []
  private(set) var successors: [Int: Int] = [:]
  /// A Boolean value that indicates whether another writer has deleted a record that the save
  /// updates, which is a conflict.
  private var hasLostRecord = false

  /// - Parameters:
  ///   - stored: The records of the store.
  ///   - base: The records of the store when the context was created.
  ///   - view: The records of the context, in the order of their creation.
  ///   - touched: The records that the program has changed, in the order of their first change.
  init(
    stored: [UniqueNode], base: [UniqueNode], view: [UniqueNode], touched: [Int]
  ) {
    self.stored = Self.byID(stored)
    nodes = self.stored
    let (base, shown) = (Self.byID(base), Self.byID(view))
    var deleted: Set<Int> = []
    for id in base.keys where shown[id] == nil && nodes[id] != nil {
      nodes[id] = nil
      deleted.insert(id)
    }
    let first = touched.filter { base[$0] != nil }
    for id in first + base.keys.sorted().filter({ !first.contains($0) }) {
      guard let old = base[id], let new = shown[id], old != new else { continue }
      guard nodes[id] != nil else {
        hasLostRecord = true
        continue
      }
      updated.append(id)
      if new.code != old.code { nodes[id]?.code = new.code }
      if new.slot != old.slot { nodes[id]?.slot = new.slot }
      if new.mark != old.mark { nodes[id]?.mark = new.mark }
      for path in UniqueNode.paths where new[keyPath: path] != old[keyPath: path] {
        nodes[id]?[keyPath: path] = new[keyPath: path]
        set[id, default: []].insert(path)
      }
      if new.tags != old.tags {
        nodes[id]?.tags = new.tags
        setTags.insert(id)
      }
    }
    for node in view where base[node.id] == nil {
      inserted.append(node.id)
      nodes[node.id] = node
      set[node.id] = Set(UniqueNode.paths)
      setTags.insert(node.id)
    }
    applyRules(deleted: deleted, replaced: [])
  }

  private static func byID(_ nodes: [UniqueNode]) -> [Int: UniqueNode] {
    Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0) })
  }

  /// The records after the save, in the order of their creation; nil if the save is refused.
  var outcome: [Int: UniqueNode]? {
    if hasLostRecord || hasMissingGuard || hasConflict { return nil }
    return nodes
  }

  private var hasMissingGuard: Bool {
    nodes.values.contains { node in
      [node.parent, node.guardian].contains { $0.map { nodes[$0.id] == nil } ?? false }
    }
  }

  private var hasConflict: Bool {
    nodes.values.contains { node in
      nodes.values.contains { $0.id != node.id && $0.isInConflict(with: node) }
    }
  }

  // MARK: Delete rules

  private mutating func applyRules(deleted: Set<Int>, replaced: Set<Int>) {
    var ruled = replaced
    var gone = deleted.union(replaced)
    for id in replaced { nodes[id] = nil }
    while let child = nodes.values.first(where: { node in
      node.parent.map { gone.contains($0.id) } == true && set[node.id]?.contains(\.parent) != true
    }) {
      nodes[child.id] = nil
      ruled.insert(child.id)
      gone.insert(child.id)
    }
    for id in nodes.keys {
      for path in [\UniqueNode.place, \.friend] {
        let affected = set[id]?.contains(path) == true ? ruled : gone
        if let target = nodes[id]?[keyPath: path], affected.contains(target.id) {
          nodes[id]?[keyPath: path] = nil
        }
      }
      let affected = setTags.contains(id) ? ruled : gone
      nodes[id]?.tags.removeAll { affected.contains($0.id) }
    }
  }

  // MARK: The policy

  mutating func resolve(_ policy: UniqueConflictPolicy) {
    guard policy != .refuse else { return }
    repeat { resolveOnce(policy) } while moveReferences()
    let replaced = successors.keys.filter { stored[$0] != nil }
    for id in updated {
      // A reference with its stored value is not a change.
      set[id] = set[id]?.filter { nodes[id]?[keyPath: $0] != stored[id]?[keyPath: $0] }
      if nodes[id]?.tags == stored[id]?.tags { setTags.remove(id) }
    }
    applyRules(deleted: [], replaced: Set(replaced))
  }

  private mutating func resolveOnce(_ policy: UniqueConflictPolicy) {
    let waiting = inserted.compactMap { id in nodes[id].map { (id, $0) } }
    for (id, _) in waiting { nodes[id] = nil }
    if policy == .replace {
      for id in updated { replaceEarlierHolders(of: id) }
    }
    /// The new records that are in conflict with several ones, which no policy resolves.
    var unresolved: [UniqueNode] = []
    for (id, node) in waiting {
      let others = nodes.values.filter { $0.isInConflict(with: node) }.map(\.id)
      switch policy {
      case _ where others.isEmpty: nodes[id] = node
      case .replace:
        for other in others { remove(other, successor: id) }
        nodes[id] = node
      case _ where others.count > 1: unresolved.append(node)
      case .update:
        var new = node
        new.id = others[0]
        nodes[others[0]] = new
        set[others[0]] = Set(UniqueNode.paths)
        setTags.insert(others[0])
        successors[id] = others[0]
      case .skip: successors[id] = others[0]
      case .refuse: break
      }
    }
    for node in unresolved { nodes[node.id] = node }
  }

  private mutating func replaceEarlierHolders(of id: Int) {
    guard let node = nodes[id], let old = stored[id] else { return }
    func isSame(_ list: Int, _ one: UniqueNode, _ other: UniqueNode) -> Bool {
      list == 0
        ? one.code != nil && one.code == other.code
        : one.place != nil && one.place == other.place && one.slot == other.slot
    }
    for list in 0..<2 where !isSame(list, node, old) {
      let others = nodes.values.filter { $0.id != id && isSame(list, $0, node) }.map(\.id)
      guard others.allSatisfy({ isSame(list, stored[$0] ?? UniqueNode(), node) }) else { continue }
      for other in others { remove(other, successor: id) }
    }
  }

  private mutating func remove(_ id: Int, successor: Int) {
    nodes[id] = nil
    successors[id] = successor
  }

  private func last(_ id: Int) -> Int { successors[id].map { last($0) } ?? id }

  private mutating func moveReferences() -> Bool {
    let before = nodes
    for id in nodes.keys {
      for path in set[id] ?? [] {
        if let target = nodes[id]?[keyPath: path] {
          let moved = last(target.id)
          nodes[id]?[keyPath: path] = Reference(moved)
        }
      }
      guard setTags.contains(id), let tags = nodes[id]?.tags else { continue }
      var moved: [Reference<UniqueNode>] = []
      for tag in tags {
        let to = last(tag.id)
        if to != tag.id, moved.contains(Reference(to)) || tags.contains(Reference(to)) { continue }
        moved.append(Reference(to))
      }
      nodes[id]?.tags = moved
    }
    return nodes != before
  }
}
