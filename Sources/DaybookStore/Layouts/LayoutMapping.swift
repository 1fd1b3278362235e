/// Where each attribute of an entity is found in rows of an earlier layout.
package struct LayoutMapping: Sendable {
  package enum Source: Hashable, Sendable {
    /// It is the attribute of this index.
    case same(Int)
    /// It is the attribute of this index, which is of another type.
    case other(Int, AttributeType)
    /// There was no such attribute: it has its default.
    case absent
  }

  /// A source for each attribute, in the order of the newer entity.
  package let sources: [Source]
  /// The indexes of the newer attributes that can have a value: all but those of which the older entity
  /// knows nothing and that have no default.
  let possibleValues: [Int]
  /// Whether every attribute is found where it is now.
  package let isIdentity: Bool

  /// Finds the attributes of a definition in rows of the oldest of some layouts.
  ///
  /// - Parameters:
  ///   - history: The layouts of the entity from the one of the rows on. Each may rename attributes of
  ///     the one before it; see ``AttributeRenames``.
  ///   - newest: The last one's definition, or one that is to follow.
  /// - Complexity: O(*n*) in the attributes, times the layouts in which one has an earlier name
  package init(_ history: ArraySlice<Layout>, to newest: EntityDefinition) {
    guard let oldest = history.first, let last = history.last else {
      preconditionFailure("\(newest.name) has no layout")
    }
    let attributes = oldest.entity.attributes
    var indexes: [String: Int] = [:]
    indexes.reserveCapacity(attributes.count)
    for (index, attribute) in attributes.enumerated() { indexes[attribute.name] = index }
    for (earlier, later) in zip(history, history.dropFirst()) where later.hasEarlierNames {
      LayoutMapping.rename(&indexes, from: earlier.entity, to: later.entity)
    }
    LayoutMapping.rename(&indexes, from: last.entity, to: newest)
    let sources = newest.attributes.map { attribute -> Source in
      guard let index = indexes[attribute.name] else { return .absent }
      let type = attributes[index].type
      return type == attribute.type ? .same(index) : .other(index, type)
    }
    self.sources = sources
    possibleValues = sources.indices.filter {
      sources[$0] != .absent || !newest.attributes[$0].defaultValue.isNull
    }
    isIdentity =
      attributes.count == sources.count
      && sources.enumerated().allSatisfy { $0.element == .same($0.offset) }
  }

  /// Gives the indexes of attributes the names that a newer definition has for them.
  private static func rename(
    _ indexes: inout [String: Int], from old: EntityDefinition, to new: EntityDefinition
  ) {
    let renames = AttributeRenames(from: old, to: new) { indexes[$0] != nil }
    if renames.isEmpty { return }
    var moved: [String: Int] = [:]
    for (name, source) in renames.earlierNames {
      moved[name] = indexes.removeValue(forKey: source)
    }
    indexes.merge(moved) { _, index in index }
  }
}

/// The attributes that a newer definition of an entity calls by other names.
///
/// A definition keeps `earlierName` for as long as the schema has it, so a rename is made once: by the
/// first definition that has it. An attribute takes an earlier name only if its own name is not in
/// use, or if the attribute that uses it is renamed as well. Two attributes can swap their names, and
/// an earlier name can be given to a new attribute.
struct AttributeRenames {
  /// For each new name the earlier one.
  private(set) var earlierNames: [String: String] = [:]
  /// Whether the definition names an earlier name that it has not named before.
  var isEmpty: Bool { earlierNames.isEmpty }

  /// Finds the renames between two definitions.
  ///
  /// - Parameters:
  ///   - old: The definition before.
  ///   - isInUse: Whether an attribute before has a name.
  init(from old: EntityDefinition, to new: EntityDefinition, where isInUse: (String) -> Bool) {
    var sources: Set<String> = []
    var known: [String: String]?
    for attribute in new.attributes {
      guard let earlier = attribute.earlierName, earlier != attribute.name, isInUse(earlier) else {
        continue
      }
      let renamed = known ?? AttributeRenames.earlierNames(in: old)
      known = renamed
      guard renamed[attribute.name] != earlier, sources.insert(earlier).inserted else { continue }
      earlierNames[attribute.name] = earlier
    }
    var refused = earlierNames.keys.filter { isInUse($0) && !sources.contains($0) }
    while let name = refused.popLast() {
      guard let earlier = earlierNames.removeValue(forKey: name) else { continue }
      sources.remove(earlier)
      // The attribute keeps its name, which so is not free for another.
      if earlierNames[earlier] != nil { refused.append(earlier) }
    }
  }

  private static func earlierNames(in entity: EntityDefinition) -> [String: String] {
    var names: [String: String] = [:]
    for attribute in entity.attributes { names[attribute.name] = attribute.earlierName }
    return names
  }
}
