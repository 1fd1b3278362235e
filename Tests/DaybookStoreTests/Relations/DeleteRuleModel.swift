import DaybookSimulation
import DaybookStore

/// A record with a reference of each delete rule.
struct RuledNode: Record, Equatable {
  var id = 0
  var mark = 0
  var parent: Reference<RuledNode>?
  var guardian: Reference<RuledNode>?
  var friend: Reference<RuledNode>?
  var loose: Reference<RuledNode>?
  var owned: Reference<RuledNode>?
  var held: Reference<RuledNode>?
  var tags: [Reference<RuledNode>] = []
  var seals: [Reference<RuledNode>] = []
  static let schema = RecordSchema<RuledNode>("Node")
    .attribute("mark", at: \.mark)
    .reference("parent", at: \.parent, whenTargetDeleted: .cascade)
    .reference("guardian", at: \.guardian, whenTargetDeleted: .deny)
    .reference("friend", at: \.friend, whenTargetDeleted: .nullify)
    .reference("loose", at: \.loose, whenTargetDeleted: .keep)
    .owned("owned", at: \.owned)
    .owned("held", at: \.held, whenOwnerDeleted: .deny)
    .references("tags", at: \.tags, whenTargetDeleted: .nullify)
    .references("seals", at: \.seals, whenTargetDeleted: .deny)

  /// The references whose records must exist.
  var guarded: [Reference<RuledNode>] { [parent, guardian].compactMap(\.self) + seals }

  /// Sets a random property to a random value. Most references lead to one of some records.
  mutating func change(toOneOf ids: [Int], using generator: inout SplitMix64) {
    func isOne(of count: UInt64) -> Bool { generator.next() % count == 0 }
    func reference() -> Reference<RuledNode>? {
      if ids.isEmpty || isOne(of: 8) { return nil }
      let place = Int(generator.next() % 64)
      return Reference(isOne(of: 40) ? place % 12 : ids[place % ids.count])
    }
    func references() -> [Reference<RuledNode>] {
      (0..<generator.next() % 3).compactMap { _ in reference() }
    }
    switch generator.next() % 12 {
    case 0, 1, 2: parent = reference()
    case 3: guardian = isOne(of: 3) ? reference() : nil
    case 4: friend = reference()
    case 5: loose = reference()
    case 6, 7: owned = reference()
    case 8: held = isOne(of: 4) ? reference() : nil
    case 9: tags = references()
    case 10: seals = isOne(of: 4) ? references() : []
    default: mark = Int(generator.next() % 9)
    }
  }
}

/// Records, and the delete rules in their plainest form: every record is examined until no rule
/// applies.
struct DeleteRuleModel {
  var nodes: [Int: RuledNode] = [:]
  /// The last deleted record of each identifier, as it was.
  private var removed: [Int: RuledNode] = [:]

  init(_ nodes: [RuledNode] = []) {
    for node in nodes { self.nodes[node.id] = node }
  }

  /// Deletes records, and applies the rules.
  mutating func delete(_ ids: Set<Int>) {
    var deleted: [Int: RuledNode] = [:]
    for id in ids { deleted[id] = nodes.removeValue(forKey: id) }
    defer { removed.merge(deleted) { $1 } }
    var isDone = false
    while !isDone {
      isDone = true
      let orphaned = Set(deleted.values.compactMap { $0.owned?.id })
      for node in nodes.values {
        let isReached = node.parent.map { deleted[$0.id] != nil } ?? false
        guard isReached || orphaned.contains(node.id) && !isOwned(node.id) else { continue }
        deleted[node.id] = nodes.removeValue(forKey: node.id)
        isDone = false
      }
    }
    for id in nodes.keys {
      for path in [\RuledNode.friend, \.owned, \.held] {
        if let target = nodes[id]?[keyPath: path], deleted[target.id] != nil {
          nodes[id]?[keyPath: path] = nil
        }
      }
      nodes[id]?.tags.removeAll { deleted[$0.id] != nil }
    }
  }

  /// Returns whether a further record owns a record.
  private func isOwned(_ id: Int) -> Bool {
    nodes.values.contains { $0.id != id && $0.owned?.id == id }
  }

  /// Applies the rules to references that have their old values again. A save does not contain
  /// them, so the rules for the records that it deletes apply to them.
  mutating func applyRulesToUnchanged(since old: DeleteRuleModel) {
    var deleted = Set(old.nodes.keys).subtracting(nodes.keys)
    let children = nodes.values.filter { node in
      node.parent.map { deleted.contains($0.id) } == true
        && node.parent == old.nodes[node.id]?.parent
    }
    delete(Set(children.map(\.id)))
    deleted = Set(old.nodes.keys).subtracting(nodes.keys)
    for (id, node) in nodes {
      guard let before = old.nodes[id] else { continue }
      for path in [\RuledNode.friend, \.owned, \.held]
      where node[keyPath: path] == before[keyPath: path] {
        if let target = node[keyPath: path], deleted.contains(target.id) {
          nodes[id]?[keyPath: path] = nil
        }
      }
      if node.tags == before.tags { nodes[id]?.tags.removeAll { deleted.contains($0.id) } }
    }
  }

  /// Returns the records that differ from those of another model, a line each.
  func differences(from other: DeleteRuleModel) -> [String] {
    Set(nodes.keys).union(other.nodes.keys).sorted().compactMap { id in
      let (one, two) = (nodes[id], other.nodes[id])
      return one == two ? nil : "\(String(describing: one)) instead of \(String(describing: two))"
    }
  }

  /// Returns whether the records can be saved after other ones.
  func isAllowed(after old: DeleteRuleModel) -> Bool {
    for node in nodes.values where node.guarded.contains(where: { nodes[$0.id] == nil }) {
      return false
    }
    return !old.nodes.keys.contains { id in
      nodes[id] == nil && removed[id]?.held.map { nodes[$0.id] != nil } == true
    }
  }
}

extension Store {
  /// Saves the changes of a closure in a context of its own.
  func writing(_ body: (EditingContext) throws -> Void) throws {
    let context = makeContext(isolation: nil)
    try body(context)
    try context.saveAndWait()
  }
}
