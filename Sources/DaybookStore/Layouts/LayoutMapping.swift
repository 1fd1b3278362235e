/// A mapping from the attributes of an entity to their positions in rows of an earlier layout.
package struct LayoutMapping: Sendable {
  package enum Source: Hashable, Sendable {
    /// The attribute at this index.
    case same(Int)
    /// The attribute at this index, with a value of another type.
    case other(Int, AttributeType)
    /// No attribute: the earlier layout does not have it, so the value is the default.
    case absent
  }

  /// The source of each attribute, in the order of the newer entity.
  package let sources: [Source]
  /// The indexes of the newer attributes that can have a value. The others are not in the older
  /// entity and have no default.
  let possibleValues: [Int]
  /// A Boolean value that indicates whether every attribute has the same index and type in both.
  package let isIdentity: Bool

  /// Creates the mapping from rows of the oldest of some layouts to a definition.
  ///
  /// - Parameters:
  ///   - history: The layouts of the entity, starting with that of the rows. Each may rename
  ///     attributes of the layout before it; see ``AttributeRenames``.
  ///   - newest: The definition of the last layout, or one that will follow it.
  /// - Complexity: O(*n*) in the attributes, times the number of layouts with an earlier name
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

  /// Replaces the names of attributes by those in a newer definition.
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

/// The attributes that have a new name in a newer definition of an entity.
///
/// A definition keeps `earlierName` while the schema has it. So a rename is performed once, by the
/// first definition with that earlier name. An attribute receives an earlier name only in one of
/// two cases:
///
/// - Its own name is not in use.
/// - The attribute that uses its name is renamed as well.
///
/// Two attributes can swap their names, and an earlier name can be reused for a new attribute.
struct AttributeRenames {
  /// The earlier name for each new name.
  private(set) var earlierNames: [String: String] = [:]
  /// A Boolean value that indicates whether the definition renames no attribute.
  var isEmpty: Bool { earlierNames.isEmpty }

  /// Creates the renames between two definitions.
  ///
  /// - Parameters:
  ///   - old: The older definition.
  ///   - new: The newer definition.
  ///   - isInUse: A closure that returns whether an older attribute has a name.
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
      // The attribute keeps its name, so that name is not free for another attribute.
      if earlierNames[earlier] != nil { refused.append(earlier) }
    }
  }

  private static func earlierNames(in entity: EntityDefinition) -> [String: String] {
    var names: [String: String] = [:]
    for attribute in entity.attributes { names[attribute.name] = attribute.earlierName }
    return names
  }
}
